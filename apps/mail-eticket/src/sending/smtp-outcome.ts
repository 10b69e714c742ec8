/**
 * How far a sending had come when it ended. What the relay may have taken, and whose fault a failure is, follow from it:
 * `connecting` up to MAIL FROM, `envelope` until the first byte of the message, `message` while it is sent, `handed-over`
 * once its last byte was.
 */
export type SendStage = 'connecting' | 'envelope' | 'message' | 'handed-over';

/** First digit of the relay's last reply; `none` where it gave none. A metric's label. */
export type ReplyClass = '2xx' | '4xx' | '5xx' | 'none';

/**
 * What became of one sending.
 * - `deliver-again`: not sent, may work later; after `atMost` deliveries, where it is given, it is hopeless.
 * - `unknown`: the relay had the whole message and did not say whether it took it.
 * - `refused`: hopeless for this mail, whoever sends it and when.
 * - `stop-the-line`: ours to mend, the same for every mail.
 */
export type SendOutcome =
  | { readonly kind: 'sent'; readonly replyClass: ReplyClass; readonly relayId?: string }
  | { readonly kind: 'deliver-again'; readonly code: string; readonly replyClass: ReplyClass; readonly atMost?: number }
  | { readonly kind: 'unknown'; readonly code: string; readonly replyClass: ReplyClass; readonly atMost: number }
  | { readonly kind: 'refused'; readonly code: string; readonly replyClass: ReplyClass }
  | { readonly kind: 'stop-the-line'; readonly code: string; readonly replyClass: ReplyClass };

/** What nodemailer tells of a failure; all of it may be absent. */
export interface SmtpFailure {
  readonly code?: string | undefined;
  readonly originalCode?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  readonly command?: string | undefined;
}

/** A full mailbox may be emptied: about an hour by the default backoff. */
const MAILBOX_FULL_DELIVERIES = 7;
/** Each may have reached the traveller: three e-tickets are tiresome, and better than none. */
const UNKNOWN_DELIVERIES = 3;

/** Asked for a login, or refused the one given (RFC 4954 §6). */
const LOGIN_REPLIES = new Set([530, 534, 535, 538]);
const LOGIN_CODES = new Set(['EAUTH', 'ENOAUTH', 'EOAUTH2']);
const SETTINGS_CODES = new Set(['ECONFIG', 'EPROXY']);
const TLS_CODES = new Set(['ETLS', 'EREQUIRETLS']);
/** The message itself could not be read or names something it may not. */
const COMPOSING_CODES = new Set(['EFILEACCESS', 'EURLACCESS', 'EFETCH', 'ESTREAM', 'EMAXRECIPIENTS', 'EOTP']);
/** RFC 7372: DKIM, SPF, reverse DNS or several of them failed; the same for every mail of ours. */
const AUTHENTICATION_POLICY = /^5\.7\.2[0-6]$/;
/** RFC 6531 §3.5: the relay has SMTPUTF8 and cannot use it for this mail, which it may say as early as at MAIL FROM. */
const NEEDS_SMTPUTF8 = /^5\.6\.[79]$/;

/**
 * Reads a failure. nodemailer's own `permanent` is not used: it calls a refused password permanent, which would
 * dead-letter every e-ticket while a password is being changed.
 */
export function outcomeOfFailure(failure: SmtpFailure, stage: SendStage): SendOutcome {
  const replyClass = replyClassOf(failure.responseCode);
  const reply = failure.responseCode ?? 0;
  const stop = (code: string): SendOutcome => ({ kind: 'stop-the-line', code, replyClass });
  const refused = (code: string): SendOutcome => ({ kind: 'refused', code, replyClass });

  if (LOGIN_CODES.has(failure.code ?? '') || LOGIN_REPLIES.has(reply)) return stop('mail_server_login_refused');
  if (SETTINGS_CODES.has(failure.code ?? '')) return stop('mail_settings_wrong');
  if (TLS_CODES.has(failure.code ?? '') || /CERT|TLS|SSL/.test(failure.originalCode ?? '')) {
    return stop('mail_server_tls_failed');
  }
  if (COMPOSING_CODES.has(failure.code ?? '')) return refused('message_not_composed');
  if (failure.command === 'API' && failure.code === 'EENVELOPE') return refused('recipient_invalid');
  if (stage === 'connecting') return stop(connectingCode(replyClass));
  if (replyClass === 'none') return failureWithoutReply(failure, stage);
  return outcomeOfReply(failure, replyClass);
}

function connectingCode(replyClass: ReplyClass): string {
  if (replyClass === '4xx') return 'mail_server_busy';
  return replyClass === '5xx' ? 'mail_server_refuses_us' : 'mail_server_unavailable';
}

function failureWithoutReply(failure: SmtpFailure, stage: SendStage): SendOutcome {
  if (failure.code === 'EMESSAGE' && failure.command === 'MAIL FROM') {
    // The relay's announced SIZE, compared before anything was sent.
    return { kind: 'refused', code: 'message_too_large', replyClass: 'none' };
  }
  if (stage === 'handed-over') {
    return { kind: 'unknown', code: 'outcome_unknown', replyClass: 'none', atMost: UNKNOWN_DELIVERIES };
  }
  const timeout = failure.code === 'ETIMEDOUT' || failure.code === 'EABORT';
  return { kind: 'deliver-again', code: timeout ? 'mail_server_timeout' : 'mail_connection_lost', replyClass: 'none' };
}

function outcomeOfReply(failure: SmtpFailure, replyClass: ReplyClass): SendOutcome {
  const enhanced = enhancedCode(failure.response);
  const reply = failure.responseCode ?? 0;
  const stop = (code: string): SendOutcome => ({ kind: 'stop-the-line', code, replyClass });
  const refused = (code: string): SendOutcome => ({ kind: 'refused', code, replyClass });

  if (reply === 503) return { kind: 'deliver-again', code: 'mail_session_out_of_step', replyClass };
  if (replyClass === '4xx') {
    if (reply === 421 && enhanced.startsWith('4.7.')) return stop('mail_server_busy');
    // Postfix’s default for strangers, 454 4.7.1, lest a mistake of its own costs mails; greylisting is 4.7.1 too.
    if (isRelayingRefusal(enhanced, failure.response)) return stop('relaying_refused');
    return { kind: 'deliver-again', code: deferredCode(failure.command), replyClass };
  }
  if (enhanced === '5.3.4') return refused('message_too_large');
  if (AUTHENTICATION_POLICY.test(enhanced)) return stop('sender_not_authenticated');
  if (NEEDS_SMTPUTF8.test(enhanced)) return refused('recipient_needs_smtputf8');
  if (failure.command === 'MAIL FROM') return stop('sender_refused');
  if (isRelayingRefusal(enhanced, failure.response)) return stop('relaying_refused');
  if (reply === 552 || enhanced === '5.2.2') {
    return { kind: 'deliver-again', code: 'mailbox_full', replyClass, atMost: MAILBOX_FULL_DELIVERIES };
  }
  return refused(failure.command === 'RCPT TO' ? 'recipient_refused' : 'message_refused');
}

/** Without the addresses in the text, whose domain may be called so. */
function isRelayingRefusal(enhanced: string, response = ''): boolean {
  const words = response.replace(/<[^>]*>|\S+@\S+/g, '');
  return /^[45]\.7\./.test(enhanced) && /\brelay(ing)?\b/i.test(words);
}

function deferredCode(command: string | undefined): string {
  if (command === 'RCPT TO') return 'recipient_deferred';
  if (command === 'CONN') return 'mail_server_closing';
  return command === 'MAIL FROM' ? 'sender_deferred' : 'message_deferred';
}

/** RFC 3463, which nodemailer leaves in the text; empty where the relay gave none. */
function enhancedCode(response: string | undefined): string {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})/.exec(response ?? '')?.[1] ?? '';
}

/** Under which id the relay queued a mail, for looking it up in the relay's log; undefined where it does not say. */
export function relayIdOf(response: string | undefined): string | undefined {
  return /\bqueued as <?([\w.-]{1,64})/i.exec(response ?? '')?.[1];
}

function replyClassOf(responseCode: number | undefined): ReplyClass {
  if (responseCode === undefined) return 'none';
  if (responseCode >= 500) return '5xx';
  return responseCode >= 400 ? '4xx' : 'none';
}
