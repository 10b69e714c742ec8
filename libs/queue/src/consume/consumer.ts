import type { Clock } from '../clock.js';
import type { Handler } from '../delivery.js';
import { BrokerUnavailableError } from '../errors.js';
import type { QueueObserver } from '../observer.js';
import type { GroupMember, QueueDriver } from '../queue-driver.js';
import { reconnectDelay } from './backoff.js';
import type { ResolvedConsumeOptions } from './consume-options.js';
import { Deliveries } from './deliveries.js';
import type { InFlight } from './in-flight.js';
import { StoppedLine } from './stopped-line.js';
import { endsWithin, pause } from './waiter.js';

/** How a consumer stands; `why` is for operators. */
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
  readonly #intake = new AbortController();
  readonly #hardStop = new AbortController();
  readonly #line: StoppedLine;
  readonly #deliveries: Deliveries;
  readonly #inFlight: InFlight;
  readonly #loop: Promise<void>;
  #member: GroupMember | undefined;
  #waitingFor: string | undefined = 'not started yet';
  #settlingLater: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(
    private readonly driver: QueueDriver,
    private readonly options: ResolvedConsumeOptions,
    handler: Handler,
    private readonly clock: Clock,
    private readonly observe: QueueObserver,
  ) {
    this.queue = options.queue;
    this.group = options.group;
    this.#line = new StoppedLine(clock, options.probe, () => this.#inFlight.wake());
    this.#deliveries = new Deliveries({
      options,
      handler,
      clock,
      observe,
      line: this.#line,
      unavailable: (during, attempt, error) => this.#settleLater(during, attempt, error),
      givesUp: () => this.#hardStop.signal.aborted,
    });
    this.#inFlight = this.#deliveries.inFlight;
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
        await this.#takeSome(this.#member ?? (await this.#join()));
        attempt = 1;
      } catch (error) {
        await this.#unavailable(this.#member ? 'take' : 'join', attempt++, error, this.#intake.signal);
      }
    }
  }

  async #join(): Promise<GroupMember> {
    const { queue, group, from, order, visibilityTimeoutMs } = this.options;
    const member = await this.driver.join({ queue, group, from, order, visibilityTimeoutMs });
    member.onLeaseLost((lease) => this.#deliveries.leaseLost(lease));
    this.#member = member;
    this.#waitingFor = undefined;
    return member;
  }

  async #takeSome(member: GroupMember): Promise<void> {
    const room = this.#inFlight.room(this.#line.allows(this.#inFlight.size));
    if (!room) return this.#inFlight.changed();
    const taken = await member.take(room, this.#intake.signal);
    // Not before: a try alone does not say that the store is back.
    this.#waitingFor = undefined;
    if (this.#intake.signal.aborted) {
      const leases = taken.map(({ lease }) => lease);
      return void (await this.#deliveries.release(member, leases));
    }
    this.#deliveries.begin(member, taken);
  }

  /** One pause, told once, for all that could not be settled: there may be many, and it is one store that is away. */
  #settleLater(during: 'settle' | 'release', attempt: number, error: unknown): Promise<void> {
    this.#settlingLater ??= this.#unavailable(during, attempt, error, this.#hardStop.signal).finally(() => {
      this.#settlingLater = undefined;
    });
    return this.#settlingLater;
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
    this.#inFlight.wake();
    const drained = this.#loop.then(() => this.#inFlight.emptied());
    if (!(await endsWithin(this.clock, deadlineMs * (1 - LEAVE_SHARE), drained))) {
      this.#deliveries.abandonAll();
      await endsWithin(this.clock, left() / 2, this.#inFlight.emptied());
    }
    this.#hardStop.abort();
    this.#inFlight.close();
    const member = this.#member;
    if (member) await endsWithin(this.clock, left(), member.leave(left()));
    this.#closed = true;
  }
}
