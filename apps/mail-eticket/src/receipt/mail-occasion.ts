import { QUEUES } from '@eticket/contracts';
import type { BookingSnapshot, EticketCancelledEvent, EticketConfirmedEvent, Money } from '@eticket/contracts';
import { withLocalNames } from './local-names.js';
import { printable } from './printable-text.js';

/** What an e-ticket mail follows. */
export type EticketMailEvent = EticketConfirmedEvent | EticketCancelledEvent;

/** `confirmed`: the first e-ticket of a booking; `resend`: it again, by a later version; `cancelled`: no longer valid. */
export const MAIL_KINDS = ['confirmed', 'resend', 'cancelled'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** What all parts of a mail are made from; every text in it is `printable`, names are those of the mail's language. */
export interface MailOccasion {
  readonly kind: MailKind;
  readonly booking: BookingSnapshot;
  readonly version: number;
  /** When the mail was written, as far as the traveller is concerned. ISO 8601. */
  readonly occurredAt: string;
  /** Of a cancellation: what the traveller gets back. */
  readonly refund?: Money;
}

/** The occasion of an event. */
export function mailOccasion(event: EticketMailEvent): MailOccasion {
  const { version, occurredAt } = event;
  const common = { booking: withLocalNames(printable(event.booking)), version, occurredAt };
  if (event.type === QUEUES.eticketCancelled) return { ...common, kind: 'cancelled', refund: event.refund };
  return { ...common, kind: version > 1 ? 'resend' : 'confirmed' };
}
