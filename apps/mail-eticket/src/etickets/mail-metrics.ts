import { ServiceMetrics } from '@eticket/service';
import type { SendOutcome } from '../sending/smtp-outcome.js';

/** Seconds. A relay answers within one; the deadline of a sending ends the scale. */
const SEND_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What became of mails, for Prometheus. */
export class MailMetrics {
  readonly #mails;
  readonly #seconds;

  constructor(metrics: ServiceMetrics) {
    this.#mails = metrics.counter(
      'mail_eticket_mails_total',
      'Deliveries of e-ticket events, by what came of the mail.',
      ['outcome', 'reply_class', 'code'],
    );
    this.#seconds = metrics.histogram(
      'mail_eticket_send_duration_seconds',
      'From asking for a connection to the relay’s last reply.',
      ['outcome'],
      SEND_BUCKETS,
    );
  }

  sendingEnded(outcome: SendOutcome, seconds: number): void {
    const code = outcome.kind === 'sent' ? '' : outcome.code;
    this.#mails.inc({ outcome: outcome.kind, reply_class: outcome.replyClass, code });
    this.#seconds.observe({ outcome: outcome.kind }, seconds);
  }

  /** The event of a mail that is sent already, being sent by another worker, or overtaken by a newer one. */
  notSent(why: 'already-sent' | 'claimed-by-another' | 'superseded'): void {
    this.#mails.inc({ outcome: why, reply_class: 'none', code: '' });
  }
}
