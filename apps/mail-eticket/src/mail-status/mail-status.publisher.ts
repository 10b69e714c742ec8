import { AsyncResource } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { EticketMailStatusEvent, QUEUES } from '@eticket/contracts';
import { traceIdOf } from '@eticket/service';
import { Ackline, jsonMessage } from 'ackline';
import type { OutgoingMessage } from 'ackline';
import { Gatherer } from '../gathering/gatherer.js';
import type { SendRecord } from '../send-record/send-record.schema.js';

/** Tells the booking where its mail stands. */
export class MailStatusPublisher {
  readonly #gatherer: Gatherer<OutgoingMessage, string>;

  constructor(ackline: Ackline) {
    // A batch is of many mails: it is traced and logged as nobody's, rather than as that of whoever came first.
    const publish = AsyncResource.bind((batch: readonly OutgoingMessage[]) =>
      ackline.publish(QUEUES.eticketMailStatus, batch),
    );
    this.#gatherer = new Gatherer((batch) => publish(batch));
  }

  /**
   * Publishes what the send record says now. Resolves when that is durable. The same record gives the same message under
   * the same id, so that a repeat after a crash adds nothing.
   */
  async publish(record: SendRecord, traceparent: string | undefined): Promise<void> {
    const message = statusOf(record);
    await this.#gatherer.add(
      jsonMessage(message, {
        id: `${record.eventId}.${record.revision}`,
        key: record.bookingId,
        headers: {
          type: message.type,
          version: String(message.version),
          ...(traceparent !== undefined && traceIdOf(traceparent) !== undefined ? { traceparent } : {}),
        },
      }),
    );
  }
}

/** The record in the words of the booking. */
export function statusOf(record: SendRecord): EticketMailStatusEvent {
  const common = {
    eventId: statusEventId(record),
    type: QUEUES.eticketMailStatus,
    version: record.version,
    occurredAt: record.updatedAt.toISOString(),
    bookingId: record.bookingId,
    revision: record.revision,
    ...(record.reason === undefined ? {} : { reason: record.reason }),
  };
  switch (record.state) {
    case 'sending':
      return { ...common, status: 'sending' };
    case 'sent':
      return {
        ...common,
        status: 'sent',
        messageId: record.messageId,
        ...(record.relayId === undefined ? {} : { relayId: record.relayId }),
        ...(record.sentAt ? { sentAt: record.sentAt.toISOString() } : {}),
      };
    case 'pending':
    case 'unknown':
      return {
        ...common,
        status: 'delayed',
        ...(record.nextTryAt ? { nextTryAt: record.nextTryAt.toISOString() } : {}),
      };
    case 'failed':
      return { ...common, status: 'failed' };
  }
}

/** A UUID (RFC 9562 version 8) made of what names the status, the same on every publishing of it. */
function statusEventId({ eventId, revision }: SendRecord): string {
  const hex = createHash('sha256').update(`${eventId}.${revision}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
