import type { MailDto } from '../bookings/booking.dto.js';
import { maskEmail } from '../contact/email-address.js';
import { utcTimeText } from './words.js';

/** The line about the e-ticket mail; the page's script gets the same as JSON. */
export interface MailView {
  readonly status: MailDto['status'];
  /** Nothing more will happen by itself. */
  readonly final: boolean;
  readonly text: string;
  /** ISO 8601, UTC; the script shows it in the reader's zone. */
  readonly at?: string;
  readonly atText?: string;
}

export function mailView(mail: MailDto, email: string): MailView {
  const to = maskEmail(email);
  const at = (iso: string | undefined): { readonly at?: string; readonly atText?: string } =>
    iso === undefined ? {} : { at: iso, atText: utcTimeText(iso) };
  switch (mail.status) {
    case 'queued':
    case 'sending':
      return { status: mail.status, final: false, text: `We are sending your e-ticket to ${to}.` };
    case 'delayed': {
      const text = `Your e-ticket to ${to} is delayed; your booking stands, and we keep trying.`;
      return {
        status: mail.status,
        final: false,
        text: mail.nextTryAt ? `${text} Next try:` : text,
        ...at(mail.nextTryAt),
      };
    }
    case 'sent':
      return { status: mail.status, final: true, text: `Your e-ticket was sent to ${to} at`, ...at(mail.sentAt) };
    case 'failed': {
      const text = `We could not send your e-ticket to ${to}. Your booking stands; please keep this page or write to us.`;
      return { status: mail.status, final: true, text };
    }
  }
}
