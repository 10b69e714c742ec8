import { isIP } from 'node:net';
import { makeValidator } from 'envalid';
import { SettingError } from './read-environment.js';

export { bool, host, makeValidator, num, str, url } from 'envalid';

/** A whole number from `min` to `max`. */
export function integer(range: { readonly min: number; readonly max: number }) {
  return makeValidator<number>((input) => {
    const value = Number(input);
    if (!/^-?\d{1,15}$/.test(input.trim()) || value < range.min || value > range.max) {
      throw new SettingError(`a whole number from ${range.min} to ${range.max}`);
    }
    return value;
  });
}

/** A TCP port; 0 lets the system choose a free one. */
export const port = integer({ min: 0, max: 65_535 });

/** A time in milliseconds, up to a day. */
export const milliseconds = integer({ min: 1, max: 86_400_000 });

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How much is logged. */
export const logLevel = makeValidator<LogLevel>((input) => {
  const level = LOG_LEVELS.find((known) => known === input.toLowerCase());
  if (level === undefined) throw new SettingError(`one of ${LOG_LEVELS.join(', ')}`);
  return level;
});

/** A PostgreSQL connection string. */
export const postgresUrl = makeValidator<string>((input) =>
  checkUrl(
    input,
    ['postgres:', 'postgresql:'],
    'a PostgreSQL address like postgres://user:password@host:5432/database',
  ),
);

/** An SMTP relay: `smtp://host:port`, `smtps://…`, with user and password where it asks for them. */
export const smtpUrl = makeValidator<string>((input) =>
  checkUrl(input, ['smtp:', 'smtps:'], 'a mail server address like smtp://user:password@host:587'),
);

/** An http or https address. */
export const httpUrl = makeValidator<string>((input) =>
  checkUrl(input, ['http:', 'https:'], 'an address like http://127.0.0.1:3000'),
);

/** IP addresses and subnets (CIDR), separated by commas. */
export const networks = makeValidator<readonly string[]>((input) => {
  const all = input.split(',').map((each) => each.trim());
  if (!all.every(isNetwork)) throw new SettingError('IP addresses or subnets like 10.0.0.0/8, separated by commas');
  return all;
});

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
}

function checkUrl(input: string, protocols: readonly string[], expected: string): string {
  const parsed = URL.canParse(input) ? new URL(input) : undefined;
  if (!parsed || !protocols.includes(parsed.protocol) || parsed.hostname === '') throw new SettingError(expected);
  return input;
}
