import { EticketMailStatusEvent, QUEUES } from '@eticket/contracts';
import { eventValidationPipe, withLogContext } from '@eticket/service';
import { Controller, UseFilters, UsePipes } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { RejectError, StopTheLineError } from 'ackline';
import { QueueExceptionFilter } from 'ackline/nest';
import { isDatabaseAway } from '../problems/database-away.js';
import { MailStatusRepository } from './mail-status.repository.js';

/** Hears from the mail workers where each e-ticket mail is. */
@Controller()
@UseFilters(QueueExceptionFilter)
@UsePipes(eventValidationPipe())
export class MailStatusController {
  constructor(private readonly statuses: MailStatusRepository) {}

  @EventPattern(QUEUES.eticketMailStatus)
  async note(@Payload() event: EticketMailStatusEvent): Promise<void> {
    const { eventId, bookingId } = event;
    const known = await withLogContext({ eventId, bookingId }, () => this.keep(event));
    if (!known) throw new RejectError('unknown_booking');
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
