/**
 * What may follow what, in the life of a booking and of its payment; everything that changes a state asks here.
 *
 * Before there is a booking there is an attempt: a claimed idempotency key that names the booking to be. Its money is
 * authorised; then either booking, tickets, payment, event and answer are stored in one transaction, or the
 * authorisation is voided and the key forgotten. A process that dies in between leaves the claim, by which another
 * attempt with the same key, or the recovery (`payments/payment-recovery.ts`), finds the work and ends it.
 *
 *     attempt ── stored ──► ticketed ── cancelled by the traveller ──► cancelled
 *        └── undone
 *     payment: authorised ──► captured ──► refund due ──► refunded, or refund refused
 *                   └──► uncollectable        (a refund is due of what is not captured yet too: captured first)
 */
const BOOKING = {
  ticketed: ['cancelled'],
  cancelled: [],
} as const satisfies Record<string, readonly string[]>;

const PAYMENT = {
  authorised: ['captured', 'uncollectable'],
  captured: ['refund_refused'],
  /** The gateway will not give the money back: a person has to see to it. */
  refund_refused: [],
  /** The gateway will not take the money any more: a person has to see to it. */
  uncollectable: [],
} as const satisfies Record<string, readonly string[]>;

export type BookingState = keyof typeof BOOKING;
export type PaymentState = keyof typeof PAYMENT;

export const BOOKING_STATES = Object.keys(BOOKING) as readonly BookingState[];

/** The states that a booking may be cancelled (…) from. */
export function bookingStatesBefore(next: BookingState): readonly BookingState[] {
  return statesBefore(BOOKING, next);
}

export function paymentStatesBefore(next: PaymentState): readonly PaymentState[] {
  return statesBefore(PAYMENT, next);
}

function statesBefore<S extends string>(machine: Readonly<Record<S, readonly string[]>>, next: S): readonly S[] {
  return (Object.keys(machine) as S[]).filter((state) => machine[state].includes(next));
}
