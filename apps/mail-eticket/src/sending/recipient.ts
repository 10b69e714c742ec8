/** Why an address cannot be mailed to; none of these says which address it was. */
export type RecipientProblem = 'recipient_invalid' | 'recipient_needs_smtputf8';

export class RecipientError extends Error {
  readonly retryable = false;
  override readonly name = 'RecipientError';
  constructor(readonly code: RecipientProblem) {
    super(code);
  }
}

/** RFC 5321 §4.1.2 Dot-string. Quoted local parts, legal and read differently by every relay, are refused. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** RFC 6531 §3.3: the same with any letter, mark and number; no invisible character. */
const INTERNATIONAL_LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** Letters and digits of any script, inner hyphens; nodemailer turns them into punycode. */
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * Exactly one addr-spec, domain in lower case (pitfall P13). The API refused everything else already; the worker is the
 * last one before the relay, where `a@x, b@y` would be two recipients.
 * @param smtpUtf8 whether letters beyond ASCII may stand before the @ (RFC 6531); only some relays pass them on
 * @throws RecipientError
 */
export function recipientAddress(email: string, smtpUtf8 = false): string {
  const at = email.indexOf('@');
  const local = email.slice(0, at);
  const domain = email.slice(at + 1).toLowerCase();
  // RFC 5321 §4.5.3.1: local part 64, path 256 with its angle brackets.
  if (at < 1 || email.length > 254 || Buffer.byteLength(local) > 64 || !isDomain(domain))
    throw new RecipientError('recipient_invalid');
  if (/^[^\s"(),:;<>@[\\\]]*[^\p{ASCII}][^\s"(),:;<>@[\\\]]*$/u.test(local)) {
    if (!smtpUtf8) throw new RecipientError('recipient_needs_smtputf8');
    if (!INTERNATIONAL_LOCAL_PART.test(local)) throw new RecipientError('recipient_invalid');
    return `${local}@${domain}`;
  }
  if (!LOCAL_PART.test(local)) throw new RecipientError('recipient_invalid');
  return `${local}@${domain}`;
}

function isDomain(domain: string): boolean {
  return domain.length <= 253 && domain.split('.').every((label) => DOMAIN_LABEL.test(label));
}
