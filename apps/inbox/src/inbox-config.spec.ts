import { readInboxConfig } from './inbox-config.js';

describe('The inbox’s settings', () => {
  it('are MailHog’s ports on this machine alone, in memory, when nothing is set', () => {
    expect(readInboxConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8025,
      smtpPort: 1025,
      folder: undefined,
      maxMessages: 5_000,
      maxBytes: 268_435_456,
      maxMessageBytes: 26_214_400,
      corsOrigin: undefined,
      logLevel: 'info',
    });
  });

  it('are refused together, each by name', () => {
    const wrong = { PORT: 'x', SMTP_PORT: '70000', INBOX_MAX_MESSAGES: '0' };
    expect(() => readInboxConfig(wrong)).toThrow(/PORT[^]*SMTP_PORT[^]*INBOX_MAX_MESSAGES/);
  });

  it('are refused when one mail could be larger than the whole inbox', () => {
    const wrong = { INBOX_MAX_BYTES: '2000', INBOX_MAX_MESSAGE_BYTES: '3000' };
    expect(() => readInboxConfig(wrong)).toThrow(/INBOX_MAX_MESSAGE_BYTES is 3000; .*INBOX_MAX_BYTES/);
  });
});
