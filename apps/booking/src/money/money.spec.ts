import fc from 'fast-check';
import { CURRENCIES, currencyOf } from './currency.js';
import {
  add,
  amount,
  divideHalfUp,
  fareStep,
  fromEuroCents,
  fromWire,
  percentOf,
  roundToFareStep,
  toDecimal,
  toWire,
} from './money.js';

const anyCurrency = fc.constantFrom(...CURRENCIES.values());
const anyAmount = fc
  .tuple(fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n }), anyCurrency)
  .map(([minor, currency]) => amount(minor, currency));

describe('Money', () => {
  it.each([
    ['EUR', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['CLF', 4],
    // What Intl has wrong (P18).
    ['HUF', 2],
    ['IDR', 2],
    ['ISK', 0],
    ['MGA', 2],
  ])('has in %s the %i decimals of ISO 4217', (code, digits) => {
    expect(currencyOf(code).digits).toBe(digits);
  });

  it.each(['XAU', 'XTS', 'XXX', 'eur', 'ZZZ'])('is not sold in %s', (code) => {
    expect(CURRENCIES.has(code)).toBe(false);
    expect(() => currencyOf(code)).toThrow(RangeError);
  });

  it.each([
    [18_990n, 'EUR', '189.90'],
    [5n, 'EUR', '0.05'],
    [-5n, 'EUR', '-0.05'],
    [25_400n, 'JPY', '25400'],
    [31_250n, 'KWD', '31.250'],
    [0n, 'KWD', '0.000'],
  ])('writes %d minor units of %s as %s', (minor, code, text) => {
    expect(toDecimal(amount(minor, currencyOf(code)))).toBe(text);
  });

  it('is read back from the wire as it was written', () => {
    fc.assert(fc.property(anyAmount, (value) => expect(fromWire(toWire(value))).toEqual(value)));
  });

  it.each([
    ['1.5', 'EUR'],
    ['1.500', 'EUR'],
    ['1.0', 'JPY'],
    ['1e3', 'EUR'],
    ['', 'EUR'],
  ])('refuses %j %s: wrong decimals', (text, currency) => {
    expect(() => fromWire({ amount: text, currency })).toThrow(RangeError);
  });

  it('adds up exactly, and never across currencies', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), anyCurrency, (one, other, currency) =>
        expect(add(amount(one, currency), amount(other, currency)).minor).toBe(one + other),
      ),
    );
    expect(() => add(amount(1n, currencyOf('EUR')), amount(1n, currencyOf('USD')))).toThrow('EUR and USD');
  });

  it('rounds halves away from zero, never by more than half a unit', () => {
    expect([5n, -5n, 4n, 15n].map((value) => divideHalfUp(value, 10n))).toEqual([1n, -1n, 0n, 2n]);
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 10n ** 9n }), (value, divisor) => {
        const off = divideHalfUp(value, divisor) * divisor - value;
        expect((off < 0n ? -off : off) * 2n <= divisor).toBe(true);
      }),
    );
  });

  it('converts euro cents at the reference rate', () => {
    expect(toDecimal(fromEuroCents(10_000n, currencyOf('EUR')))).toBe('100.00');
    expect(toDecimal(fromEuroCents(10_000n, currencyOf('JPY')))).toBe('18000');
    expect(toDecimal(fromEuroCents(10_000n, currencyOf('KWD')))).toBe('35.600');
    expect(toDecimal(percentOf(fromEuroCents(999n, currencyOf('EUR')), 75))).toBe('7.49');
  });

  it('rounds fares to steps that people know in every currency', () => {
    expect(['EUR', 'JPY', 'KWD', 'VND'].map((code) => fareStep(currencyOf(code)))).toEqual([
      100n,
      100n,
      100n,
      10_000n * 1n,
    ]);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 8n }), anyCurrency, (cents, currency) => {
        const fare = roundToFareStep(fromEuroCents(cents, currency));
        expect(fare.minor > 0n && fare.minor % fareStep(currency) === 0n).toBe(true);
      }),
    );
  });
});
