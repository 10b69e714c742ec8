import { randomUUID } from 'node:crypto';
import { QUEUES, type MailStatus } from '@eticket/contracts';
import { eventually, testDatabase, type TestDatabase } from '@eticket/service/testing';
import { Ackline, jsonMessage } from 'ackline';
import { postgresDriver } from 'ackline/postgres';
import { freePort } from '../system/support/free-port.js';
import { NodeProcess } from '../system/support/node-process.js';

const UP = /"url":"(http:[^"]+)"/;
const READY_DEADLINE_MS = 60_000;

/** The booking service and the payment sandbox, a process each, with a database, and a hand that plays the mail worker. */
export class BookingSite {
  private constructor(
    readonly url: string,
    /** Of the payment sandbox. */
    readonly paymentUrl: string,
    private readonly processes: readonly NodeProcess[],
    readonly database: TestDatabase,
    private readonly ackline: Ackline,
  ) {}

  static async start(): Promise<BookingSite> {
    const database = await testDatabase();
    const { connectionString } = database;
    const paymentPort = await freePort();
    const paymentUrl = `http://127.0.0.1:${paymentPort}`;
    const booking = new NodeProcess('apps/booking/dist/main.js', [], {
      PORT: '0',
      DATABASE_URL: connectionString,
      PAYMENT_GATEWAY_URL: paymentUrl,
    });
    const [, url = ''] = await booking.says(UP);
    const sandbox = new NodeProcess('apps/payment-sandbox/dist/main.js', [], {
      PORT: String(paymentPort),
      DATABASE_URL: connectionString,
      MERCHANT_ORIGINS: url,
    });
    for (const one of [url, paymentUrl]) {
      const ready = () =>
        fetch(`${one}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually(ready, { deadlineMs: READY_DEADLINE_MS });
    }
    const ackline = new Ackline({ driver: postgresDriver({ connectionString }) });
    return new BookingSite(url, paymentUrl, [booking, sandbox], database, ackline);
  }

  /** What the services have logged. */
  get logs(): string {
    return this.processes.map(({ output }) => output).join('\n');
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
    await Promise.all(this.processes.map((one) => one.end('SIGTERM')));
    await this.database.drop();
  }
}
