import type { ServiceMetrics } from '@eticket/service';
import type { MailStore } from './mails/mail-store.js';
import type { SmtpRefusal } from './smtp/smtp-listener.js';

/** What an operator can read at `/metrics` beside the requests. */
export class InboxMetrics {
  readonly accepted: () => void;
  readonly refused: (reason: SmtpRefusal) => void;

  constructor(metrics: ServiceMetrics, store: MailStore) {
    const accepted = metrics.counter('inbox_mails_accepted_total', 'Mails taken by SMTP.');
    const refused = metrics.counter('inbox_mails_refused_total', 'Mails not taken, by reason.', ['reason']);
    metrics.gauge('inbox_mails_kept', 'Mails in the inbox.', [], (gauge) => gauge.set(store.size));
    this.accepted = () => accepted.inc();
    this.refused = (reason) => refused.inc({ reason });
  }
}
