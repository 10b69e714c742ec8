import { randomUUID } from 'node:crypto';
import { ClosedError, LeaseLostError } from '../../../errors.js';
import type { GroupMember, Lease, MemberStatus, Settlement, TakeLimit, TakenMessage } from '../../../queue-driver.js';
import { originOf, toMessage } from '../kafka-message.js';
import type { CopiedMessage } from '../ledger/records.js';
import type { DeadLetterMeta } from '../dead-letter-record.js';
import type { Held } from './partition-session.js';
import { Worker } from './worker.js';
import type { WorkerSetting } from './worker.js';

export interface GroupMemberSetting extends WorkerSetting {
  /** Resolves when the dead letter is durable. */
  readonly writeDeadLetter: (origin: string, meta: DeadLetterMeta, message: CopiedMessage) => Promise<void>;
  readonly onLeft: (member: KafkaGroupMember) => void;
}

interface Given {
  readonly held: Held;
  readonly worker: Worker;
}

/** A worker's membership as the engine sees it, across the lives of {@link Worker} beneath it. */
export class KafkaGroupMember implements GroupMember {
  readonly workerId = randomUUID();
  readonly #given = new Map<string, Given>();
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

  async settle(lease: Lease, settlement: Settlement): Promise<void> {
    const given = this.#given.get(lease.id);
    if (!given)
      throw new LeaseLostError('the lease is over: it was settled, given back, or is another worker’s by now.');
    const { held, worker } = given;
    try {
      if (settlement.type === 'nack') {
        const due = worker.dueTime(settlement.delayMs);
        await worker.endLease(held, { type: 'nacked', due, errorCode: settlement.errorCode });
      } else {
        if (settlement.type === 'reject') await this.#bury(given, settlement);
        await worker.endLease(held, { type: 'done' });
      }
      this.#given.delete(lease.id);
    } catch (error) {
      if (error instanceof LeaseLostError) this.#given.delete(lease.id);
      throw error;
    }
  }

  async release(leases: readonly Lease[]): Promise<void> {
    const releases = leases.map(async ({ id }) => {
      const given = this.#given.get(id);
      if (!given) return;
      this.#given.delete(id);
      await given.worker.endLease(given.held, { type: 'released' }).catch((error: unknown) => {
        if (error instanceof LeaseLostError) return;
        this.#given.set(id, given);
        throw error;
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
    this.#given.clear();
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

  #lost({ id }: Held): void {
    if (!this.#given.delete(id)) return;
    for (const listener of this.#listeners) listener({ id });
  }

  #give(worker: Worker, held: Held): TakenMessage {
    const { id } = held;
    this.#given.set(id, { held, worker });
    const { entry, message, session } = held;
    return {
      lease: { id },
      message: toMessage(this.setting.group.queue, session.partition, entry.offset, message),
      deliveryCount: entry.count,
      firstSeenAt: new Date(entry.firstSeen),
      lastErrorCode: entry.lastError,
      previousEnd: entry.prior,
    };
  }

  async #bury({ held }: Given, { reason, errorCode }: Settlement & { type: 'reject' }): Promise<void> {
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
