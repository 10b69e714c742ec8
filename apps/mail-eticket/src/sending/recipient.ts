import { domainToASCII, domainToUnicode } from 'node:url';

/** Why an address cannot be mailed to; none of these says which address it was. */
export type RecipientProblem = 'recipient_invalid' | 'recipient_needs_smtputf8';

export class RecipientError extends Error {
  readonly retryable = false;
  override readonly name = 'RecipientError';
  constructor(readonly code: RecipientProblem) {
    super(code);
  }
}

/**
 * RFC 5321 §4.1.2 Dot-string with, by RFC 6531 §3.3, any letter, mark and number; no invisible character. Quoted local
 * parts, legal and read differently by every relay, are refused.
 */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** Letters, marks and digits of any script, hyphens, dots. */
const TYPED_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
/** RFC 1123 §2.1, in lower case; the last one is not a number (RFC 3696 §2), or it would be read as an IP address. */
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Exactly one addr-spec (pitfall P13), as it goes on the wire: where the local part is ASCII the domain is in its ASCII
 * form (A-labels, RFC 5890), which every relay takes. A local part beyond ASCII has no such form; its domain stays as
 * people write it (RFC 6531 §3.2), and only a relay with SMTPUTF8 can be given it. The API refused everything else
 * already; the worker is the last one before the relay, where `a@x, b@y` would be two recipients.
 * @throws RecipientError `recipient_invalid`
 */
export function recipientAddress(email: string): string {
  const at = email.indexOf('@');
  const local = email.slice(0, at);
  const domain = asciiDomain(email.slice(at + 1));
  if (at < 1 || domain === undefined || !LOCAL_PART.test(local)) throw new RecipientError('recipient_invalid');
  const address = `${local}@${needsSmtpUtf8(local) ? domainToUnicode(domain) : domain}`;
  // RFC 5321 §4.5.3.1: a local part has 64 octets, a path 256 with its angle brackets.
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(address) > 254) throw new RecipientError('recipient_invalid');
  return address;
}

/**
 * The same for an address that must do at every relay, such as the sender's.
 * @throws RecipientError also where it needs SMTPUTF8.
 */
export function asciiAddress(email: string): string {
  const address = recipientAddress(email);
  if (needsSmtpUtf8(address)) throw new RecipientError('recipient_needs_smtputf8');
  return address;
}

/** Whether an address can be given only to a relay with SMTPUTF8. */
export function needsSmtpUtf8(address: string): boolean {
  return /[^\p{ASCII}]/u.test(address);
}

/** Undefined where it is no domain. Mapped as browsers do (UTS 46), before any change of case: `ẞ` is `ss` there. */
function asciiDomain(domain: string): string | undefined {
  const ascii = TYPED_DOMAIN.test(domain) ? domainToASCII(domain) : '';
  const labels = ascii.split('.');
  const isDomain = ascii.length <= 253 && labels.every((label) => HOST_LABEL.test(label));
  return isDomain && !/^\d+$/.test(labels.at(-1) ?? '') ? ascii : undefined;
}
