import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { EticketMailStatusEvent } from '@eticket/contracts';
import { CONSUMER_GROUPS, QUEUES } from '@eticket/contracts';
import { createLogger } from '@eticket/service';
import type { RunningService } from '@eticket/service';
import { eventually, testDatabase } from '@eticket/service/testing';
import type { TestDatabase } from '@eticket/service/testing';
import { Ackline, jsonMessage, readJson } from 'ackline';
import type { DeadLetter } from 'ackline';
import { postgresDriver } from 'ackline/postgres';
import type { MailEticketConfig } from '../mail-eticket-config.js';
import type { EticketMailEvent } from '../receipt/mail-occasion.js';
import { startMailEticket } from '../start-mail-eticket.js';
import { TEST_SENDER } from './mail-bytes.js';
import { ScriptedRelay } from './scripted-relay.js';
import type { RelayScript } from './scripted-relay.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A database, a queue, a relay and workers, all of one test's own. */
export class WorkerLab {
  readonly logLines: string[] = [];
  readonly statuses: EticketMailStatusEvent[] = [];
  readonly #workers: RunningService[] = [];
  readonly #processes: ChildProcess[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly queue: Ackline,
    readonly relay: ScriptedRelay,
  ) {
    // A reader from the beginning sees what the booking would: every status, in the order of publishing.
    queue.tail({ queue: QUEUES.eticketMailStatus, from: 'beginning' }, (message) => {
      this.statuses.push(readJson(message) as EticketMailStatusEvent);
    });
  }

  static async open(script?: RelayScript): Promise<WorkerLab> {
    const database = await testDatabase();
    const queue = new Ackline({ driver: postgresDriver({ connectionString: database.connectionString }) });
    return new WorkerLab(database, queue, await new ScriptedRelay(script).start());
  }

  config(change: Partial<MailEticketConfig> = {}): MailEticketConfig {
    return {
      host: '127.0.0.1',
      port: 0,
      databaseUrl: this.database.connectionString,
      kafka: undefined,
      smtpUrl: this.relay.url,
      sender: TEST_SENDER,
      // Specs of the worker are about sending; the PDF would take most of their time.
      attachPdf: false,
      envelopeSender: TEST_SENDER.address,
      mailsPerSecond: undefined,
      dkim: undefined,
      concurrency: 4,
      connections: 4,
      sendDeadlineMs: 5_000,
      maxDeliveries: 20,
      redelivery: { baseMs: 20, maxMs: 100 },
      probe: { baseMs: 50, maxMs: 200 },
      stopDeadlineMs: 5_000,
      tracing: undefined,
      logLevel: 'debug',
      ...change,
    };
  }

  async startWorker(change: Partial<MailEticketConfig> = {}): Promise<RunningService> {
    const logger = createLogger({
      service: 'mail-eticket',
      level: 'debug',
      destination: { write: (line) => this.logLines.push(line) },
    });
    const worker = await startMailEticket(this.config(change), { logger });
    this.#workers.push(worker);
    return worker;
  }

  /** A worker as a process of its own, as built: one that can be killed. */
  startProcess(settings: Readonly<Record<string, string>> = {}): ChildProcess {
    const worker = spawn(process.execPath, [MAIN], {
      env: {
        ...Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name]])),
        DATABASE_URL: this.database.connectionString,
        SMTP_URL: this.relay.url,
        PORT: '0',
        MAIL_PDF: 'false',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    worker.stdout?.setEncoding('utf8').on('data', (text: string) => this.logLines.push(text));
    this.#processes.push(worker);
    return worker;
  }

  /** As if so much time had passed that workers, all dead, have lost what they held. */
  async forgetDeadWorkers(): Promise<void> {
    // What they asked of the database before they died may still be carried out.
    await eventually(async () => {
      const { rows } = await this.database.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
      );
      return rows.length === 0;
    });
    await this.database.pool.query(`UPDATE ackline.worker SET alive_until = now() - interval '1 second'`);
    await this.database.pool.query(
      `UPDATE mail_eticket.send_record SET claimed_until = now() - interval '1 second' WHERE state = 'sending'`,
    );
  }

  async publish(event: EticketMailEvent, id = event.eventId): Promise<void> {
    await this.queue.publish(event.type, jsonMessage(event, { id, key: event.booking.id }));
  }

  statusesOf(event: EticketMailEvent): readonly EticketMailStatusEvent[] {
    return this.statuses.filter(({ bookingId }) => bookingId === event.booking.id);
  }

  /** The newest status, as a booking that ignores older ones knows it. */
  newestStatus(event: EticketMailEvent): EticketMailStatusEvent | undefined {
    return [...this.statusesOf(event)].sort((a, b) => b.revision - a.revision)[0];
  }

  async untilStatus(
    event: EticketMailEvent,
    status: EticketMailStatusEvent['status'],
  ): Promise<EticketMailStatusEvent> {
    return eventually(
      () => {
        const newest = this.newestStatus(event);
        if (newest?.status === status) return newest;
        throw new Error(`the mail is ${newest?.status ?? 'not heard of'}, not ${status}`);
      },
      { deadlineMs: 20_000 },
    );
  }

  /** Resolves when no event waits or is in flight. */
  async untilDrained(): Promise<void> {
    await eventually(
      async () => {
        const { ready, waiting, inFlight } = await this.queue.stats(
          QUEUES.eticketConfirmed,
          CONSUMER_GROUPS.mailEticket,
        );
        if (ready + waiting + inFlight > 0)
          throw new Error(`ready ${ready}, waiting ${waiting}, in flight ${inFlight}`);
      },
      { deadlineMs: 20_000 },
    );
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    const letters: DeadLetter[] = [];
    for await (const letter of this.queue.deadLetters(QUEUES.eticketConfirmed, CONSUMER_GROUPS.mailEticket).list()) {
      letters.push(letter);
    }
    return letters;
  }

  async close(): Promise<void> {
    for (const worker of this.#processes) {
      if (worker.exitCode === null && worker.signalCode === null) {
        const ended = once(worker, 'exit');
        worker.kill('SIGKILL');
        await ended;
      }
    }
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.queue.close(2_000);
    await this.relay.stop();
    await this.database.drop();
  }
}
