/** Keys whose values never reach a log, wherever they stand in the logged object down to the fourth level. */
const PERSONAL_KEYS = [
  'accessToken',
  'authorization',
  'bornOn',
  'connectionString',
  'contact',
  'cookie',
  'email',
  'familyName',
  'givenName',
  'idempotencyKey',
  'password',
  'passengers',
  'payload',
  'payment',
  'phone',
  'surname',
  'ticketName',
  '["set-cookie"]',
  '["idempotency-key"]',
];

const DEPTH = 4;

/** Paths for pino's redaction. */
export const REDACTED_PATHS: readonly string[] = PERSONAL_KEYS.flatMap((key) =>
  Array.from({ length: DEPTH }, (_, depth) =>
    key.startsWith('[') ? `${Array(depth).fill('*').join('.')}${key}` : `${'*.'.repeat(depth)}${key}`,
  ),
);

/**
 * A mail address in running text, such as an SMTP server's answer inside an error message. A Message-ID is no
 * address: operators need it, so the value of `messageId` is left as it is.
 */
const MAIL_ADDRESS =
  /(?<![^\s"<>@:,;()[\]\\=])(?<!"messageId":"<?)[^\s"<>@:,;()[\]\\=]+@[^\s"<>@:,;()[\]\\=]+\.[^\s"<>@:,;()[\]\\=]{2,}/g;

/** The user and password part of an address such as `postgres://user:password@host`. */
const CREDENTIALS = /:\/\/[^\s/@"]*@/g;

/** Takes addresses and credentials out of a finished log line: the last net below the redacted keys. */
export function withoutPersonalData(line: string): string {
  return line.includes('@')
    ? line.replace(CREDENTIALS, '://[credentials]@').replace(MAIL_ADDRESS, '[mail address]')
    : line;
}
