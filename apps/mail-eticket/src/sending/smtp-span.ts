import type { SpanAttributes, WorkSpan } from '@eticket/service';
import type { SendOutcome, SendStage } from './smtp-outcome.js';

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** Where the relay is, without the log-in; by OpenTelemetry's general conventions, as it has none for SMTP. */
export function smtpSpanAttributes(smtpUrl: string): SpanAttributes {
  const { protocol, hostname, port } = new URL(smtpUrl);
  return {
    'network.protocol.name': 'smtp',
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? PORTS[protocol] : Number(port),
  };
}

/** How the transaction ended. Codes and the relay's queue id, by which the relay's own log goes on; nobody's address. */
export function describeOutcome(span: WorkSpan, outcome: SendOutcome, stage: SendStage): void {
  span.set({
    'eticket.mail.outcome': outcome.kind,
    'eticket.smtp.stage': stage,
    'eticket.smtp.reply_class': outcome.replyClass,
  });
  if (outcome.kind === 'sent') span.set({ 'eticket.smtp.queue_id': outcome.relayId });
  else span.fail(outcome.code);
}
