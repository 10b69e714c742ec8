import 'reflect-metadata';
import { CONSUMER_GROUPS, QUEUES } from '@eticket/contracts';
import type { EticketCancelledEvent, EticketConfirmedEvent } from '@eticket/contracts';
import { eventually } from '@eticket/service/testing';
import { Ackline, readJson, type DeadLetter } from 'ackline';
import { postgresDriver } from 'ackline/postgres';

/** The mail workers' queue as an operator sees it, with the library's own means. */
export class QueueView {
  private readonly ackline: Ackline;

  constructor(databaseUrl: string) {
    this.ackline = new Ackline({ driver: postgresDriver({ connectionString: databaseUrl }) });
  }

  /** E-tickets and cancellations that no worker has settled. */
  async unsettled(): Promise<number> {
    const stats = await Promise.all([this.stats(), this.stats(QUEUES.eticketCancelled)]);
    return stats.reduce((sum, { ready, waiting, inFlight }) => sum + ready + waiting + inFlight, 0);
  }

  /** Resolves when every e-ticket is settled: after that no mail is sent any more. */
  async settled(deadlineMs: number): Promise<void> {
    await eventually(
      async () => {
        const unsettled = await this.unsettled();
        if (unsettled > 0) throw new Error(`${unsettled} e-tickets are not settled`);
      },
      { deadlineMs, everyMs: 100 },
    );
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    const found: DeadLetter[] = [];
    const letters = this.ackline.deadLetters(QUEUES.eticketConfirmed, CONSUMER_GROUPS.mailEticket);
    for await (const letter of letters.list()) found.push(letter);
    return found;
  }

  /** All events that a mail follows, as they were published. */
  async mailEvents(count: number): Promise<readonly (EticketConfirmedEvent | EticketCancelledEvent)[]> {
    const events: (EticketConfirmedEvent | EticketCancelledEvent)[] = [];
    const tails = [QUEUES.eticketConfirmed, QUEUES.eticketCancelled].map((queue) =>
      this.ackline.tail({ queue, from: 'beginning' }, (message) => {
        events.push(readJson(message) as (typeof events)[number]);
      }),
    );
    await eventually(() => events.length >= count, { deadlineMs: 60_000 });
    await Promise.all(tails.map((tail) => tail.close()));
    return events;
  }

  close(): Promise<void> {
    return this.ackline.close();
  }

  private stats(queue: string = QUEUES.eticketConfirmed) {
    return this.ackline.stats(queue, CONSUMER_GROUPS.mailEticket);
  }
}
