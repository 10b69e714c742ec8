import type { BookingState } from '../bookings/booking-states.js';
import type { MailDto } from '../bookings/booking.dto.js';
import { maskEmail } from '../contact/email-address.js';
import type { Words } from './words.js';

/** The line about the mail; the page's script gets the same as JSON. */
export interface MailView {
  readonly status: MailDto['status'];
  /** Nothing more will happen by itself. */
  readonly final: boolean;
  readonly text: string;
  /** ISO 8601, UTC; the script shows it in the reader's zone. */
  readonly at?: string;
  readonly atText?: string;
}

export function mailView(
  mail: MailDto,
  booking: { readonly email: string; readonly status: BookingState },
  words: Words,
): MailView {
  const { status } = mail;
  const stage = status === 'sending' ? 'queued' : status;
  const cancelled = booking.status === 'cancelled';
  const key = cancelled ? `cancel${stage.charAt(0).toUpperCase()}${stage.slice(1)}` : stage;
  const text = words.t(`mail.${key}`, { to: maskEmail(booking.email) });
  const at = status === 'sent' ? mail.sentAt : status === 'delayed' ? mail.nextTryAt : undefined;
  return {
    status,
    final: status === 'sent' || status === 'failed',
    text: status === 'delayed' && at !== undefined ? `${text} ${words.t('mail.next')}` : text,
    ...(at !== undefined && { at, atText: words.utcTime(at) }),
  };
}
