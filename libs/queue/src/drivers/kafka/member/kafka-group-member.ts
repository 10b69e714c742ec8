import { randomUUID } from 'node:crypto';
import { ClosedError, LeaseLostError } from '../../../errors.js';
import type { GroupMember, Lease, MemberStatus, Settlement, TakeLimit, TakenMessage } from '../../../queue-driver.js';
import { originOf, toMessage } from '../kafka-message.js';
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
    const worker = this.#worker;
    const held = await worker.take(limit, [signal, this.#left.signal]);
    return held.map((one) => this.#give(worker, one));
  }

  settle(lease: Lease, settlement: Settlement): Promise<void> {
    const held = this.#heldOf(lease);
    if (!held?.ender || held.ending?.type === 'released') {
      const why = 'the lease is over: it was settled, given back, or is another worker’s by now.';
      return Promise.reject(new LeaseLostError(why));
    }
    const { ender } = held;
    if (settlement.type === 'ack') return ender.endLease(held, DONE);
    if (settlement.type === 'reject') return this.#bury(held, settlement).then(() => ender.endLease(held, DONE));
    const { delayMs, errorCode } = settlement;
    return ender.endLease(held, { type: 'nacked', due: ender.dueTime(delayMs), errorCode });
  }

  async release(leases: readonly Lease[]): Promise<void> {
    const releases = leases.map(async (lease) => {
      const held = this.#heldOf(lease);
      await held?.ender?.endLease(held, { type: 'released' }).catch((error: unknown) => {
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
    const worker: Worker = new Worker(this.setting, {
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
    return lease instanceof Held && lease.giver === this && !lease.isOver ? lease : undefined;
  }

  #lost(held: Held): void {
    if (held.isOver) return;
    held.isOver = true;
    for (const listener of this.#listeners) listener(held);
  }

  #give(worker: Worker, held: Held): TakenMessage {
    held.giver = this;
    held.ender = worker;
    const { entry, message, session } = held;
    return {
      lease: held,
      message: toMessage(this.setting.group.queue, session.partition, entry.offset, message),
      deliveryCount: entry.count,
      firstSeenAt: new Date(entry.firstSeen),
      lastErrorCode: entry.lastError,
      previousEnd: entry.prior,
    };
  }

  async #bury(held: Held, { reason, errorCode }: Settlement & { type: 'reject' }): Promise<void> {
    const { entry, message, session } = held;
    if (held.lost) throw new LeaseLostError('the lease is lost: the message is another worker’s by now.');
    const origin = originOf(this.setting.group.queue, session.partition, entry.offset);
    const { id, key, publishedAt } = message;
    const meta = {
      id,
      key,
      reason,
      errorCode,
      deliveryCount: entry.count,
      redriveCount: entry.round,
      publishedAt,
      firstSeenAt: entry.firstSeen,
    };
    await this.setting.writeDeadLetter(origin, meta, message);
  }
}
