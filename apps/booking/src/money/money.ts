import type { Money as WireMoney } from '@eticket/contracts';
import { currencyOf, type Currency } from './currency.js';

/** An amount inside the service: integer minor units (cents, yen, fils), never a float. */
export interface Amount {
  readonly minor: bigint;
  readonly currency: Currency;
}

export function amount(minor: bigint, currency: Currency): Amount {
  return { minor, currency };
}

export function zero(currency: Currency): Amount {
  return { minor: 0n, currency };
}

/** @throws RangeError when the currencies differ. */
export function add(one: Amount, other: Amount): Amount {
  if (one.currency.code !== other.currency.code) {
    throw new RangeError(`Cannot add ${one.currency.code} and ${other.currency.code}`);
  }
  return { minor: one.minor + other.minor, currency: one.currency };
}

export function sum(amounts: Iterable<Amount>, currency: Currency): Amount {
  let total = zero(currency);
  for (const each of amounts) total = add(total, each);
  return total;
}

/** Integer division that rounds halves away from zero; `divisor` is positive. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  const half = divisor / 2n;
  return dividend < 0n ? -((-dividend + half) / divisor) : (dividend + half) / divisor;
}

/** Euro cents in another currency, rounded once, to its minor unit. */
export function fromEuroCents(cents: bigint, currency: Currency): Amount {
  const { numerator, denominator } = currency.perEuro;
  return { minor: divideHalfUp(cents * numerator * 10n ** BigInt(currency.digits), denominator * 100n), currency };
}

/**
 * The step that base fares are rounded to: the power of ten of what a euro is worth, so whole euros, hundreds of yen,
 * tenths of a dinar.
 */
export function fareStep(currency: Currency): bigint {
  const { numerator, denominator } = currency.perEuro;
  const euroInMinor = (numerator * 10n ** BigInt(currency.digits)) / denominator;
  return euroInMinor < 10n ? 1n : 10n ** BigInt(euroInMinor.toString().length - 1);
}

/** Rounded to the nearest fare step, and at least one step. */
export function roundToFareStep(value: Amount): Amount {
  const step = fareStep(value.currency);
  const steps = divideHalfUp(value.minor, step);
  return { minor: (steps < 1n ? 1n : steps) * step, currency: value.currency };
}

/** `percent` (a whole number) of the amount, rounded to the minor unit. */
export function percentOf(value: Amount, percent: number): Amount {
  return { minor: divideHalfUp(value.minor * BigInt(percent), 100n), currency: value.currency };
}

/** `"189.90"`, `"25400"`, `"31.250"`: as many decimals as ISO 4217 gives the currency. */
export function toDecimal(value: Amount): string {
  const { digits } = value.currency;
  const sign = value.minor < 0n ? '-' : '';
  const all = (value.minor < 0n ? -value.minor : value.minor).toString().padStart(digits + 1, '0');
  return digits === 0 ? sign + all : `${sign}${all.slice(0, -digits)}.${all.slice(-digits)}`;
}

/** The wire form. */
export function toWire(value: Amount): WireMoney {
  return { amount: toDecimal(value), currency: value.currency.code };
}

/** Reads the wire form. @throws RangeError when the decimals are not the currency's. */
export function fromWire(wire: WireMoney): Amount {
  const currency = currencyOf(wire.currency);
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(wire.amount);
  const decimals = match?.[3] ?? '';
  if (!match || decimals.length !== currency.digits) {
    throw new RangeError(`${wire.currency} has ${currency.digits} decimals`);
  }
  const minor = BigInt(`${match[2]}${decimals}`);
  return { minor: match[1] === '-' ? -minor : minor, currency };
}
