import { eventually } from '@eticket/service/testing';
import { eticketEvent } from '../testing/eticket-fixtures.js';
import { TEST_MAIL } from '../testing/mail-bytes.js';
import { hasPostfix, PostfixRelay } from '../testing/postfix-relay.js';
import { composeMail } from './compose-mail.js';
import type { ComposedMail } from './compose-mail.js';
import type { SendOutcome } from './smtp-outcome.js';
import { SmtpTransport } from './smtp-transport.js';

(hasPostfix ? describe : describe.skip)('Debian’s postfix as the relay', () => {
  let relay: PostfixRelay;
  beforeAll(async () => {
    relay = await PostfixRelay.start();
  }, 120_000);
  afterAll(() => relay?.stop(), 60_000);

  const mailTo = (email: string): Promise<ComposedMail> =>
    composeMail(eticketEvent('names as people write them', { contact: { email, phone: '+34911234567' } }), TEST_MAIL);

  async function send(mail: ComposedMail, url = relay.url()): Promise<SendOutcome> {
    const transport = new SmtpTransport({ url, maxConnections: 1, sendDeadlineMs: 25_000 });
    try {
      return await transport.send(mail, new AbortController().signal);
    } finally {
      transport.close();
    }
  }

  it('takes a mail over TLS after a login, and its log knows the mail by the queue id of the outcome', async () => {
    const mail = await mailTo('anyone@elsewhere.test');
    const outcome = await send(mail);
    expect(outcome).toMatchObject({
      kind: 'sent',
      replyClass: '2xx',
      relayId: expect.stringMatching(/^\w{8,}$/) as string,
    });
    const { relayId = '' } = outcome as { readonly relayId?: string };
    const log = await eventually(async () => {
      const lines = (await relay.log()).split('\n').filter((line) => line.includes(`${relayId}: `));
      return lines.some((line) => line.includes('status=sent')) && lines.join('\n');
    });
    expect(log).toContain(`message-id=${mail.messageId}`);
    expect(log).toMatch(/sasl_method=\w+, sasl_username=eticket@relay\.test/);
    expect(log).toContain('to=<anyone@elsewhere.test>');
    expect(await relay.log()).toMatch(/Anonymous TLS connection established from .*: TLSv1\.[23]/);
  });

  it('knows its mailboxes, and refuses another: that mail alone is given up', async () => {
    expect(await send(await mailTo(relay.mailbox))).toMatchObject({ kind: 'sent' });
    expect(await send(await mailTo('nobody@known.test'))).toEqual({
      kind: 'refused',
      code: 'recipient_refused',
      replyClass: '5xx',
    });
  });

  it('refuses a wrong password: the line stops', async () => {
    expect(await send(await mailTo(relay.mailbox), relay.url('wrong'))).toEqual({
      kind: 'stop-the-line',
      code: 'mail_server_login_refused',
      replyClass: '5xx',
    });
  });

  it('relays for nobody without a login: the line stops', async () => {
    const url = relay.url().replace(/\/\/.*@/, '//');
    expect(await send(await mailTo('anyone@elsewhere.test'), url)).toEqual({
      kind: 'stop-the-line',
      code: 'relaying_refused',
      replyClass: '4xx',
    });
  });

  it('is not trusted where its certificate has to be', async () => {
    const url = relay.url().replace('&tls.rejectUnauthorized=false', '');
    expect(await send(await mailTo(relay.mailbox), url)).toEqual({
      kind: 'stop-the-line',
      code: 'mail_server_tls_failed',
      replyClass: 'none',
    });
  });

  it('takes an address beyond ASCII, which it offers to (SMTPUTF8)', async () => {
    expect(await send(await mailTo('lucía@bücher.example'))).toMatchObject({ kind: 'sent' });
  });
});
