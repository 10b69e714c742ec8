/** What to do about a code, for the one who reads the log. */
const ADVICE: Readonly<Record<string, string>> = {
  mail_server_unavailable: 'the relay of SMTP_URL cannot be reached or does not answer: start it, or correct SMTP_URL',
  mail_server_busy: 'the relay limits our connections: it is asked again; lower MAIL_CONNECTIONS if this stays',
  mail_server_refuses_us: 'the relay turns this machine away at its greeting: ask its operator',
  mail_server_login_refused: 'the relay refuses our user or password: correct them in SMTP_URL',
  mail_server_tls_failed: 'no secure connection to the relay: check its certificate, and smtp: or smtps: in SMTP_URL',
  mail_settings_wrong: 'nodemailer refuses the settings: check SMTP_URL',
  sender_refused: 'the relay refuses the sender: use an address in MAIL_FROM that it allows this user',
  sender_not_authenticated: 'SPF, DKIM or DMARC of the sender’s domain failed: correct its DNS records',
  relaying_refused: 'the relay does not relay for us: let it know this machine, or give SMTP_URL a user',
  send_record_unavailable: 'the database of DATABASE_URL does not answer',
  queue_unavailable: 'the queue does not take the mail’s status',
  recipient_refused:
    'the recipient’s server knows no such mailbox: the traveller must correct the address, then ask again',
  recipient_invalid: 'the contact address is not one address; the API should have refused it',
  recipient_needs_smtputf8:
    'the address has letters beyond ASCII before the @, and this relay, or the one behind it, has no SMTPUTF8: use one that has, then redrive, or ask the traveller for another address',
  message_refused: 'the relay refuses the content of this mail: see its log for the reason, then redrive',
  message_too_large: 'the mail is larger than the relay takes: raise its limit, then redrive',
  message_not_composed: 'the mail could not be made from its event: this is a fault of the program',
  mailbox_full: 'the traveller’s mailbox is full: redrive when it is not',
  worker_died:
    'the worker’s process died each time that it had this event: look for why in the last lines of its log and in the system’s (memory?), mend that, then redrive',
  handler_timeout: 'the worker did not come to an end with this event: this is a fault of the program',
  invalid_payload:
    'the event is not one of this version: see the fields in the log, let both services be of one release',
  invalid_json: 'the event is no JSON: something else than the booking service writes to this queue',
  outcome_unknown:
    'the relay breaks connections after taking the message: look into its log for the Message-ID first, it may have arrived',
};

/** Advice for a code; undefined where waiting is all there is to do. */
export function operatorAdvice(code: string): string | undefined {
  return Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined;
}
