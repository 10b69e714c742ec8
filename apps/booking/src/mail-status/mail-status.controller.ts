import { EticketMailStatusEvent, QUEUES } from '@eticket/contracts';
import { eventValidationPipe, traceIdOf, withLogContext, type Logger } from '@eticket/service';
import { Controller, Inject, UseFilters, UsePipes } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { RejectError, StopTheLineError } from 'ackline';
import { QueueContext, QueueExceptionFilter } from 'ackline/nest';
import { isDatabaseAway } from '../problems/database-away.js';
import { LOGGER } from '../tokens.js';
import { MailStatusRepository } from './mail-status.repository.js';

/** Hears from the mail workers where each e-ticket mail is. */
@Controller()
@UseFilters(QueueExceptionFilter)
@UsePipes(eventValidationPipe())
export class MailStatusController {
  constructor(
    private readonly statuses: MailStatusRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @EventPattern<string>(QUEUES.eticketMailStatus)
  async note(@Payload() event: EticketMailStatusEvent, @Ctx() { delivery }: QueueContext): Promise<void> {
    const { eventId, bookingId, status, messageId, relayId, reason } = event;
    const traceId = traceIdOf(delivery.message.headers.traceparent);
    await withLogContext({ traceId, eventId, bookingId }, async () => {
      if (!(await this.keep(event))) throw new RejectError('unknown_booking');
      this.logger.info({ status, messageId, relayId, reason }, 'the mail’s status is heard');
    });
  }

  private async keep(event: EticketMailStatusEvent): Promise<boolean> {
    try {
      return await this.statuses.keepNewest(event);
    } catch (error) {
      if (isDatabaseAway(error)) throw new StopTheLineError('database_away', { cause: error });
      throw error;
    }
  }
}
