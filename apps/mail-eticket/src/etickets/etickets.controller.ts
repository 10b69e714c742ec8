import { Controller, UseFilters } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { EticketConfirmedEvent, QUEUES } from '@eticket/contracts';
import { eventValidationPipe, withLogContext } from '@eticket/service';
import { QueueContext, QueueExceptionFilter } from 'ackline/nest';
import { SendEticketService } from './send-eticket.service.js';

/** Events that an e-ticket mail follows. */
@Controller()
@UseFilters(QueueExceptionFilter)
export class EticketsController {
  constructor(private readonly sendEticket: SendEticketService) {}

  @EventPattern<string>(QUEUES.eticketConfirmed)
  confirmed(@Payload(eventValidationPipe()) event: EticketConfirmedEvent, @Ctx() context: QueueContext): Promise<void> {
    return withLogContext({ eventId: event.eventId, bookingId: event.booking.id }, () =>
      this.sendEticket.send(event, context.delivery),
    );
  }
}
