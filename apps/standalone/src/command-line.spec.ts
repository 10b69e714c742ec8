import { ConfigurationError } from '@eticket/service';
import { readCommandLine, UsageError } from './command-line.js';
import { readStandaloneConfig } from './standalone-config.js';

describe('The command line of npm start', () => {
  it('has a default for everything', () => {
    expect(readCommandLine([])).toEqual({ help: false, workers: undefined, port: undefined, dataDir: undefined });
    expect(readStandaloneConfig(readCommandLine([]), {})).toMatchObject({
      bookingPort: 3000,
      workerPort: 3001,
      inboxPort: 8025,
      smtpPort: 1025,
      paymentPort: 3003,
      databaseUrl: undefined,
      smtpUrl: undefined,
      logLevel: 'info',
      terminalLogLevel: 'warn',
    });
  });

  it('wins over the environment', () => {
    const line = readCommandLine(['--port', '4000', '--data-dir=/tmp/a b', '--workers', '4']);
    const config = readStandaloneConfig(line, { PORT: '5000', DATA_DIR: 'elsewhere', LOG_LEVEL: 'debug' });
    expect(config).toMatchObject({ bookingPort: 4000, dataDir: '/tmp/a b', workers: 4, terminalLogLevel: 'debug' });
  });

  it.each([
    [['--wrokers', '4'], 'There is no option --wrokers: npm start -- --help lists the options.'],
    [['-x'], 'There is no option -x: npm start -- --help lists the options.'],
    [['--workers', 'many'], '--workers must be a whole number from 0 to 32, not "many".'],
    [['--workers', '33'], '--workers must be a whole number from 0 to 32, not "33".'],
    [['--workers=-1'], '--workers must be a whole number from 0 to 32, not "-1".'],
    [
      ['--port'],
      expect.stringMatching(/^The option --port <value> is not used rightly|^The option --port is not used rightly/),
    ],
    [['up'], '"up" is not understood: npm start -- --help lists the options.'],
  ])('says in one sentence what is wrong with %j', (args, message) => {
    const read = () => readCommandLine(args, {});
    expect(read).toThrow(UsageError);
    expect(read).toThrow(expect.objectContaining({ message: message as string }) as Error);
  });

  it('notices that npm took the option', () => {
    expect(() => readCommandLine(['4'], { npm_config_workers: '4' })).toThrow(
      'put -- before it, as in npm start -- --workers 4',
    );
  });

  it('names every setting that is wrong', () => {
    const read = () =>
      readStandaloneConfig(readCommandLine(['--port', 'x']), { SMTP_URL: 'mail', INBOX_PORT: '99999' });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(/PORT is "x"; .*\n.*INBOX_PORT is "99999"; .*\n.*SMTP_URL is not valid; /);
  });
});
