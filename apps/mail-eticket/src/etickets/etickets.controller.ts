import { Controller, UseFilters } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { EticketCancelledEvent, EticketConfirmedEvent, QUEUES } from '@eticket/contracts';
import { eventValidationPipe, traceIdOf, withLogContext } from '@eticket/service';
import { QueueContext, QueueExceptionFilter } from 'ackline/nest';
import type { EticketMailEvent } from '../receipt/mail-occasion.js';
import { SendEticketService } from './send-eticket.service.js';

/** Events that an e-ticket mail follows. */
@Controller()
@UseFilters(QueueExceptionFilter)
export class EticketsController {
  constructor(private readonly sendEticket: SendEticketService) {}

  @EventPattern<string>(QUEUES.eticketConfirmed)
  confirmed(@Payload(eventValidationPipe()) event: EticketConfirmedEvent, @Ctx() context: QueueContext): Promise<void> {
    return this.#send(event, context);
  }

  @EventPattern<string>(QUEUES.eticketCancelled)
  cancelled(@Payload(eventValidationPipe()) event: EticketCancelledEvent, @Ctx() context: QueueContext): Promise<void> {
    return this.#send(event, context);
  }

  #send(event: EticketMailEvent, { delivery }: QueueContext): Promise<void> {
    const traceId = traceIdOf(delivery.message.headers.traceparent);
    return withLogContext({ traceId, eventId: event.eventId, bookingId: event.booking.id }, () =>
      this.sendEticket.send(event, delivery),
    );
  }
}
