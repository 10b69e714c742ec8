import currencyCodes from 'currency-codes';
import { EXCHANGE_RATES } from './exchange-rates.data.js';

/** A currency that fares are sold in. */
export interface Currency {
  /** ISO 4217 alphabetic code. */
  readonly code: string;
  /** Decimals by ISO 4217: JPY 0, EUR 2, HUF 2, KWD 3. `Intl` differs (it says HUF 0) and is used to print only. */
  readonly digits: number;
  /** Units for one euro, as a fraction of integers. */
  readonly perEuro: Fraction;
}

/** `numerator / denominator`; the denominator is a power of ten. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

function fractionOf(decimal: string): Fraction {
  const [whole = '', decimals = ''] = decimal.split('.');
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) };
}

function currenciesOf(table: string): ReadonlyMap<string, Currency> {
  const words = table.trim().split(/\s+/);
  const currencies = new Map<string, Currency>();
  for (let index = 0; index < words.length; index += 2) {
    const [code, rate] = [words[index], words[index + 1]];
    const iso = code === undefined ? undefined : currencyCodes.code(code);
    if (!iso || rate === undefined) throw new Error(`Not in ISO 4217, or without a rate: ${code}`);
    currencies.set(iso.code, { code: iso.code, digits: iso.digits, perEuro: fractionOf(rate) });
  }
  return currencies;
}

/** Every currency that fares are sold in, by its code. */
export const CURRENCIES: ReadonlyMap<string, Currency> = currenciesOf(EXCHANGE_RATES);

/** @throws RangeError for a code that {@link CURRENCIES} does not have. */
export function currencyOf(code: string): Currency {
  const currency = CURRENCIES.get(code);
  if (!currency) throw new RangeError(`No fares are sold in ${code}`);
  return currency;
}
