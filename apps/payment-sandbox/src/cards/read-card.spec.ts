import fc from 'fast-check';
import { hasRightCheckDigit, readCard } from './read-card.js';
import { TEST_CARDS } from './test-cards.js';

const NOW = new Date('2026-11-30T12:00:00Z');
const GOOD = { number: '4242 4242 4242 4242', expiry: '04/29', cvc: '123' };
const errorsOf = (typed: Partial<typeof GOOD>, now = NOW): object => {
  const read = readCard({ ...GOOD, ...typed }, now);
  return read.card === undefined ? Object.fromEntries(read.errors) : {};
};

describe('A card that is typed', () => {
  it.each(TEST_CARDS)('is taken when it is the test card $number', (card) => {
    const cvc = card.brand === 'amex' ? '1234' : '123';
    expect(readCard({ ...GOOD, number: card.number, cvc }, NOW)).toEqual({ card });
  });

  it('has every wrong field named', () => {
    expect(errorsOf({ number: '', expiry: ' ', cvc: '' })).toEqual({
      number: 'number_missing',
      expiry: 'expiry_missing',
      cvc: 'cvc_missing',
    });
    expect(errorsOf({ number: '4242 4242 4242 4241', expiry: '13/29', cvc: '12' })).toEqual({
      number: 'number_wrong',
      expiry: 'expiry_wrong',
      cvc: 'cvc_wrong',
    });
  });

  it('is refused when it could be somebody’s own', () => {
    expect(errorsOf({ number: '4539 1488 0343 6467' })).toEqual({ number: 'number_real' });
  });

  it('has a code of four digits on American Express, of three elsewhere', () => {
    expect(errorsOf({ number: '378282246310005', cvc: '123' })).toEqual({ cvc: 'cvc_wrong' });
    expect(errorsOf({ cvc: '1234' })).toEqual({ cvc: 'cvc_wrong' });
    expect(errorsOf({ cvc: '12a' })).toEqual({ cvc: 'cvc_wrong' });
  });

  it.each(['11/26', '1126', '11/2026', '112026', ' 11 / 26 ', '1/27'])(
    'is good until the end of its month: %s',
    (expiry) => expect(errorsOf({ expiry })).toEqual({}),
  );

  it.each([
    ['10/26', 'expiry_past'],
    ['00/29', 'expiry_wrong'],
    ['11/99', 'expiry_wrong'],
    ['29/04', 'expiry_wrong'],
    ['aa/bb', 'expiry_wrong'],
  ])('has a wrong date in %s', (expiry, code) => expect(errorsOf({ expiry })).toEqual({ expiry: code }));

  it('is good to the last hour of the month wherever its owner is', () => {
    expect(errorsOf({ expiry: '11/26' }, new Date('2026-12-01T11:59:59Z'))).toEqual({});
    expect(errorsOf({ expiry: '11/26' }, new Date('2026-12-01T12:00:00Z'))).toEqual({ expiry: 'expiry_past' });
  });

  it('never ends in a fault, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (number, expiry, cvc) => {
        expect(errorsOf({ number, expiry, cvc })).not.toEqual({});
      }),
    );
  });

  it('is not taken with one digit wrong', () => {
    const place = fc.record({
      card: fc.constantFrom(...TEST_CARDS),
      at: fc.nat(14),
      more: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(place, ({ card: { number }, at, more }) => {
        const digit = (Number(number[at]) + more) % 10;
        expect(hasRightCheckDigit(number.slice(0, at) + digit + number.slice(at + 1))).toBe(false);
      }),
    );
  });
});
