import type { TakeLimit } from '../../../queue-driver.js';
import type { BrokerClock } from './broker-clock.js';
import { DeliveryRate } from './delivery-rate.js';
import type { Held } from './held.js';
import type { LeasedRun } from './leased-run.js';
import type { PartitionSession } from './partition-session.js';

export interface LeaseAheadSetting {
  readonly clock: BrokerClock;
  readonly sessions: () => Iterable<PartitionSession>;
  readonly mayLease: () => boolean;
  /** `now` where somebody will soon wait for it. */
  readonly onLeasing: (now: boolean) => void;
  readonly onRoom: () => void;
}

const TAKE_WAIT_MS = 1_000;
/** Lease ahead what is handled within this, or within two round trips, whichever is longer. */
const AHEAD_MS = 20;
const AHEAD_MOST = 16;
const READY_BYTES = 16 * 1024 * 1024;

/**
 * What is leased and not given yet, and how much of it there should be: what is asked for now, and at high rates what
 * will be asked for until the next lease could be durable.
 */
export class LeaseAhead {
  #ready: LeasedRun[] = [];
  #readyCount = 0;
  #readyBytes = 0;
  readonly #waiting = new Set<() => void>();
  #demand = 0;
  /** Most that was asked for at once: the engine's concurrency, as far as it shows. */
  #concurrency = 1;
  readonly #rate = new DeliveryRate();
  #dueTimer: NodeJS.Timeout | undefined;
  #pumping = false;
  #turn = 0;
  #closed = false;

  constructor(private readonly setting: LeaseAheadSetting) {}

  get isAsked(): boolean {
    return this.#waiting.size > 0;
  }

  /** Nobody waits for a lease, nor will before the next write: what is to be written may wait for company. */
  get isAhead(): boolean {
    return this.#readyCount > 0 && this.#readyCount >= this.#demand;
  }

  get hasReady(): boolean {
    return this.#readyCount > 0;
  }

  async take(limit: TakeLimit, signals: readonly AbortSignal[]): Promise<readonly Held[]> {
    this.#concurrency = Math.max(this.#concurrency, limit.messages);
    const deadline = performance.now() + TAKE_WAIT_MS;
    this.#demand += limit.messages;
    try {
      for (;;) {
        if (!this.isAhead) this.pump();
        // A worker that was away must not start what another may have been given since.
        const held = this.#closed || !this.setting.mayLease() ? [] : this.#give(limit);
        const leftMs = deadline - performance.now();
        if (held.length > 0 || this.#closed || leftMs <= 0 || signals.some(({ aborted }) => aborted)) return held;
        await this.#wait(leftMs, signals);
      }
    } finally {
      this.#demand -= limit.messages;
      this.pump();
    }
  }

  leased(runs: readonly LeasedRun[]): void {
    for (const run of runs) {
      this.#ready.push(run);
      this.#readyCount += run.messages.length;
      this.#readyBytes += run.messages.weight;
    }
    if (runs.length > 0) this.#wakeTakers();
  }

  /** What waits to be given, and is no longer this worker's to give. */
  takeBack(session: PartitionSession): void {
    const others = this.#ready.filter((run) => run.session !== session);
    this.#ready = [];
    this.#readyCount = this.#readyBytes = 0;
    this.leased(others);
  }

  /** Looks again soon: something may be leased that could not be before. */
  progress(): void {
    if (this.#pumping || this.#closed) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      this.pump();
      this.setting.onRoom();
    });
  }

  pump(): void {
    if (this.#closed || !this.setting.mayLease()) return;
    const sessions = [...this.setting.sessions()].filter(({ claimed }) => claimed);
    const leasing = sessions.reduce((sum, session) => sum + session.leasing, 0);
    const target = this.#target();
    let missing = target - this.#readyCount - leasing;
    // As long as enough is ready, larger stretches at longer intervals: each record of the ledger has its price.
    if (missing < target / 4 && this.#readyCount >= this.#demand) missing = 0;
    let suspectAllowed = !sessions.some((session) => session.hasSuspect);
    const now = this.setting.clock.now();
    let leased = 0;
    // A round takes from one partition what it can, the next from another: a write that leases, and later settles, in
    // few partitions is cheaper than one that does in all.
    const stretch = Math.max(1, missing);
    for (let dry = 0; dry < sessions.length && missing > 0 && this.#readyBytes < READY_BYTES; dry++) {
      const session = sessions[this.#turn++ % sessions.length]!;
      for (let most = Math.min(stretch, missing); most > 0;) {
        const candidate = session.leaseNext(now, suspectAllowed, most);
        if (!candidate) break;
        suspectAllowed &&= !candidate.suspect;
        const count = candidate.messages.length;
        most -= count;
        missing -= count;
        leased += count;
        dry = -1;
      }
    }
    if (leased > 0) this.setting.onLeasing(this.#readyCount < target / 2);
    if (missing > 0 || leased > 0) this.setting.onRoom();
    this.#waitForDue(sessions, now);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#dueTimer);
    this.#wakeTakers();
  }

  #target(): number {
    const aheadMs = Math.max(AHEAD_MS, 2 * this.setting.clock.roundTripMs);
    const ahead = Math.min(AHEAD_MOST * this.#concurrency, Math.ceil(this.#rate.within(aheadMs)));
    return ahead > 1 ? Math.max(this.#demand, ahead) : this.#demand;
  }

  #give(limit: TakeLimit): readonly Held[] {
    const given: Held[] = [];
    let [bytes, at] = [0, 0];
    for (let run = this.#ready[0]; run && given.length < limit.messages; run = this.#ready[at]) {
      const { messages, session, isSuspect } = run;
      const message = messages.peek()!;
      const size = message.payload.byteLength;
      if (given.length > 0 && (isSuspect || bytes + size > limit.bytes)) break;
      given.push(session.own.give(run, message));
      bytes += size;
      if (messages.length === 0) {
        at++;
        this.#readyBytes -= messages.weight;
      }
      if (isSuspect) break;
    }
    if (at > 0) this.#ready = this.#ready.slice(at);
    this.#readyCount -= given.length;
    this.#rate.add(given.length);
    return given;
  }

  #waitForDue(sessions: readonly PartitionSession[], now: number): void {
    clearTimeout(this.#dueTimer);
    let next = Number.POSITIVE_INFINITY;
    for (const { candidates } of sessions) {
      const due = candidates.nextDue() ?? next;
      if (due > now && due < next) next = due;
    }
    if (next === Number.POSITIVE_INFINITY) return;
    this.#dueTimer = setTimeout(() => this.progress(), Math.min(60_000, Math.max(1, next - now)));
  }

  async #wait(ms: number, signals: readonly AbortSignal[]): Promise<void> {
    let wake: () => void = () => undefined;
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const timer = setTimeout(wake, ms);
    this.#waiting.add(wake);
    for (const signal of signals) signal.addEventListener('abort', wake, { once: true });
    await woken;
    clearTimeout(timer);
    this.#waiting.delete(wake);
    for (const signal of signals) signal.removeEventListener('abort', wake);
  }

  #wakeTakers(): void {
    for (const wake of this.#waiting) wake();
  }
}
