import {
  ConfigurationError,
  httpUrl,
  integer,
  logLevel,
  networks,
  port,
  postgresUrl,
  readEnvironment,
  smtpUrl,
  str,
} from '../index.js';

const specs = {
  PORT: port({ default: 3000 }),
  LOG_LEVEL: logLevel({ default: 'info' }),
  DATABASE_URL: postgresUrl(),
  SMTP_URL: smtpUrl({ default: undefined }),
  PUBLIC_URL: httpUrl({ default: undefined }),
  WORKERS: integer({ min: 1, max: 64 })({ default: 1 }),
  TRUSTED_PROXIES: networks({ default: undefined }),
  MODE: str({ choices: ['fast', 'safe'], default: 'safe' }),
};
const good = { DATABASE_URL: 'postgres://u:p@localhost/db' };

describe('Reading the environment', () => {
  it('gives typed values and defaults, and takes an empty variable for unset', () => {
    const environment = readEnvironment(specs, { ...good, PORT: '8080', SMTP_URL: '', MODE: '', UNRELATED: 'x' });
    expect(environment).toEqual({
      PORT: 8080,
      LOG_LEVEL: 'info',
      DATABASE_URL: good.DATABASE_URL,
      SMTP_URL: undefined,
      PUBLIC_URL: undefined,
      WORKERS: 1,
      TRUSTED_PROXIES: undefined,
      MODE: 'safe',
    });
    expect(Object.isFrozen(environment)).toBe(true);
  });

  it('reads addresses and subnets, and refuses what is neither', () => {
    const read = (TRUSTED_PROXIES: string) => readEnvironment(specs, { ...good, TRUSTED_PROXIES }).TRUSTED_PROXIES;
    expect(read('10.0.0.0/8, 127.0.0.1,fd00::/8')).toEqual(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);
    for (const wrong of ['true', '10.0.0.0/33', '10.0.0/8', '*', '10.0.0.1/8/8', '10.0.0.1,,', 'proxy.example'])
      expect(() => read(wrong)).toThrow('it must be IP addresses or subnets like 10.0.0.0/8, separated by commas');
  });

  it('names every bad variable with what would be right, and repeats no secret', () => {
    const read = () =>
      readEnvironment(specs, {
        DATABASE_URL: 'mysql://root:hunter2@db/x',
        PORT: '70000',
        LOG_LEVEL: 'loud',
        SMTP_URL: 'mail.example:25',
        WORKERS: '1.5',
        MODE: 'reckless',
      });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(
      [
        'Wrong settings:',
        '  PORT is "70000"; it must be a whole number from 0 to 65535.',
        '  LOG_LEVEL is "loud"; it must be one of trace, debug, info, warn, error, fatal, silent.',
        '  DATABASE_URL is not valid; it must be a PostgreSQL address like postgres://user:password@host:5432/database.',
        '  SMTP_URL is not valid; it must be a mail server address like smtp://user:password@host:587.',
        '  WORKERS is "1.5"; it must be a whole number from 1 to 64.',
        '  MODE is "reckless"; it must be one of fast, safe.',
      ].join('\n'),
    );
    expect(read).not.toThrow(/hunter2/);
  });

  it('says what a missing variable must be', () => {
    expect(() => readEnvironment({ DATABASE_URL: postgresUrl({ desc: 'the address of a PostgreSQL' }) }, {})).toThrow(
      'Wrong setting: DATABASE_URL is not set; it must be the address of a PostgreSQL.',
    );
  });
});
