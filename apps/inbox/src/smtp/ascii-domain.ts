import { domainToASCII } from 'node:url';

/** `mailbox@domain` with the domain in ASCII, which is how it travels unless the client asks for SMTPUTF8. */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  const ascii = domainToASCII(address.slice(at + 1));
  return at < 0 || ascii === '' ? address : address.slice(0, at + 1) + ascii;
}
