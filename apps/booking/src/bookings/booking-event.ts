import {
  EticketCancelledEvent,
  EticketConfirmedEvent,
  isValid,
  QUEUES,
  type BookingSnapshot,
} from '@eticket/contracts';
import { jsonMessage, type OutgoingMessage } from 'ackline';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validateSync } from 'class-validator';
import { toWire, type Amount } from '../money/money.js';

export interface EventFacts {
  readonly eventId: string;
  readonly version: number;
  readonly occurredAt: Date;
  /** W3C trace context of the request, where it has one. */
  readonly traceparent: string | undefined;
}

/** The message that has the e-ticket mailed. @throws TypeError, see {@link checkedMessage}. */
export function confirmedMessage(booking: BookingSnapshot, facts: EventFacts): OutgoingMessage {
  const { eventId, version, occurredAt } = facts;
  const event = { eventId, type: QUEUES.eticketConfirmed, version, occurredAt: occurredAt.toISOString(), booking };
  return checkedMessage(EticketConfirmedEvent, event, facts);
}

/** The message that has the cancellation mailed. @throws TypeError, see {@link checkedMessage}. */
export function cancelledMessage(booking: BookingSnapshot, refund: Amount, facts: EventFacts): OutgoingMessage {
  const { eventId, version } = facts;
  const occurredAt = facts.occurredAt.toISOString();
  const event = { eventId, type: QUEUES.eticketCancelled, version, occurredAt, booking, refund: toWire(refund) };
  return checkedMessage(EticketCancelledEvent, event, facts);
}

/**
 * Checked by the class that its handler uses before it is stored: a wrong event is a fault of ours, to be seen here and
 * not as a dead letter.
 * @throws TypeError that names the bad fields, without their values.
 */
function checkedMessage<T extends { readonly type: string; readonly booking: BookingSnapshot }>(
  dto: ClassConstructor<object>,
  event: T,
  { eventId, version, traceparent }: EventFacts,
): OutgoingMessage {
  if (!isValid(dto, event)) throw new TypeError(`${event.type} would not be valid: ${badFields(dto, event)}`);
  return jsonMessage(event, {
    id: eventId,
    key: event.booking.id,
    headers: {
      'message-id': eventId,
      type: event.type,
      version: String(version),
      ...(traceparent !== undefined && { traceparent }),
    },
  });
}

/** Without their values. */
function badFields(dto: ClassConstructor<object>, event: object): string {
  const errors = validateSync(plainToInstance(dto, event), { whitelist: true, forbidNonWhitelisted: true });
  return JSON.stringify(errors, ['property', 'constraints', 'children']).slice(0, 2_000);
}
