import { QUEUES, type QueueName } from '@eticket/contracts';
import type { Logger } from '@eticket/service';
import { Inject, Injectable } from '@nestjs/common';
import type { OutgoingMessage } from 'ackline';
import { Outbox, type SqlExpression } from 'ackline/outbox';
import type { BookingTransaction } from '../database/booking-database.js';
import { LOGGER } from '../tokens.js';

/** Told of messages that a commit has published; does nothing where a relay publishes and counts them later. */
export abstract class CommittedEvents {
  abstract published(queue: QueueName): void;
}

/** Publishes a booking's events with the transaction that they tell of. */
@Injectable()
export class BookingEvents {
  constructor(
    private readonly outbox: Outbox,
    private readonly committed: CommittedEvents,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Stored with the transaction, or not at all. */
  async enqueue(tx: BookingTransaction, message: OutgoingMessage, queue: QueueName = QUEUES.eticketConfirmed) {
    await this.outbox.enqueue(tx, queue, message);
    this.log(message, queue);
  }

  /** As {@link enqueue}, as a part of the one statement that stores the booking: it is to be evaluated once. */
  async enqueueExpression(message: OutgoingMessage, firstParameter: number): Promise<SqlExpression> {
    const expression = await this.outbox.enqueueExpression(QUEUES.eticketConfirmed, message, firstParameter);
    this.log(message, QUEUES.eticketConfirmed);
    return expression;
  }

  /** To be called once the transaction has committed. */
  published(queue: QueueName = QUEUES.eticketConfirmed): void {
    this.committed.published(queue);
  }

  /** From a booking's id to the trace id, by which the mail worker logs what became of the event. */
  private log(message: OutgoingMessage, queue: QueueName): void {
    this.logger.info({ bookingId: message.key, eventId: message.id, queue }, 'event recorded with its booking');
  }
}
