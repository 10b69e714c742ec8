import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** With what mails are signed (RFC 6376, rsa-sha256), where the relay does not do it. */
export interface DkimSettings {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

/**
 * Reads the settings, which are useful only all together. @throws RangeError that says what would be right, and nothing
 * of the key.
 */
export function readDkim(
  domain: string,
  selector: string,
  keyFile: string,
  senderAddress: string,
): DkimSettings | undefined {
  const given = [domain, selector, keyFile].filter((value) => value !== '').length;
  if (given === 0) return undefined;
  if (given < 3) throw new RangeError('MAIL_DKIM_DOMAIN, MAIL_DKIM_SELECTOR and MAIL_DKIM_KEY_FILE belong together');
  const senderDomain = senderAddress.slice(senderAddress.lastIndexOf('@') + 1);
  // RFC 7489 §3.1.1: a signature speaks for the sender only when its domain is the sender's or one above it.
  if (senderDomain !== domain && !senderDomain.endsWith(`.${domain}`)) {
    throw new RangeError(
      `MAIL_DKIM_DOMAIN is ${domain}; it must be the domain of MAIL_FROM, ${senderDomain}, or one above it`,
    );
  }
  return { domain, selector, privateKey: readKey(keyFile) };
}

function readKey(keyFile: string): string {
  let key;
  try {
    const pem = readFileSync(keyFile, 'utf8');
    key = { pem, type: createPrivateKey(pem).asymmetricKeyType };
  } catch {
    throw new RangeError(
      'MAIL_DKIM_KEY_FILE must name a readable file with a private key in PEM, without a passphrase',
    );
  }
  if (key.type !== 'rsa') throw new RangeError('MAIL_DKIM_KEY_FILE must hold an RSA key');
  return key.pem;
}
