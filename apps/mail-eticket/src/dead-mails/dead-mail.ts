import { isUUID } from 'class-validator';
import type { DeadLetter } from 'ackline';
import { traceIdOf } from '@eticket/service';
import type { MailIdentity } from '../send-record/send-record.repository.js';
import { eticketMessageId } from '../sending/compose-mail.js';
import type { Sender } from '../sending/compose-mail.js';

/** A mail whose event is a dead letter. */
export interface DeadMail extends MailIdentity {
  /** Why, in the words of the queue. */
  readonly errorCode: string;
  readonly deadAt: Date;
  readonly traceparent: string | undefined;
}

/**
 * Which mail a dead letter stands for; undefined where it is no event of a booking. Reads what names the mail and nothing
 * else: the rest of the event may be what killed its worker.
 */
export function deadMail({ payload, headers, errorCode, deadAt }: DeadLetter, sender: Sender): DeadMail | undefined {
  const { eventId, version, booking } = objectIn(payload);
  const bookingId = booking !== null && typeof booking === 'object' && 'id' in booking ? booking.id : undefined;
  if (!isUUID(eventId) || !isUUID(bookingId) || !Number.isInteger(version)) return undefined;
  const named = { eventId: eventId as string, bookingId: bookingId as string, version: version as number };
  if (named.version < 1 || named.version > 1_000_000) return undefined;
  const messageId = eticketMessageId({ booking: { id: named.bookingId }, version: named.version }, sender);
  const { traceparent } = headers;
  return { ...named, messageId, errorCode, deadAt, traceparent, traceId: traceIdOf(traceparent) };
}

function objectIn(payload: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
