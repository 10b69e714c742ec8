import type { Clock } from '../clock.js';
import type { Handler } from '../delivery.js';
import { BrokerUnavailableError, ClosedError, HandlerTimeoutError, LeaseLostError } from '../errors.js';
import type { QueueError } from '../errors.js';
import type { QueueObserver } from '../observer.js';
import type { GroupMember, Lease, QueueDriver, Settlement, TakenMessage } from '../queue-driver.js';
import { backoffDelay, reconnectDelay } from './backoff.js';
import type { ResolvedConsumeOptions } from './consume-options.js';
import { DeliveryRun } from './delivery-run.js';
import type { Verdict } from './delivery-run.js';
import { boundedCode, failureOf } from './failure.js';
import { StoppedLine } from './stopped-line.js';
import { Waiter, endsWithin, pause } from './waiter.js';

export type ConsumerStatus =
  | { readonly state: 'starting' | 'waiting' | 'line-stopped'; readonly why: string }
  | { readonly state: 'consuming' | 'closing' | 'closed' };

/** A worker of a group, from `Ackline.consume` until `close`. */
export interface Consumer {
  readonly queue: string;
  readonly group: string;
  /** `consuming` only when messages would really come. */
  status(): ConsumerStatus;
  /**
   * Takes no more, lets running handlers end until `deadlineMs` (default 10 s), aborts and releases the rest, leaves the
   * group. Bounded also with the store gone; works twice (promise 10).
   */
  close(deadlineMs?: number): Promise<void>;
}

/** Between tries while the store is away. */
const RECONNECT = { baseMs: 200, maxMs: 10_000 };
/** Part of a close's deadline kept for settling what was aborted and leaving the group. */
const LEAVE_SHARE = 0.2;

/** The engine: one for all drivers. Every rule about deliveries is here or beside it. */
export class GroupConsumer implements Consumer {
  readonly queue: string;
  readonly group: string;
  readonly #running = new Set<DeliveryRun>();
  readonly #byLease = new Map<string, DeliveryRun>();
  /** What a handler threw, kept for the observer until its delivery is settled. */
  readonly #thrownBy = new WeakMap<DeliveryRun, unknown>();
  readonly #changed = new Waiter();
  readonly #intake = new AbortController();
  readonly #hardStop = new AbortController();
  readonly #line: StoppedLine;
  readonly #loop: Promise<void>;
  #bytes = 0;
  #member: GroupMember | undefined;
  #waitingFor: string | undefined = 'not started yet';
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(
    private readonly driver: QueueDriver,
    private readonly options: ResolvedConsumeOptions,
    private readonly handler: Handler,
    private readonly clock: Clock,
    private readonly observe: QueueObserver,
  ) {
    this.queue = options.queue;
    this.group = options.group;
    this.#line = new StoppedLine(clock, options.probe, () => this.#changed.wake());
    this.#loop = this.#run();
  }

  status(): ConsumerStatus {
    if (this.#closed) return { state: 'closed' };
    if (this.#closing) return { state: 'closing' };
    if (!this.#member) return { state: 'starting', why: this.#waitingFor ?? 'joining the group' };
    if (this.#waitingFor !== undefined) return { state: 'waiting', why: this.#waitingFor };
    if (this.#line.why !== undefined) return { state: 'line-stopped', why: this.#line.why };
    const member = this.#member.status();
    return member.consuming ? { state: 'consuming' } : { state: 'waiting', why: member.why };
  }

  close(deadlineMs = 10_000): Promise<void> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  async #run(): Promise<void> {
    for (let attempt = 1; !this.#intake.signal.aborted;) {
      try {
        const member = this.#member ?? (await this.#join());
        this.#waitingFor = undefined;
        await this.#takeSome(member);
        attempt = 1;
      } catch (error) {
        await this.#unavailable(this.#member ? 'take' : 'join', attempt++, error, this.#intake.signal);
      }
    }
  }

  async #join(): Promise<GroupMember> {
    const { queue, group, from, order, visibilityTimeoutMs } = this.options;
    const member = await this.driver.join({ queue, group, from, order, visibilityTimeoutMs });
    member.onLeaseLost((lease) => this.#onLeaseLost(lease));
    this.#member = member;
    return member;
  }

  async #takeSome(member: GroupMember): Promise<void> {
    const messages = Math.min(this.options.concurrency - this.#running.size, this.#line.allows(this.#running.size));
    const bytes = this.options.maxBytesInFlight - this.#bytes;
    if (messages <= 0 || (bytes <= 0 && this.#running.size > 0)) return this.#changed.wait();
    const taken = await member.take({ messages, bytes: Math.max(bytes, 1) }, this.#intake.signal);
    if (this.#intake.signal.aborted) return void (await this.#release(taken.map(({ lease }) => lease)));
    for (const one of taken) this.#begin(one);
  }

  #begin(taken: TakenMessage): void {
    const run = new DeliveryRun(taken, this.group, this.clock.monotonic(), (self, verdict) =>
      this.#settle(self, verdict),
    );
    this.#running.add(run);
    this.#byLease.set(taken.lease.id, run);
    this.#bytes += run.bytes;
    void this.#deliver(run).finally(() => {
      this.#running.delete(run);
      this.#byLease.delete(taken.lease.id);
      this.#bytes -= run.bytes;
      this.#changed.wake();
    });
  }

  /** Never rejects: whatever a handler does ends here. */
  async #deliver(run: DeliveryRun): Promise<void> {
    if (this.#isExhausted(run.taken)) {
      return this.#endQuietly(run, { type: 'reject', errorCode: run.lastErrorCode ?? 'worker_died' });
    }
    const { queue, group } = this;
    this.observe({ type: 'delivered', queue, group, messageId: run.message.id, deliveryCount: run.deliveryCount });
    const cancelTimeout = this.clock.schedule(this.options.handlerTimeoutMs, () =>
      run.abandon(new HandlerTimeoutError(`the handler ran longer than ${this.options.handlerTimeoutMs} ms.`)),
    );
    const handled = this.#handle(run);
    await Promise.race([handled, run.abandoned.then((reason) => this.#endAbandoned(run, reason))]);
    cancelTimeout();
    await run.settling?.catch(() => undefined);
  }

  /** Counts used up without a settlement: only a death under a lease of its own is evidence against a message. */
  #isExhausted({ deliveryCount, previousEnd }: TakenMessage): boolean {
    return deliveryCount > this.options.maxDeliveries && previousEnd !== 'crashed';
  }

  async #handle(run: DeliveryRun): Promise<void> {
    try {
      await this.handler(run);
    } catch (thrown) {
      if (run.settling || run.leaseLost) return;
      const failure = failureOf(thrown);
      if (failure.kind === 'stop-the-line') return this.#stopTheLine(run, failure.errorCode);
      const verdict: Verdict =
        failure.kind === 'reject'
          ? { type: 'reject', errorCode: failure.errorCode }
          : { type: 'nack', delayMs: failure.delayMs, errorCode: failure.errorCode };
      return this.#endQuietly(run, verdict, thrown);
    }
    if (!run.settling && !run.leaseLost) await this.#endQuietly(run, { type: 'ack' });
  }

  /** What ran too long is nacked; what a close cut short is released, so that a shutdown counts against no message. */
  async #endAbandoned(run: DeliveryRun, reason: QueueError): Promise<void> {
    if (run.settling || reason instanceof LeaseLostError) return;
    if (reason instanceof ClosedError) return this.#endByRelease(run, 'worker_closed');
    await this.#endQuietly(run, { type: 'nack', delayMs: undefined, errorCode: reason.code }, reason);
  }

  async #endQuietly(run: DeliveryRun, verdict: Verdict, thrown?: unknown): Promise<void> {
    if (thrown !== undefined) this.#thrownBy.set(run, thrown);
    await run.end(verdict).catch(() => undefined);
  }

  async #settle(run: DeliveryRun, verdict: Verdict): Promise<void> {
    const settlement = this.#settlementOf(run, verdict);
    await this.#settleDurably(run, settlement);
    this.#observeSettled(run, settlement);
    if (this.#line.resume(run.startedAt)) this.observe({ type: 'line-resumed', queue: this.queue, group: this.group });
  }

  #settlementOf(run: DeliveryRun, verdict: Verdict): Settlement {
    if (verdict.type === 'ack') return verdict;
    const errorCode = boundedCode(verdict.errorCode);
    if (verdict.type === 'reject') {
      const reason = this.#isExhausted(run.taken) ? 'max_deliveries' : 'rejected';
      return { type: 'reject', reason, errorCode };
    }
    if (run.deliveryCount >= this.options.maxDeliveries) return { type: 'reject', reason: 'max_deliveries', errorCode };
    const delayMs = verdict.delayMs ?? backoffDelay(this.options.backoff, run.deliveryCount);
    return { type: 'nack', delayMs, errorCode };
  }

  /** Tries until the settlement is durable, the lease is lost, or a close's deadline has come. */
  async #settleDurably(run: DeliveryRun, settlement: Settlement): Promise<void> {
    const member = this.#member!;
    for (let attempt = 1; ; attempt++) {
      if (run.leaseLost) throw run.leaseLost;
      try {
        return await member.settle(run.taken.lease, settlement);
      } catch (error) {
        if (error instanceof LeaseLostError) {
          this.#onLeaseLost(run.taken.lease, error);
          throw error;
        }
        if (this.#hardStop.signal.aborted)
          throw new ClosedError('the consumer closed before the settlement was durable.', { cause: error });
        await this.#unavailable('settle', attempt, error, this.#hardStop.signal);
      }
    }
  }

  #observeSettled(run: DeliveryRun, settlement: Settlement): void {
    const about = { queue: this.queue, group: this.group, messageId: run.message.id };
    const error = this.#thrownBy.get(run);
    const { deliveryCount } = run;
    if (settlement.type === 'ack') {
      this.observe({ type: 'acked', ...about, durationMs: this.clock.monotonic() - run.startedAt });
    } else if (settlement.type === 'nack') {
      const { errorCode, delayMs } = settlement;
      this.observe({ type: 'nacked', ...about, deliveryCount, errorCode, delayMs, error });
    } else {
      const { errorCode, reason } = settlement;
      this.observe({ type: 'dead-lettered', ...about, deliveryCount, errorCode, reason, error });
    }
  }

  async #stopTheLine(run: DeliveryRun, errorCode: string): Promise<void> {
    const probeInMs = this.#line.stop(errorCode);
    const about = { queue: this.queue, group: this.group, errorCode };
    if (probeInMs !== undefined) this.observe({ type: 'line-stopped', ...about, probeInMs });
    await this.#endByRelease(run, errorCode);
  }

  async #endByRelease(run: DeliveryRun, errorCode: string): Promise<void> {
    await run.endBy(async () => {
      if (!(await this.#release([run.taken.lease]))) return;
      this.observe({ type: 'released', queue: this.queue, group: this.group, messageId: run.message.id, errorCode });
    });
  }

  /** Resolves with whether they are given back; those that cannot be run out by themselves once this worker leaves. */
  async #release(leases: readonly Lease[]): Promise<boolean> {
    for (let attempt = 1; leases.length > 0 && !this.#hardStop.signal.aborted; attempt++) {
      try {
        await this.#member!.release(leases);
        return true;
      } catch (error) {
        await this.#unavailable('release', attempt, error, this.#hardStop.signal);
      }
    }
    return false;
  }

  #onLeaseLost(
    lease: Lease,
    error = new LeaseLostError('the lease is lost: the message is another worker’s by now.'),
  ): void {
    const run = this.#byLease.get(lease.id);
    if (!run || run.leaseLost) return;
    run.leaseLost = error;
    this.observe({ type: 'lease-lost', queue: this.queue, group: this.group, messageId: run.message.id });
    run.abandon(error);
  }

  async #unavailable(
    during: 'join' | 'take' | 'settle' | 'release',
    attempt: number,
    error: unknown,
    until: AbortSignal,
  ): Promise<void> {
    if (until.aborted) return;
    const retryInMs = reconnectDelay(RECONNECT, attempt);
    if (during === 'join' || during === 'take') {
      this.#waitingFor = error instanceof BrokerUnavailableError ? error.message : `${during} failed: ${String(error)}`;
    }
    this.observe({ type: 'unavailable', queue: this.queue, group: this.group, during, retryInMs, error });
    await pause(this.clock, retryInMs, until);
  }

  async #close(deadlineMs: number): Promise<void> {
    const startedAt = this.clock.monotonic();
    const left = (): number => Math.max(0, deadlineMs - (this.clock.monotonic() - startedAt));
    this.#line.close();
    this.#intake.abort();
    this.#changed.wake();
    const drained = this.#loop.then(() => this.#allEnded());
    if (!(await endsWithin(this.clock, deadlineMs * (1 - LEAVE_SHARE), drained))) {
      for (const run of this.#running)
        run.abandon(new ClosedError('the consumer is closing and its deadline has come.'));
      await endsWithin(this.clock, left() / 2, this.#allEnded());
    }
    this.#hardStop.abort();
    const member = this.#member;
    if (member) await endsWithin(this.clock, left(), member.leave(left()));
    this.#closed = true;
  }

  async #allEnded(): Promise<void> {
    while (this.#running.size > 0) await this.#changed.wait();
  }
}
