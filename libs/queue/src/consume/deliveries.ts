import type { Clock } from '../clock.js';
import type { Handler } from '../delivery.js';
import { ClosedError, HandlerTimeoutError, LeaseLostError } from '../errors.js';
import type { QueueError } from '../errors.js';
import type { QueueObserver } from '../observer.js';
import type { GroupMember, Lease, Settlement, TakenMessage } from '../queue-driver.js';
import { backoffDelay } from './backoff.js';
import type { ResolvedConsumeOptions } from './consume-options.js';
import { DeliveryRun } from './delivery-run.js';
import type { DeliverySettler, Verdict } from './delivery-run.js';
import { boundedCode, failureOf } from './failure.js';
import { InFlight } from './in-flight.js';
import type { StoppedLine } from './stopped-line.js';

export interface DeliveriesSetting {
  readonly options: ResolvedConsumeOptions;
  readonly handler: Handler;
  readonly clock: Clock;
  readonly observe: QueueObserver;
  readonly line: StoppedLine;
  /** The store did not take a settlement or release: resolves when it is worth another try. */
  readonly unavailable: (during: 'settle' | 'release', attempt: number, error: unknown) => Promise<void>;
  /** A close's deadline has come: nothing is tried again. */
  readonly givesUp: () => boolean;
}

type Settling = ReturnType<GroupMember['settle']>;

const ACK: Settlement = { type: 'ack' };

/** Runs handlers, and ends each delivery once: by what its handler does, or by what happens to it. */
export class Deliveries implements DeliverySettler {
  readonly group: string;
  readonly inFlight: InFlight;
  readonly #queue: string;
  /** The newest promise of an ack, with all whose it is: a driver may give many the same. */
  #acking: { readonly promise: Settling; readonly runs: DeliveryRun[] } | undefined;

  constructor(private readonly setting: DeliveriesSetting) {
    const { options, clock } = setting;
    this.#queue = options.queue;
    this.group = options.group;
    const timeout = `the handler ran longer than ${options.handlerTimeoutMs} ms.`;
    this.inFlight = new InFlight(options, clock, (run) => this.#abandon(run, new HandlerTimeoutError(timeout)));
  }

  begin(member: GroupMember, taken: readonly TakenMessage[]): void {
    const startedAt = this.setting.clock.monotonic();
    for (const one of taken) {
      const run = new DeliveryRun(one, member, startedAt, this);
      this.inFlight.add(run);
      if (this.#isExhausted(one)) {
        this.#settleQuietly(run, { type: 'reject', errorCode: run.lastErrorCode ?? 'worker_died' });
      } else {
        this.#handle(run);
      }
    }
  }

  /** The close's deadline has come: what a handler still holds is given back, so that a shutdown counts against no message. */
  abandonAll(): void {
    const reason = new ClosedError('the consumer is closing and its deadline has come.');
    for (const run of this.inFlight.runs()) this.#abandon(run, reason);
  }

  leaseLost(lease: Lease, error = leaseIsLost()): void {
    const run = this.inFlight.byLease(lease.id);
    if (!run || run.leaseLost) return;
    run.leaseLost = error;
    this.setting.observe({ type: 'lease-lost', queue: this.#queue, group: this.group, messageId: run.message.id });
    this.#abandon(run, error);
  }

  /** Tries until the settlement is durable, the lease is lost, or a close's deadline has come. */
  async settle(run: DeliveryRun, verdict: Verdict): Promise<void> {
    run.isSettling = true;
    const settlement = this.#settlementOf(run, verdict);
    try {
      if (run.leaseLost) throw run.leaseLost;
      await this.#settleDurably(run, settlement, tried(run, settlement));
      this.#settled(run, settlement);
    } finally {
      this.inFlight.settlementEnds(run);
    }
  }

  /** Resolves with whether they are given back; those that cannot be run out by themselves once this worker leaves. */
  async release(member: GroupMember, leases: readonly Lease[]): Promise<boolean> {
    for (let attempt = 1; leases.length > 0 && !this.setting.givesUp(); attempt++) {
      try {
        await member.release(leases);
        return true;
      } catch (error) {
        await this.setting.unavailable('release', attempt, error);
      }
    }
    return false;
  }

  /** Counts used up without a settlement: only a death under a lease of its own is evidence against a message. */
  #isExhausted({ deliveryCount, previousEnd }: TakenMessage): boolean {
    return deliveryCount > this.setting.options.maxDeliveries && previousEnd !== 'crashed';
  }

  /** Whatever a handler does ends here. */
  #handle(run: DeliveryRun): void {
    const { observe, handler } = this.setting;
    const { deliveryCount, message } = run.taken;
    observe({ type: 'delivered', queue: this.#queue, group: this.group, messageId: message.id, deliveryCount });
    this.inFlight.handlerStarts(run);
    try {
      const handled = handler(run);
      if (handled === undefined) return this.#returned(run);
      Promise.resolve(handled).then(
        () => this.#returned(run),
        (thrown: unknown) => this.#threw(run, thrown),
      );
    } catch (thrown) {
      this.#threw(run, thrown);
    }
  }

  #returned(run: DeliveryRun): void {
    if (!run.isSettling && !run.leaseLost) this.#ack(run);
    this.inFlight.handlerEnds(run);
  }

  #threw(run: DeliveryRun, thrown: unknown): void {
    if (!run.isSettling && !run.leaseLost) {
      const failure = failureOf(thrown);
      if (failure.kind === 'stop-the-line') {
        this.#stopTheLine(run, failure.errorCode);
      } else {
        run.thrown = thrown;
        const { errorCode } = failure;
        this.#settleQuietly(
          run,
          failure.kind === 'reject'
            ? { type: 'reject', errorCode }
            : { type: 'nack', delayMs: failure.delayMs, errorCode },
        );
      }
    }
    this.inFlight.handlerEnds(run);
  }

  /** Nobody waits for its handler any more. What ran too long is nacked, what a close cut short is released. */
  #abandon(run: DeliveryRun, reason: QueueError): void {
    run.abandon(reason);
    if (!run.isSettling) {
      if (reason instanceof LeaseLostError) {
        this.inFlight.settlementEnds(run);
      } else if (reason instanceof ClosedError) {
        this.#endByRelease(run, 'worker_closed');
      } else {
        run.thrown = reason;
        this.#settleQuietly(run, { type: 'nack', delayMs: undefined, errorCode: reason.code });
      }
    }
    this.inFlight.handlerEnds(run);
  }

  /** `settle` for the usual end, without what only others need: most deliveries end here. */
  #ack(run: DeliveryRun): void {
    run.isSettling = true;
    const acking = tried(run, ACK);
    if (acking === this.#acking?.promise) return void this.#acking.runs.push(run);
    const runs = [run];
    this.#acking = { promise: acking, runs };
    const over = (): void => {
      if (this.#acking?.runs === runs) this.#acking = undefined;
    };
    acking.then(
      (lost) => {
        over();
        const now = this.setting.clock.monotonic();
        for (const each of runs) {
          if (lost?.has(each.taken.lease)) this.leaseLost(each.taken.lease);
          else this.#acked(each, now);
          this.inFlight.settlementEnds(each);
        }
      },
      () => {
        over();
        for (const each of runs) {
          this.#settleDurably(each, ACK, acking)
            .then(() => this.#settled(each, ACK), ignore)
            .finally(() => this.inFlight.settlementEnds(each));
        }
      },
    );
  }

  #settleQuietly(run: DeliveryRun, verdict: Verdict): void {
    this.settle(run, verdict).catch(ignore);
  }

  #settlementOf(run: DeliveryRun, verdict: Verdict): Settlement {
    if (verdict.type === 'ack') return ACK;
    const { maxDeliveries, backoff } = this.setting.options;
    const errorCode = boundedCode(verdict.errorCode);
    if (verdict.type === 'reject') {
      const reason = this.#isExhausted(run.taken) ? 'max_deliveries' : 'rejected';
      return { type: 'reject', reason, errorCode };
    }
    if (run.deliveryCount >= maxDeliveries) return { type: 'reject', reason: 'max_deliveries', errorCode };
    return { type: 'nack', delayMs: verdict.delayMs ?? backoffDelay(backoff, run.deliveryCount), errorCode };
  }

  async #settleDurably(run: DeliveryRun, settlement: Settlement, first: Settling): Promise<void> {
    let settling = first;
    for (let attempt = 1; ; attempt++) {
      try {
        const lost = await settling;
        if (lost?.has(run.taken.lease)) throw leaseIsLost();
        return;
      } catch (error) {
        if (error instanceof LeaseLostError) {
          this.leaseLost(run.taken.lease, error);
          throw error;
        }
        if (this.setting.givesUp())
          throw new ClosedError('the consumer closed before the settlement was durable.', { cause: error });
        await this.setting.unavailable('settle', attempt, error);
      }
      if (run.leaseLost) throw run.leaseLost;
      settling = tried(run, settlement);
    }
  }

  #acked(run: DeliveryRun, now: number): void {
    const { observe, line } = this.setting;
    const { message, startedAt } = run;
    const durationMs = now - startedAt;
    observe({ type: 'acked', queue: this.#queue, group: this.group, messageId: message.id, durationMs });
    if (line.resume(startedAt)) observe({ type: 'line-resumed', queue: this.#queue, group: this.group });
  }

  #settled(run: DeliveryRun, settlement: Settlement): void {
    const { observe, clock, line } = this.setting;
    if (settlement.type === 'ack') return this.#acked(run, clock.monotonic());
    const about = { queue: this.#queue, group: this.group, messageId: run.message.id };
    const { deliveryCount, thrown: error } = run;
    if (settlement.type === 'nack') {
      const { errorCode, delayMs } = settlement;
      observe({ type: 'nacked', ...about, deliveryCount, errorCode, delayMs, error });
    } else {
      const { errorCode, reason } = settlement;
      observe({ type: 'dead-lettered', ...about, deliveryCount, errorCode, reason, error });
    }
    if (line.resume(run.startedAt)) observe({ type: 'line-resumed', queue: this.#queue, group: this.group });
  }

  #stopTheLine(run: DeliveryRun, errorCode: string): void {
    const { observe, line } = this.setting;
    const probeInMs = line.stop(errorCode);
    const about = { queue: this.#queue, group: this.group, errorCode };
    if (probeInMs !== undefined) observe({ type: 'line-stopped', ...about, probeInMs });
    this.#endByRelease(run, errorCode);
  }

  #endByRelease(run: DeliveryRun, errorCode: string): void {
    run.isSettling = true;
    const about = { queue: this.#queue, group: this.group, messageId: run.message.id, errorCode };
    void this.release(run.member, [run.taken.lease]).then((released) => {
      if (released) this.setting.observe({ type: 'released', ...about });
      this.inFlight.settlementEnds(run);
    });
  }
}

/** A driver that throws rather than rejects must not take the engine along. */
function tried(run: DeliveryRun, settlement: Settlement): Settling {
  try {
    return run.member.settle(run.taken.lease, settlement);
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
}

function leaseIsLost(): LeaseLostError {
  return new LeaseLostError('the lease is lost: the message is another worker’s by now.');
}

function ignore(): void {
  // Its delivery is over all the same, and whoever waits for the settlement is told.
}
