import 'reflect-metadata';
import { CONSUMER_GROUPS, QUEUES } from '@eticket/contracts';
import { eventually } from '@eticket/service/testing';
import { Ackline, type DeadLetter } from 'ackline';
import { postgresDriver } from 'ackline/postgres';

/** The mail workers' queue as an operator sees it, with the library's own means. */
export class QueueView {
  private readonly ackline: Ackline;

  constructor(databaseUrl: string) {
    this.ackline = new Ackline({ driver: postgresDriver({ connectionString: databaseUrl }) });
  }

  /** E-tickets that no worker has settled. */
  async unsettled(): Promise<number> {
    const { ready, waiting, inFlight } = await this.stats();
    return ready + waiting + inFlight;
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

  close(): Promise<void> {
    return this.ackline.close();
  }

  private stats() {
    return this.ackline.stats(QUEUES.eticketConfirmed, CONSUMER_GROUPS.mailEticket);
  }
}
