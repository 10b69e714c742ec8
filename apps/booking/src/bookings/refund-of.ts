import type { BookingSnapshot } from '@eticket/contracts';
import { add, amount, fromWire, zero, type Amount } from '../money/money.js';

/**
 * What a cancellation gives back by the fare's conditions: of each passenger's fare and taxes all but the penalty, never
 * less than nothing; and our service fee. Nothing at all where the fare is not refundable.
 */
export function refundOf({ price, passengers, conditions }: BookingSnapshot): Amount {
  const fees = fromWire(price.fees);
  const { allowed, penalty } = conditions.refundBeforeDeparture;
  if (!allowed) return zero(fees.currency);
  const kept = penalty ? fromWire(penalty).minor : 0n;
  return passengers.reduce((refund, passenger) => {
    const paid = fromWire(passenger.total).minor;
    return add(refund, amount(paid > kept ? paid - kept : 0n, fees.currency));
  }, fees);
}

/** Until the first flight leaves. */
export function mayStillCancel({ segments }: BookingSnapshot, now: Date): boolean {
  const [first] = segments;
  return first !== undefined && Date.parse(first.departingAt) > now.getTime();
}
