import { outcomeOfFailure } from './smtp-outcome.js';
import type { SendStage, SmtpFailure } from './smtp-outcome.js';

const reply = (code: string, command: string, response: string): SmtpFailure => ({
  code,
  command,
  response,
  responseCode: Number(response.slice(0, 3)),
});
const rcpt = (response: string) => reply('EENVELOPE', 'RCPT TO', response);
const mailFrom = (response: string) => reply('EENVELOPE', 'MAIL FROM', response);
const data = (response: string) => reply('EMESSAGE', 'DATA', response);
const connection = (code: string, originalCode?: string): SmtpFailure => ({ code, command: 'CONN', originalCode });

/** domain.md 5.5 and 5.6 as a table. */
const CASES: readonly (readonly [what: string, stage: SendStage, failure: SmtpFailure, kind: string, code: string])[] =
  [
    [
      'connection refused',
      'connecting',
      connection('ESOCKET', 'ECONNREFUSED'),
      'stop-the-line',
      'mail_server_unavailable',
    ],
    ['name not found', 'connecting', connection('EDNS', 'ENOTFOUND'), 'stop-the-line', 'mail_server_unavailable'],
    ['no greeting', 'connecting', connection('ETIMEDOUT'), 'stop-the-line', 'mail_server_unavailable'],
    ['dropped after accept', 'connecting', connection('ECONNECTION'), 'stop-the-line', 'mail_server_unavailable'],
    ['deadline before MAIL FROM', 'connecting', { code: 'EABORT' }, 'stop-the-line', 'mail_server_unavailable'],
    [
      '421 greeting',
      'connecting',
      reply('EPROTOCOL', 'CONN', '421 4.7.0 Too many connections'),
      'stop-the-line',
      'mail_server_busy',
    ],
    [
      '554 greeting',
      'connecting',
      reply('EPROTOCOL', 'CONN', '554 5.7.1 No service'),
      'stop-the-line',
      'mail_server_refuses_us',
    ],
    [
      'STARTTLS refused',
      'connecting',
      reply('ETLS', 'STARTTLS', '454 4.7.0 no'),
      'stop-the-line',
      'mail_server_tls_failed',
    ],
    [
      'self-signed certificate',
      'connecting',
      connection('ESOCKET', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
      'stop-the-line',
      'mail_server_tls_failed',
    ],
    [
      'wrong password',
      'connecting',
      reply('EAUTH', 'AUTH PLAIN', '535 5.7.8 Bad credentials'),
      'stop-the-line',
      'mail_server_login_refused',
    ],
    [
      'login wanted',
      'envelope',
      mailFrom('530 5.7.0 Authentication required'),
      'stop-the-line',
      'mail_server_login_refused',
    ],
    ['unknown option', 'connecting', { code: 'ECONFIG' }, 'stop-the-line', 'mail_settings_wrong'],

    ['sender refused', 'envelope', mailFrom('550 5.7.1 Sender not allowed'), 'stop-the-line', 'sender_refused'],
    ['sender refused without code', 'envelope', mailFrom('553 sorry'), 'stop-the-line', 'sender_refused'],
    ['sender deferred', 'envelope', mailFrom('451 4.3.0 later'), 'deliver-again', 'sender_deferred'],
    ['throttled', 'envelope', mailFrom('421 4.7.28 rate limit'), 'stop-the-line', 'mail_server_busy'],
    ['too large by SIZE', 'envelope', mailFrom('552 5.3.4 too big'), 'refused', 'message_too_large'],
    ['too large by EHLO', 'envelope', { code: 'EMESSAGE', command: 'MAIL FROM' }, 'refused', 'message_too_large'],

    ['no such mailbox', 'envelope', rcpt('550 5.1.1 User unknown'), 'refused', 'recipient_refused'],
    ['mailbox name not allowed', 'envelope', rcpt('553 5.1.3 Bad address'), 'refused', 'recipient_refused'],
    ['refused without code', 'envelope', rcpt('550 No'), 'refused', 'recipient_refused'],
    ['mailbox disabled', 'envelope', rcpt('550 5.2.1 disabled'), 'refused', 'recipient_refused'],
    ['recipient’s own policy', 'envelope', rcpt('550 5.7.1 Rejected by recipient'), 'refused', 'recipient_refused'],
    ['relay denied', 'envelope', rcpt('554 5.7.1 <x>: Relay access denied'), 'stop-the-line', 'relaying_refused'],
    ['relay put off', 'envelope', rcpt('454 4.7.1 <x>: Relay access denied'), 'stop-the-line', 'relaying_refused'],
    ['policy of a domain', 'envelope', rcpt('550 5.7.1 <x@relay.test>: no'), 'refused', 'recipient_refused'],
    ['SMTPUTF8 needed', 'envelope', rcpt('553 5.6.7 UTF8 required'), 'refused', 'recipient_needs_smtputf8'],
    ['SMTPUTF8 of no use', 'envelope', mailFrom('550 5.6.7 Not there'), 'refused', 'recipient_needs_smtputf8'],
    ['headers in UTF-8 of no use', 'handed-over', data('554 5.6.9 No'), 'refused', 'recipient_needs_smtputf8'],
    ['mailbox full', 'envelope', rcpt('552 5.2.2 full'), 'deliver-again', 'mailbox_full'],
    ['greylisted', 'envelope', rcpt('451 4.7.1 Try later'), 'deliver-again', 'recipient_deferred'],
    ['mailbox busy', 'envelope', rcpt('450 4.2.0 busy'), 'deliver-again', 'recipient_deferred'],
    [
      '421 to RCPT',
      'envelope',
      reply('ECONNECTION', 'CONN', '421 4.3.2 Shutting down'),
      'deliver-again',
      'mail_server_closing',
    ],
    ['bad sequence', 'envelope', rcpt('503 5.5.1 bad sequence'), 'deliver-again', 'mail_session_out_of_step'],
    ['no valid address', 'envelope', { code: 'EENVELOPE', command: 'API' }, 'refused', 'recipient_invalid'],
    ['broken before the message', 'envelope', connection('ECONNECTION'), 'deliver-again', 'mail_connection_lost'],
    ['silent after MAIL FROM', 'envelope', { code: 'EABORT' }, 'deliver-again', 'mail_server_timeout'],

    ['content refused', 'handed-over', data('554 5.6.0 refused'), 'refused', 'message_refused'],
    ['content policy', 'handed-over', data('550 5.7.1 looks like spam'), 'refused', 'message_refused'],
    [
      'SPF and DKIM failed',
      'handed-over',
      data('550 5.7.26 unauthenticated'),
      'stop-the-line',
      'sender_not_authenticated',
    ],
    ['no space', 'handed-over', data('452 4.3.1 later'), 'deliver-again', 'message_deferred'],
    ['storage exceeded', 'handed-over', data('552 storage exceeded'), 'deliver-again', 'mailbox_full'],
    ['421 after the message', 'handed-over', data('421 4.3.2 bye'), 'deliver-again', 'message_deferred'],
    ['broken within the message', 'message', connection('ECONNECTION'), 'deliver-again', 'mail_connection_lost'],
    ['deadline within the message', 'message', { code: 'EABORT' }, 'deliver-again', 'mail_server_timeout'],
    ['broken after the final dot', 'handed-over', connection('ECONNECTION'), 'unknown', 'outcome_unknown'],
    ['silent after the final dot', 'handed-over', connection('ETIMEDOUT'), 'unknown', 'outcome_unknown'],
    ['pool closed', 'envelope', {}, 'deliver-again', 'mail_connection_lost'],
    ['file named as content', 'connecting', { code: 'EFILEACCESS' }, 'refused', 'message_not_composed'],
  ];

describe('A failed sending', () => {
  it.each(CASES)('(%s, %s) is judged', (_what, stage, failure, kind, code) => {
    expect(outcomeOfFailure(failure, stage)).toMatchObject({ kind, code });
  });

  it.each([
    [rcpt('451 later'), '4xx'],
    [rcpt('550 no'), '5xx'],
    [connection('ESOCKET'), 'none'],
  ])('carries the class of the relay’s reply', (failure, replyClass) => {
    expect(outcomeOfFailure(failure, 'envelope')).toMatchObject({ replyClass });
  });

  it('of a full mailbox or unknown outcome is bounded', () => {
    expect(outcomeOfFailure(rcpt('552 5.2.2 full'), 'envelope')).toMatchObject({ atMost: 7 });
    expect(outcomeOfFailure(connection('ECONNECTION'), 'handed-over')).toMatchObject({ atMost: 3 });
  });

  it('never repeats the relay’s words, which hold the address', () => {
    const outcome = outcomeOfFailure(rcpt('550 5.1.1 <zoe@example.ie>: unknown'), 'envelope');
    expect(JSON.stringify(outcome)).not.toContain('zoe');
  });
});
