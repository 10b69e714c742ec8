import { setTimeout as pause } from 'node:timers/promises';
import { traceIdOf } from '@eticket/service';
import type { Logger, ServiceTracing } from '@eticket/service';
import { RedeliverError, StopTheLineError } from 'ackline';
import type { Delivery } from 'ackline';
import { trouble } from '../log-trouble.js';
import { MailStatusPublisher } from '../mail-status/mail-status.publisher.js';
import type { EticketMailEvent } from '../receipt/mail-occasion.js';
import { SendRecordRepository } from '../send-record/send-record.repository.js';
import type { Ending, SendClaim } from '../send-record/send-record.repository.js';
import type { SendRecord } from '../send-record/send-record.schema.js';
import { composeMail, eticketMessageId } from '../sending/compose-mail.js';
import type { ComposedMail, MailSettings } from '../sending/compose-mail.js';
import { RecipientError } from '../sending/recipient.js';
import { SmtpTransport } from '../sending/smtp-transport.js';
import type { SendOutcome } from '../sending/smtp-outcome.js';
import { deliveryVerdict } from './delivery-verdict.js';
import { MailMetrics } from './mail-metrics.js';
import { operatorAdvice } from './operator-advice.js';
import { redeliveryDelay } from './redelivery-delay.js';
import type { RedeliverySettings } from './redelivery-delay.js';

export interface SendEticketSettings {
  readonly mail: MailSettings;
  /** How long a worker may hold a mail: longer than the deadline of a sending. */
  readonly claimMs: number;
  readonly maxDeliveries: number;
  readonly redelivery: RedeliverySettings;
}

/** The parts that sending an e-ticket is made of. */
export interface SendEticketParts {
  readonly records: SendRecordRepository;
  readonly transport: SmtpTransport;
  readonly statuses: MailStatusPublisher;
  readonly metrics: MailMetrics;
  readonly logger: Logger;
  readonly tracing: ServiceTracing;
}

/** Between the relay's 250 and the record lies the only second mail: the record is tried this long. */
const RECORD_SENT_FOR_MS = 60_000;
/** Any other ending is not worth more: the next delivery finds it out again. */
const RECORD_OTHERS_FOR_MS = 3_000;
/** A sending ends this long before its claim does, whatever was slow before it began. */
const CLAIM_GUARD_MS = 2_500;
/** Asked again a little after the other worker's claim ran out. */
const AFTER_CLAIM_MS = 250;

/** Sends the mail of one event, as near to exactly once as SMTP allows. */
export class SendEticketService {
  readonly #running = new Set<Promise<void>>();

  constructor(
    private readonly parts: SendEticketParts,
    private readonly settings: SendEticketSettings,
  ) {}

  /**
   * Resolves when the mail is sent, now or before, and its status published. @throws what the queue should do instead:
   * RedeliverError, RejectError or StopTheLineError, the status published first.
   */
  send(event: EticketMailEvent, delivery: Delivery): Promise<void> {
    const run = this.#send(event, delivery);
    const ended = run.catch(() => undefined).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
    return run;
  }

  /** Resolves when no sending runs, also none that the queue has stopped waiting for. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #send(event: EticketMailEvent, delivery: Delivery): Promise<void> {
    const { eventId, version, booking } = event;
    const messageId = eticketMessageId(event, this.settings.mail.sender);
    const traceId = traceIdOf(delivery.message.headers.traceparent);
    const sendUntil = performance.now() + this.settings.claimMs - CLAIM_GUARD_MS;
    const asked = await ours('send_record_unavailable', () =>
      this.parts.records.claim({ eventId, bookingId: booking.id, version, messageId, traceId }, this.settings.claimMs),
    );
    if (asked.type === 'claimed') {
      return asked.claim.superseded
        ? this.#dropSuperseded(asked.claim, delivery)
        : this.#sendClaimed(event, asked.claim, delivery, sendUntil);
    }

    this.parts.metrics.notSent(asked.type);
    this.parts.logger.info({ revision: asked.record.revision, why: asked.type }, 'no mail is sent twice');
    await this.#announce(asked.record, delivery);
    if (asked.type === 'claimed-by-another') {
      throw new RedeliverError('claimed_by_another', asked.remainingMs + AFTER_CLAIM_MS);
    }
  }

  /** An e-ticket that comes after word of the cancellation, or after its own newer version, only misleads. */
  async #dropSuperseded(claim: SendClaim, delivery: Delivery): Promise<void> {
    const record = await this.#record(claim, { state: 'failed', reason: 'superseded' });
    if (!record) throw new RedeliverError('claim_lost', AFTER_CLAIM_MS);
    this.parts.metrics.notSent('superseded');
    this.parts.logger.info(
      { revision: record.revision, why: 'superseded' },
      'a newer mail of the booking is sent already',
    );
    await this.#announce(record, delivery);
  }

  async #sendClaimed(event: EticketMailEvent, claim: SendClaim, delivery: Delivery, sendUntil: number): Promise<void> {
    // On its way while the mail is made. Should it fail, the word that follows it fails too, or is all that matters.
    this.#announce(claim.record, delivery).catch(() => undefined);
    const claimEnds = AbortSignal.timeout(Math.max(0, Math.round(sendUntil - performance.now())));
    const outcome = await this.#sendMail(event, AbortSignal.any([delivery.signal, claimEnds]));
    const { deliveryCount } = delivery;
    const { maxDeliveries, redelivery } = this.settings;
    const verdict = deliveryVerdict(outcome, {
      deliveryCount,
      maxDeliveries,
      unknownOutcomes: claim.record.unknownOutcomes,
      interrupted: delivery.signal.aborted,
      nextTryInMs: redeliveryDelay(redelivery, deliveryCount),
    });
    const record = await this.#record(claim, verdict.ending);
    if (!record) {
      this.parts.logger.warn({ outcome: outcome.kind }, 'another worker took the mail over: it may be sent twice');
      throw new RedeliverError('claim_lost', AFTER_CLAIM_MS);
    }
    this.#log(outcome, record, deliveryCount);
    if (verdict.announce) await this.#announce(record, delivery);
    if (verdict.error) throw verdict.error;
  }

  /** Composes and sends. Whatever fails on the way is an outcome. */
  async #sendMail(event: EticketMailEvent, signal: AbortSignal): Promise<SendOutcome> {
    const startedAt = performance.now();
    const outcome = await this.#outcomeOf(event, signal);
    this.parts.metrics.sendingEnded(outcome, (performance.now() - startedAt) / 1_000);
    return outcome;
  }

  async #outcomeOf(event: EticketMailEvent, signal: AbortSignal): Promise<SendOutcome> {
    let mail: ComposedMail;
    try {
      mail = await this.parts.tracing.run('compose e-ticket', 'internal', {}, () =>
        composeMail(event, this.settings.mail),
      );
    } catch (err) {
      if (err instanceof RecipientError) return { kind: 'refused', code: err.code, replyClass: 'none' };
      this.parts.logger.error({ err }, 'an e-ticket could not be composed');
      return { kind: 'refused', code: 'message_not_composed', replyClass: 'none' };
    }
    return this.parts.transport.send(mail, signal);
  }

  #announce(record: SendRecord, delivery: Delivery): Promise<void> {
    const traceparent = nearestOf(delivery.message.headers.traceparent, this.parts.tracing.traceparent());
    return ours('queue_unavailable', () => this.parts.statuses.publish(record, traceparent));
  }

  /** A mail that the relay took is written down at almost any price. */
  async #record(claim: SendClaim, ending: Ending): Promise<SendRecord | undefined> {
    const until = performance.now() + (ending.state === 'sent' ? RECORD_SENT_FOR_MS : RECORD_OTHERS_FOR_MS);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.parts.records.finish(claim, ending);
      } catch (err) {
        if (performance.now() >= until) throw new StopTheLineError('send_record_unavailable', { cause: err });
        this.parts.logger.warn({ ...trouble(err), attempt }, 'how a sending ended could not be recorded yet');
        await pause(Math.min(100 * 2 ** attempt, 2_000));
      }
    }
  }

  #log(outcome: SendOutcome, record: SendRecord, deliveryCount: number): void {
    const { messageId, attempts, possiblySentTwice, nextTryAt } = record;
    if (outcome.kind === 'sent') {
      const { relayId } = outcome;
      this.parts.logger.info({ messageId, relayId, deliveryCount, attempts, possiblySentTwice }, 'e-ticket sent');
      return;
    }
    const line = { code: outcome.code, replyClass: outcome.replyClass, messageId, deliveryCount, nextTryAt };
    if (record.state === 'failed') {
      this.parts.logger.warn({ ...line, advice: operatorAdvice(outcome.code) }, 'e-ticket given up');
    } else {
      this.parts.logger.info(line, 'e-ticket delayed');
    }
  }
}

/**
 * What a status names as its cause: this delivery, as long as it is in the trace of the event. A redelivery is in a trace of
 * its own, and its status goes back into the one that the booking began, where everyone looks for it.
 */
function nearestOf(event: string | undefined, delivery: string | undefined): string | undefined {
  const traceId = traceIdOf(event);
  return delivery !== undefined && (traceId === undefined || traceId === traceIdOf(delivery)) ? delivery : event;
}

/** What fails in `work` is for us to mend and the same for every message: it stops the line and counts no delivery. */
async function ours<T>(code: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new StopTheLineError(code, { cause });
  }
}
