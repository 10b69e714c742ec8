import { randomUUID } from 'node:crypto';
import { ClosedError, LeaseLostError } from '../../../errors.js';
import type { GroupMember, Lease, MemberStatus, Settlement, TakeLimit, TakenMessage } from '../../../queue-driver.js';
import { originOf, storedOf } from '../kafka-message.js';
import type { CopiedMessage } from '../ledger/records.js';
import type { DeadLetterMeta } from '../dead-letter-record.js';
import { Held } from './held.js';
import { Worker } from './worker.js';
import type { WorkerSetting } from './worker.js';

export interface GroupMemberSetting extends WorkerSetting {
  /** Resolves when the dead letter is durable. */
  readonly writeDeadLetter: (origin: string, meta: DeadLetterMeta, message: CopiedMessage) => Promise<void>;
  readonly onLeft: (member: KafkaGroupMember) => void;
}

const DONE = { type: 'done' } as const;

/** A worker's membership as the engine sees it, across the lives of {@link Worker} beneath it. */
export class KafkaGroupMember implements GroupMember {
  readonly workerId = randomUUID();
  readonly #listeners: ((lease: Lease) => void)[] = [];
  readonly #left = new AbortController();
  #worker: Worker;
  #why: string | undefined;
  #leaving: Promise<void> | undefined;

  constructor(private readonly setting: GroupMemberSetting) {
    this.#worker = this.#newWorker();
  }

  async take(limit: TakeLimit, signal: AbortSignal): Promise<readonly TakenMessage[]> {
    if (this.#leaving) throw new ClosedError('this worker has left its group.');
    return this.#worker.take(limit, [signal, this.#left.signal]);
  }

  settle(lease: Lease, settlement: Settlement): ReturnType<GroupMember['settle']> {
    const held = this.#heldOf(lease);
    if (!held || held.ending?.type === 'released') {
      const late = this.#endedLate(lease, settlement);
      if (late) return late;
      const why = 'the lease is over: it was settled, given back, or is another worker’s by now.';
      return Promise.reject(new LeaseLostError(why));
    }
    const { ender } = held.session;
    if (settlement.type === 'ack') return ender.endLease(held, DONE);
    if (settlement.type === 'reject') return this.#bury(held, settlement).then(() => ender.endLease(held, DONE));
    const { delayMs, errorCode } = settlement;
    return ender.endLease(held, { type: 'nacked', due: ender.dueTime(delayMs), errorCode });
  }

  async release(leases: readonly Lease[]): Promise<void> {
    const releases = leases.map(async (lease) => {
      const held = this.#heldOf(lease);
      await held?.session.ender.endLease(held, { type: 'released' }).catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
    });
    await Promise.all(releases);
  }

  onLeaseLost(listener: (lease: Lease) => void): void {
    this.#listeners.push(listener);
  }

  status(): MemberStatus {
    if (this.#why !== undefined && !this.#worker.status().consuming) return { consuming: false, why: this.#why };
    return this.#worker.status();
  }

  leave(deadlineMs: number): Promise<void> {
    this.#leaving ??= this.#leave(deadlineMs);
    return this.#leaving;
  }

  async #leave(deadlineMs: number): Promise<void> {
    this.#left.abort();
    await this.#worker.leave(deadlineMs).catch(() => undefined);
    this.setting.onLeft(this);
  }

  #newWorker(): Worker {
    const worker: Worker = new Worker(this, this.setting, {
      leaseLost: (held) => this.#lost(held),
      ended: (why) => this.#replace(worker, why),
    });
    worker.start();
    return worker;
  }

  #replace(ended: Worker, why: string): void {
    if (this.#leaving || this.#worker !== ended) return;
    this.#why = `${why}; joining anew`;
    this.setting.options.logger({
      level: 'warn',
      message: this.#why,
      context: { queue: this.setting.group.queue, group: this.setting.group.group },
    });
    this.#worker = this.#newWorker();
  }

  /** A lease that this member gave, and of which something can still be said. */
  #heldOf(lease: Lease): Held | undefined {
    return lease instanceof Held && lease.session.ender.member === this && !lease.isOver ? lease : undefined;
  }

  /** Tried again after it took too long, and durable by now: that is what was wanted, not a lease that is lost. */
  #endedLate(lease: Lease, { type }: Settlement): ReturnType<GroupMember['settle']> | undefined {
    if (!(lease instanceof Held) || lease.session.ender.member !== this || lease.lost) return undefined;
    const wanted = type === 'nack' ? 'nacked' : 'done';
    return lease.batch?.gaveUp && lease.ending?.type === wanted
      ? lease.batch.durable(Number.POSITIVE_INFINITY)
      : undefined;
  }

  #lost(held: Held): void {
    if (held.isOver) return;
    held.isOver = true;
    for (const listener of this.#listeners) listener(held);
  }

  async #bury(held: Held, { reason, errorCode }: Settlement & { type: 'reject' }): Promise<void> {
    const { session, message } = held;
    if (held.lost) throw new LeaseLostError('the lease is lost: the message is another worker’s by now.');
    const origin = originOf(this.setting.group.queue, session.partition, held.offset);
    const stored = storedOf(message);
    const { id, key, publishedAt } = stored;
    const meta = {
      id,
      key,
      reason,
      errorCode,
      deliveryCount: held.deliveryCount,
      redriveCount: held.redriveCount,
      publishedAt,
      firstSeenAt: held.firstSeenAt.getTime(),
    };
    await this.setting.writeDeadLetter(origin, meta, stored);
  }
}
