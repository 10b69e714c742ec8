import type { Readable, Writable } from 'node:stream';
import { Ackline } from '../ackline.js';
import { driverFromEnvironment } from '../environment/driver-from-environment.js';
import { readQueueEnvironment } from '../environment/queue-environment.js';
import { BrokerUnavailableError } from '../errors.js';
import { CliFailure, EXIT } from './failure.js';
import { visible } from './message-view.js';

/** What a command sees of its process. */
export interface CliProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Aborts at Ctrl+C, or when nobody reads the output any more. */
  readonly signal: AbortSignal;
}

const ANSWER_DEADLINE_MS = 10_000;
const PROGRESS_EVERY_MS = 5_000;

/** One run of a command: its queue, its output. */
export class Session {
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
  #ackline: Ackline | undefined;
  #progressAt = performance.now();
  #progressShown = false;

  constructor(
    readonly process: CliProcess,
    /** One JSON document a line instead of tables and sentences. */
    readonly json: boolean,
  ) {
    this.signal = process.signal;
    this.env = process.env;
  }

  /** Connected. @throws CliFailure naming the setting when the store does not answer. */
  async ackline(): Promise<Ackline> {
    if (this.#ackline) return this.#ackline;
    const driver = await driverFromEnvironment(this.env, { clientId: 'ackline-cli' });
    this.#ackline = new Ackline({ driver });
    try {
      await this.#ackline.ping(ANSWER_DEADLINE_MS);
    } catch (error) {
      if (!(error instanceof BrokerUnavailableError)) throw error;
      throw new CliFailure(EXIT.failed, `${this.#whereItIs()}: ${visible(error.message)}`);
    }
    return this.#ackline;
  }

  /** @throws CliFailure when the queue, or the group, is not there: looking must not make it. */
  async existing(queue: string, group?: string): Promise<Ackline> {
    const ackline = await this.ackline();
    const queues = await ackline.queues();
    const found = queues.find((each) => each.queue === queue);
    if (!found)
      throw new CliFailure(
        EXIT.missing,
        notThere(
          'queue',
          queue,
          queues.map((each) => each.queue),
        ),
      );
    if (group !== undefined && !found.groups.includes(group)) {
      throw new CliFailure(EXIT.missing, notThere('group', group, found.groups));
    }
    return ackline;
  }

  /** A line of the result. */
  line(text: string): void {
    this.process.stdout.write(`${text}\n`);
  }

  row(value: unknown): void {
    this.line(JSON.stringify(value));
  }

  /** Rows as JSON lines, or as a table under the names of their columns. */
  table(
    columns: readonly string[],
    rows: readonly { readonly cells: readonly string[]; readonly json: unknown }[],
  ): void {
    if (this.json) {
      for (const { json } of rows) this.row(json);
      return;
    }
    const lines = [columns, ...rows.map(({ cells }) => cells.map(visible))];
    const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
    const isNumber = columns.map((_, column) => rows.every(({ cells }) => /^[\d,]+$/.test(cells[column] ?? '')));
    for (const line of lines) {
      const cells = line.map((cell, column) =>
        isNumber[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      );
      this.line(cells.join('  ').trimEnd());
    }
  }

  /** A sentence beside the result: on stderr, so that scripts do not meet it. */
  note(text: string): void {
    this.#endProgress();
    this.process.stderr.write(`${text}\n`);
  }

  /** On a terminal a line that is written over; elsewhere a line every few seconds. */
  progress(text: string): void {
    if (this.process.stderr.isTTY) {
      this.process.stderr.write(`\r\u001b[K${text}`);
      this.#progressShown = true;
    } else if (performance.now() - this.#progressAt >= PROGRESS_EVERY_MS) {
      this.#progressAt = performance.now();
      this.process.stderr.write(`${text}\n`);
    }
  }

  async close(): Promise<void> {
    this.#endProgress();
    await this.#ackline?.close(5_000);
  }

  #endProgress(): void {
    if (this.#progressShown) this.process.stderr.write('\n');
    this.#progressShown = false;
  }

  #whereItIs(): string {
    const { kafka, databaseUrl } = readQueueEnvironment(this.env);
    return kafka ? `KAFKA_BROKERS ${kafka.brokers.join(',')}` : `DATABASE_URL ${withoutPassword(databaseUrl!)}`;
  }
}

/** Scheme, host and database alone. */
function withoutPassword(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function notThere(what: string, name: string, there: readonly string[]): string {
  const some = there.slice(0, 10).join(', ') + (there.length > 10 ? ', …' : '');
  return `There is no ${what} ${JSON.stringify(name)}; ${there.length === 0 ? 'there is none yet' : `there are: ${some}`}.`;
}
