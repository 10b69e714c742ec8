import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMailEticketConfig } from './mail-eticket-config.js';

const DATABASE_URL = 'postgres://user:password@127.0.0.1:5432/eticket';

describe('The settings of the mail worker', () => {
  it('need nothing but a database', () => {
    expect(readMailEticketConfig({ DATABASE_URL })).toMatchObject({
      host: '127.0.0.1',
      port: 3001,
      smtpUrl: 'smtp://127.0.0.1:1025',
      sender: { name: 'Meridian Travel', address: 'tickets@meridian.example' },
      concurrency: 30,
      connections: 10,
      maxDeliveries: 20,
    });
  });

  it.each([
    ['Acme Travel <Tickets@Ota.Example>', { name: 'Acme Travel', address: 'Tickets@ota.example' }],
    ['"Acme, Inc." <tickets@ota.example>', { name: 'Acme, Inc.', address: 'tickets@ota.example' }],
    ['tickets@ota.example', { name: '', address: 'tickets@ota.example' }],
  ])('read the sender %s', (MAIL_FROM, sender) => {
    expect(readMailEticketConfig({ DATABASE_URL, MAIL_FROM }).sender).toEqual(sender);
  });

  it('that are wrong are named all at once, without their secrets', () => {
    const wrong = {
      PORT: '70000',
      DATABASE_URL: 'mysql://root:hunter2@db',
      SMTP_URL: 'http://relay',
      MAIL_FROM: 'a@x.test, b@x.test',
      MAIL_CONCURRENCY: '0',
      MAIL_SEND_DEADLINE_MS: 'soon',
    };
    let message = '';
    try {
      readMailEticketConfig(wrong);
    } catch (error) {
      message = (error as Error).message;
    }
    for (const name of Object.keys(wrong)) expect(message).toContain(name);
    expect(message).not.toContain('hunter2');
  });

  it('say what is missing', () => {
    expect(() => readMailEticketConfig({})).toThrow(/DATABASE_URL is not set/);
  });

  it('do not let the first redelivery come after the latest', () => {
    expect(() =>
      readMailEticketConfig({ DATABASE_URL, MAIL_REDELIVERY_BASE_MS: '5000', MAIL_REDELIVERY_MAX_MS: '1000' }),
    ).toThrow(/MAIL_REDELIVERY_BASE_MS is 5000; it must not be more than MAIL_REDELIVERY_MAX_MS, 1000/);
  });

  it('take the sender’s own address for non-delivery reports unless told otherwise', () => {
    expect(readMailEticketConfig({ DATABASE_URL }).envelopeSender).toBe('tickets@meridian.example');
    const MAIL_ENVELOPE_FROM = 'Bounces@Meridian.Example';
    expect(readMailEticketConfig({ DATABASE_URL, MAIL_ENVELOPE_FROM }).envelopeSender).toBe('Bounces@meridian.example');
    expect(() => readMailEticketConfig({ DATABASE_URL, MAIL_ENVELOPE_FROM: 'a@x.test, b@x.test' })).toThrow(
      /MAIL_ENVELOPE_FROM/,
    );
  });

  it('do not let mails wait for their turn until their deadline', () => {
    expect(readMailEticketConfig({ DATABASE_URL, MAIL_RATE_LIMIT: '5' })).toMatchObject({
      mailsPerSecond: 5,
      concurrency: 30,
    });
    // With fewer a second, fewer are taken at once.
    expect(readMailEticketConfig({ DATABASE_URL, MAIL_RATE_LIMIT: '1' })).toMatchObject({
      concurrency: 12,
      connections: 10,
    });
    expect(() => readMailEticketConfig({ DATABASE_URL, MAIL_RATE_LIMIT: '1', MAIL_CONCURRENCY: '100' })).toThrow(
      /MAIL_CONCURRENCY is 100; at a MAIL_RATE_LIMIT of 1 a second/,
    );
  });

  describe('of DKIM', () => {
    let folder: string;
    beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'dkim-'))));
    afterAll(() => rmSync(folder, { recursive: true }));
    const keyFile = (type: 'rsa' | 'ed25519'): string => {
      const { privateKey } =
        type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 1024 }) : generateKeyPairSync('ed25519');
      const file = join(folder, `${type}.pem`);
      writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      return file;
    };
    const env = (change: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
      DATABASE_URL,
      MAIL_DKIM_DOMAIN: 'meridian.example',
      MAIL_DKIM_SELECTOR: 'mail1',
      MAIL_DKIM_KEY_FILE: keyFile('rsa'),
      ...change,
    });

    it('are read together, the key from its file', () => {
      expect(readMailEticketConfig(env()).dkim).toMatchObject({ domain: 'meridian.example', selector: 'mail1' });
      expect(readMailEticketConfig({ DATABASE_URL }).dkim).toBeUndefined();
    });

    it.each([
      [{ MAIL_DKIM_SELECTOR: '' }, /belong together/],
      [{ MAIL_DKIM_DOMAIN: 'other.example' }, /must be the domain of MAIL_FROM, meridian.example/],
      [{ MAIL_DKIM_KEY_FILE: '/nowhere.pem' }, /must name a readable file/],
    ])('are refused where they are of no use: %j', (change, message) => {
      expect(() => readMailEticketConfig(env(change))).toThrow(message);
    });

    it('want an RSA key, which every mailbox can verify', () => {
      expect(() => readMailEticketConfig(env({ MAIL_DKIM_KEY_FILE: keyFile('ed25519') }))).toThrow(
        /must hold an RSA key/,
      );
    });
  });
});
