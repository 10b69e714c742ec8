/**
 * Terms of the inbox.
 *
 * - **mail**: one message as the inbox took it from one SMTP transaction, however many recipients it has. It never changes.
 * - **envelope**: what the SMTP commands said (`MAIL FROM`, `RCPT TO`, `EHLO`), as opposed to the headers inside the mail.
 * - **raw**: the bytes after `DATA`, dots unstuffed, with the CRLF that ends the last line and without the closing dot.
 */

/** What the SMTP commands said. */
export interface Envelope {
  /** Address of `MAIL FROM`; empty for a bounce (`<>`). */
  readonly from: string;
  /** Addresses of `RCPT TO`, in their order. */
  readonly to: readonly string[];
  /** The name that the client gave with `EHLO` or `HELO`. */
  readonly helo: string;
}

/** One mail as it was received. */
export interface Mail {
  /** Opaque; sorts by arrival as text. */
  readonly id: string;
  readonly envelope: Envelope;
  readonly receivedAt: Date;
  readonly raw: Buffer;
}

/** The domain of every mail's id; MailHog's ids have this `…@host` form. */
const ID_DOMAIN = 'inbox.local';

/** `at` in milliseconds (12 hexadecimal digits last until the year 10889), then `random`. */
export function mailId(at: Date, random: string): string {
  return `${at.getTime().toString(16).padStart(12, '0')}-${random}@${ID_DOMAIN}`;
}
