import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { QUEUES, type MailStatus } from '@eticket/contracts';
import { testDatabase, type TestDatabase } from '@eticket/service/testing';
import { Ackline, jsonMessage } from 'ackline';
import { postgresDriver } from 'ackline/postgres';

const PROGRAM = fileURLToPath(new URL('../../apps/booking/dist/main.js', import.meta.url));
const START_DEADLINE_MS = 45_000;

/** The booking service in a process of its own, with a database of its own, and a hand that plays the mail worker. */
export class BookingSite {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly database: TestDatabase,
    private readonly ackline: Ackline,
  ) {}

  static async start(): Promise<BookingSite> {
    const database = await testDatabase();
    const { connectionString } = database;
    const child = spawn(process.execPath, [PROGRAM], {
      env: { PATH: process.env.PATH ?? '', PORT: '0', DATABASE_URL: connectionString },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the booking service did not start')), START_DEADLINE_MS);
      child.once('exit', (code) => reject(new Error(`the booking service ended with ${code}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /"url":"(http:[^"]+)"/.exec(line)?.[1];
        if (found === undefined) return;
        clearTimeout(late);
        resolve(found);
      });
    });
    return new BookingSite(url, child, database, new Ackline({ driver: postgresDriver({ connectionString }) }));
  }

  /** As the worker tells it. */
  async tellMail(bookingId: string, status: MailStatus, version: number, more: object = {}): Promise<void> {
    const eventId = randomUUID();
    const facts = { eventId, type: QUEUES.eticketMailStatus, version, revision: 1, bookingId, status };
    const event = { ...facts, occurredAt: new Date().toISOString(), ...more };
    await this.ackline.publish(QUEUES.eticketMailStatus, jsonMessage(event, { id: eventId, key: bookingId }));
  }

  async stop(): Promise<void> {
    await this.ackline.close();
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await this.database.drop();
  }
}
