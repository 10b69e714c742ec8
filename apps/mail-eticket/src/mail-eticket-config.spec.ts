import { readMailEticketConfig } from './mail-eticket-config.js';

const DATABASE_URL = 'postgres://user:password@127.0.0.1:5432/eticket';

describe('The settings of the mail worker', () => {
  it('need nothing but a database', () => {
    expect(readMailEticketConfig({ DATABASE_URL })).toMatchObject({
      host: '127.0.0.1',
      port: 3001,
      smtpUrl: 'smtp://127.0.0.1:1025',
      sender: { name: 'Meridian Travel', address: 'tickets@meridian.example' },
      concurrency: 10,
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
});
