import { EticketConfirmedEvent, QUEUES, type BookingSnapshot } from '@eticket/contracts';
import { jsonMessage, type OutgoingMessage } from 'ackline';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

export interface EventFacts {
  readonly eventId: string;
  readonly version: number;
  readonly occurredAt: Date;
  /** W3C trace context of the request, where it has one. */
  readonly traceparent: string | undefined;
}

/**
 * The message that has the e-ticket mailed. Checked by the class that its handler uses before it is stored: a wrong
 * event is a fault of ours, to be seen here and not as a dead letter.
 * @throws TypeError that names the bad fields, without their values.
 */
export function confirmedMessage(booking: BookingSnapshot, facts: EventFacts): OutgoingMessage {
  const { eventId, version, occurredAt, traceparent } = facts;
  const event = { eventId, type: QUEUES.eticketConfirmed, version, occurredAt: occurredAt.toISOString(), booking };
  const errors = validateSync(plainToInstance(EticketConfirmedEvent, event), {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
  });
  if (errors.length > 0) {
    const fields = JSON.stringify(errors, ['property', 'constraints', 'children']).slice(0, 2_000);
    throw new TypeError(`eticket-confirmed would not be valid: ${fields}`);
  }
  return jsonMessage(event, {
    id: eventId,
    key: booking.id,
    headers: {
      'message-id': eventId,
      type: QUEUES.eticketConfirmed,
      version: String(version),
      ...(traceparent !== undefined && { traceparent }),
    },
  });
}
