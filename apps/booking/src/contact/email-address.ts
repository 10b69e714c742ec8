import { domainToASCII } from 'node:url';

/** RFC 5321 4.5.3.1: a path has 256 octets with its angle brackets; a local part 64. */
const ADDRESS_OCTETS = 254;
const LOCAL_PART_OCTETS = 64;
/** RFC 5322 dot-atom. Quoted local parts are legal and refused: nobody has one, and mailers differ on them. */
const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Of a domain as typed: letters, marks and digits of any script, hyphens, dots. */
const TYPED_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;

export type EmailReading =
  { readonly ok: true; readonly address: string } | { readonly ok: false; readonly why: string };

/**
 * Reads exactly one addr-spec (RFC 5322 3.4.1): no display name, no list, no comments, no control characters. The
 * domain may be international (its ASCII form has to fit); a local part beyond ASCII is refused, as most mail servers
 * cannot take it (SMTPUTF8). Gives the address with its domain in lower case.
 */
export function readEmail(typed: string): EmailReading {
  const at = typed.lastIndexOf('@');
  if (at < 1 || at === typed.length - 1) return { ok: false, why: 'has to be one address, like name@example.com' };
  const [localPart, domain] = [typed.slice(0, at), typed.slice(at + 1)];
  if (/[^\p{ASCII}]/u.test(localPart)) {
    return { ok: false, why: 'must not have letters beyond a–z before the @: most mail servers cannot take them' };
  }
  if (!DOT_ATOM.test(localPart) || localPart.length > LOCAL_PART_OCTETS) {
    return { ok: false, why: 'has to be one address, like name@example.com, without a name, spaces, quotes or a list' };
  }
  const ascii = TYPED_DOMAIN.test(domain) ? domainToASCII(domain) : '';
  const labels = ascii.split('.');
  const topLevel = labels.at(-1) ?? '';
  if (labels.length < 2 || !labels.every((label) => HOST_LABEL.test(label)) || /^\d+$/.test(topLevel)) {
    return { ok: false, why: 'has no valid domain after the @' };
  }
  if (localPart.length + 1 + Math.max(ascii.length, Buffer.byteLength(domain)) > ADDRESS_OCTETS) {
    return { ok: false, why: `has to have ${ADDRESS_OCTETS} characters or fewer` };
  }
  return { ok: true, address: `${localPart}@${domain.toLowerCase()}` };
}

/** `l***@example.com`: enough for its owner to know it again. */
export function maskEmail(address: string): string {
  return address.replace(/^(.).*@/u, '$1***@');
}
