/** One queue with its publisher, its worker processes, and the tally of what became of its messages. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDriver } from './connection.mjs';
import { Tally } from './tally.mjs';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const BATCH = 50;
/** More would only measure how long a machine with too little time takes. */
const MOST_OPEN = 2_000;
/** Something is lost, or stands still, when nothing at all was settled for so long. */
const STANDSTILL_MS = 90_000;

export class Stage {
  tally = new Tally();
  workers = [];
  #stopped = false;
  #count = 0;

  /** @param setting `connection`, and over the defaults: `visibilityMs`, `handleMs`, `concurrency`, `maxDeliveries`, `detours`, `quiet` */
  constructor(setting) {
    this.setting = { visibilityMs: 6_000, handleMs: 10, concurrency: 20, maxDeliveries: 20, ...setting };
    this.queue = `fault-${randomUUID()}`;
    this.driver = openDriver(this.setting.connection, { partitions: setting.partitions });
  }

  /** Starts a worker process; `over` changes the setting for this one. */
  start(over = {}) {
    const { connection, detours, handleMs, quiet, ...rest } = { ...this.setting, ...over };
    const { concurrency, maxDeliveries, visibilityMs } = rest;
    const consume = { queue: this.queue, group: 'g', concurrency, maxDeliveries, visibilityTimeoutMs: visibilityMs };
    const argument = JSON.stringify({ connection, detours, consume, handleMs, quiet });
    const child = spawn(process.execPath, [WORKER, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
    const worker = new Worker(child, this.tally, this.workers.length + 1);
    this.workers.push(worker);
    return worker;
  }

  /** Publishes and counts. Tried again under the same ids until it is durable. */
  async publish(count, message = {}) {
    for (let left = count; left > 0; left -= BATCH) {
      const messages = Array.from({ length: Math.min(left, BATCH) }, () => this.#message(message));
      await this.store(messages);
    }
  }

  async store(messages) {
    for (let tries = 1; ; tries++) {
      try {
        await this.driver.publish(this.queue, messages);
        break;
      } catch (error) {
        if (this.#stopped || tries > 20 || !error.retryable) throw error;
        // What was there already is delivered once more, as the same message.
        for (const { id } of messages) this.tally.inFlight.add(id);
        await sleep(200);
      }
    }
    const now = performance.now();
    for (const { id } of messages) this.tally.stored(id, now);
  }

  /** Publishes at a steady rate until stopped; slower where the workers cannot follow. */
  load(perSecond) {
    let going = true;
    const started = performance.now();
    const run = async () => {
      for (let sent = 0; going; sent += BATCH) {
        while (going && this.tally.open.length > MOST_OPEN) await sleep(20);
        await this.publish(BATCH);
        const aheadMs = ((sent + BATCH) / perSecond) * 1000 - (performance.now() - started);
        if (aheadMs > 0) await sleep(aheadMs);
      }
    };
    const running = run();
    running.catch(() => undefined);
    return {
      stop: () => {
        going = false;
        return running;
      },
    };
  }

  async until(condition, what, deadlineMs = 90_000) {
    const end = performance.now() + deadlineMs;
    while (!(await condition())) {
      if (performance.now() > end) throw new Error(`did not come true within ${deadlineMs / 1000} s: ${what()}`);
      await sleep(20);
    }
  }

  /** All of these workers, or each worker there is, have handled so many more. */
  async busy(count = 30, workers = this.workers) {
    const goal = new Map(workers.map((worker) => [worker, worker.handled + count]));
    await this.until(
      () => workers.every((worker) => worker.handled >= goal.get(worker)),
      () => 'every worker handles messages',
    );
  }

  /** What came while the workers started is done; on a machine that is too slow for the load it goes on all the same. */
  async caughtUp() {
    await this.until(
      () => this.tally.open.length <= 2 * BATCH,
      () => 'the workers have caught up',
      20_000,
    ).catch(() => undefined);
  }

  /** Every message has its fate, for the program and for the queue. */
  async drained(waiting = 0) {
    let [settled, since] = [-1, 0];
    await this.until(
      () => {
        if (this.tally.settled.size > settled) [settled, since] = [this.tally.settled.size, performance.now()];
        if (performance.now() - since > STANDSTILL_MS) throw new Error(this.#notSettled());
        return this.tally.open.length === 0;
      },
      () => this.#notSettled(),
      1_800_000,
    );
    let left;
    await this.until(
      async () => {
        left = await this.driver.stats(this.queue, 'g').catch(() => undefined);
        return left && left.ready === 0 && left.inFlight === 0 && left.waiting === waiting;
      },
      () => `the queue still has ${JSON.stringify(left)}`,
    );
  }

  /** Remembers what is under way in these workers; what they had in flight may come again. */
  hit(workers = this.workers) {
    for (const worker of workers) for (const id of worker.open) this.tally.inFlight.add(id);
    return performance.now();
  }

  #notSettled() {
    return `${this.tally.open.length} of ${this.tally.published.size} are not settled, and nothing was for ${STANDSTILL_MS / 1_000} s`;
  }

  async close() {
    this.#stopped = true;
    await Promise.all(this.workers.map((worker) => worker.kill('SIGKILL')));
    await this.driver.close(3_000);
  }

  #message({ headers = {}, payload = PAYLOAD, key } = {}) {
    return { id: `m${this.#count++}`, key, payload, headers, delayMs: 0 };
  }
}

const PAYLOAD = new Uint8Array(200);

class Worker {
  /** Deliveries begun here whose settlement was not reported. */
  open = new Set();
  handled = 0;
  lastSaid = performance.now();

  constructor(child, tally, number) {
    this.child = child;
    // Not "exit": what it had printed is read first.
    this.ended = once(child, 'close');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, id, count] = line.split(' ');
      this.lastSaid = performance.now();
      if (what === 'C') this.handled = Number(id);
      else if (what === 'E') tally.errors.push(line.slice(2));
      else if (what === 'A') {
        this.open.delete(id);
        tally.settle(id);
      } else {
        this.handled++;
        this.open.add(id);
        tally.begun(id, number, Number(count));
      }
    });
  }

  get isRunning() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  signal(name) {
    this.child.kill(name);
  }

  async kill(name) {
    if (!this.isRunning) return;
    this.child.kill(name);
    await this.ended;
  }
}
