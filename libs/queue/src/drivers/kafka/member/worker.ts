import { randomUUID } from 'node:crypto';
import { BrokerUnavailableError, LeaseLostError } from '../../../errors.js';
import type { GroupMember, GroupOptions, MemberStatus, TakeLimit } from '../../../queue-driver.js';
import { ClusterLink } from '../client/cluster-link.js';
import { within } from '../client/kafka-errors.js';
import { newKafka } from '../client/kafkajs-protocol.js';
import { workerClientId } from '../client/liveness.js';
import { Membership } from '../client/membership.js';
import { Sockets } from '../client/sockets.js';
import type { ResolvedKafkaOptions } from '../kafka-options.js';
import { groupIdOf, ledgerTopicOf } from '../topics.js';
import { BrokerClock } from './broker-clock.js';
import { DeadWorkerWatch } from './dead-worker-watch.js';
import { LeaseAhead } from './lease-ahead.js';
import { LedgerReader } from './ledger-reader.js';
import { LedgerWriter } from './ledger-writer.js';
import { PartitionSession } from './partition-session.js';
import { leaseLost } from './held.js';
import type { Held, LeaseEnder } from './held.js';
import type { Ending } from './pending-writes.js';
import { QueueFetcher } from './queue-fetcher.js';
import { StuckWatch } from './stuck-watch.js';

export interface WorkerSetting {
  readonly options: ResolvedKafkaOptions;
  readonly group: GroupOptions;
  readonly retentionMs: number;
  /** Gives the ledger as many partitions as the queue has by now. */
  readonly growLedger: () => Promise<void>;
  /** Deletes ledger records before this offset; never throws. */
  readonly trim: (topic: string, partition: number, offset: number) => void;
}

export interface WorkerEvents {
  leaseLost(held: Held): void;
  /** It can do nothing more; another has to take its place. */
  ended(why: string): void;
}

const COMMIT_EVERY_MS = 1_000;
const RECLAIM_MS = 500;

/**
 * One life of a worker in its group: a membership and the partitions that it gives. A worker that lost contact for the
 * visibility timeout ends and another takes its place, under a new name, so that no late record of the old one counts.
 */
export class Worker implements LeaseEnder {
  readonly id = randomUUID();
  readonly #sessions = new Map<number, PartitionSession>();
  readonly #clock = new BrokerClock();
  readonly #links: readonly [group: ClusterLink, queue: ClusterLink, ledger: ClusterLink];
  readonly #sockets: Sockets;
  readonly #membership: Membership;
  readonly #writer: LedgerWriter;
  readonly #reader: LedgerReader;
  readonly #fetcher: QueueFetcher;
  readonly #ahead: LeaseAhead;
  readonly #dead: DeadWorkerWatch;
  readonly #stuck: StuckWatch;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #committed = new Map<number, number>();
  readonly #ledger: string;
  readonly #groupId: string;
  #seq = 0;
  /** Given to the engine, and not being settled yet. */
  #running = 0;
  #settling: NodeJS.Immediate | undefined;
  #ended = false;
  #leaving = false;

  constructor(
    readonly member: GroupMember,
    private readonly setting: WorkerSetting,
    private readonly events: WorkerEvents,
  ) {
    const { options, group } = setting;
    this.#sockets = new Sockets(options.socketFactory);
    const kafka = newKafka(options, this.#sockets, workerClientId(options.clientId, this.id));
    const groupLink = new ClusterLink(kafka);
    const queueLink = new ClusterLink(kafka);
    const ledgerLink = new ClusterLink(kafka);
    this.#links = [groupLink, queueLink, ledgerLink];
    this.#groupId = groupIdOf(group.queue, group.group);
    this.#ledger = ledgerTopicOf(group.queue, group.group);
    const { logger } = options;
    const sessions = (): Iterable<PartitionSession> => this.#sessions.values();
    this.#stuck = new StuckWatch(
      () => this.#ahead.isAsked,
      () => this.#hasBacklog(),
      () => this.#membership.rejoin(),
    );
    this.#membership = new Membership(
      groupLink,
      queueLink,
      { groupId: this.#groupId, topic: group.queue, sessionTimeoutMs: group.visibilityTimeoutMs, logger },
      {
        assigned: (partitions) => this.#assigned(partitions),
        expelled: (why) => this.end(why),
        subscription: () => ({ owned: this.#owned(), stuck: this.#stuck.isStuck }),
      },
    );
    this.#writer = new LedgerWriter({
      topic: this.#ledger,
      link: ledgerLink,
      clock: this.#clock,
      logger,
      sessions,
      mayGather: () => this.#running > 0 && this.#ahead.isAhead && !this.#leaving,
      mayWrite: () => !this.#ended && (this.#leaving || !this.#membership.hasLapsed()),
      onWritten: (session) => this.#advanced(session),
    });
    this.#reader = new LedgerReader({
      topic: this.#ledger,
      link: ledgerLink,
      logger,
      sessions,
      onRead: (session) => this.#advanced(session),
    });
    this.#ahead = new LeaseAhead({
      clock: this.#clock,
      sessions,
      mayLease: () => !this.#ended && !this.#leaving && !this.#membership.hasLapsed(),
      onLeasing: (now) => this.#writer.wake(now),
      onRoom: () => this.#fetcher.wake(),
    });
    this.#dead = new DeadWorkerWatch(queueLink, this.#groupId, sessions);
    this.#fetcher = new QueueFetcher({ queue: group.queue, ledger: this.#ledger, link: queueLink, logger, sessions });
  }

  start(): void {
    void this.#start();
  }

  status(): MemberStatus {
    if (this.#ended || this.#leaving) return { consuming: false, why: 'this worker has left its group' };
    const why = this.#membership.why;
    if (why !== undefined) return { consuming: false, why };
    if (this.#membership.hasLapsed()) return { consuming: false, why: 'no contact with Kafka' };
    for (const session of this.#sessions.values()) {
      if (session.broken !== undefined) return { consuming: false, why: session.broken };
      if (session.owned && !session.claimed)
        return { consuming: false, why: `reading the ledger of partition ${session.partition}` };
    }
    return { consuming: true };
  }

  async take(limit: TakeLimit, signals: readonly AbortSignal[]): Promise<readonly Held[]> {
    const held = await this.#ahead.take(limit, signals);
    this.#running += held.length;
    if (held.length > 0) this.#stuck.moved();
    return held;
  }

  /** Resolves when it is durable. @throws LeaseLostError, BrokerUnavailableError. */
  endLease(held: Held, ending: Ending): ReturnType<LeaseEnder['endLease']> {
    const now = performance.now();
    if (this.#membership.hasLapsed(now) && !this.#ended && !this.#leaving)
      this.end('no contact with the group for the visibility timeout');
    if (this.#ended) return Promise.reject(new LeaseLostError('the lease is lost: this worker was away for too long.'));
    if (!held.ending && !held.lost) this.#running--;
    held.session.end(held, ending);
    if (this.#running <= 0) this.#settleSoon();
    return held.batch?.durable(now + this.setting.options.requestDeadlineMs) ?? Promise.reject(leaseLost());
  }

  /**
   * All that was given is being settled. Unless more is taken at once, nobody is helped by waiting for more settlements,
   * and somebody may be waiting for these.
   */
  #settleSoon(): void {
    this.#settling ??= setImmediate(() => {
      this.#settling = undefined;
      if (this.#running <= 0 || !this.#ahead.isAhead) this.#writer.wake(true);
    });
  }

  dueTime(delayMs: number): number {
    return delayMs > 0 ? this.#clock.now() + delayMs : 0;
  }

  /** Gives everything back and leaves the group; what is not done by the deadline the group finds out by itself. */
  async leave(deadlineMs: number): Promise<void> {
    if (this.#ended || this.#leaving) return;
    this.#leaving = true;
    const deadline = performance.now() + deadlineMs;
    this.#ahead.close();
    this.#dead.close();
    this.#timers.forEach((timer) => clearInterval(timer));
    const endings: Promise<unknown>[] = [];
    const owned = this.#owned();
    for (const session of this.#sessions.values()) {
      // A lease whose record is on the way goes back as soon as it is there.
      session.owned = false;
      session.lose();
      for (const held of session.own.given()) {
        session.end(held, { type: 'released' });
        if (held.batch) endings.push(held.batch.durable(Number.POSITIVE_INFINITY));
      }
    }
    this.#writer.wake(true);
    const left = (): number => Math.max(20, deadline - performance.now());
    await within(left() * 0.6, 'give back', this.#drained(endings)).catch(() => undefined);
    await within(left() * 0.3, 'commit', this.#commit(owned)).catch(() => undefined);
    await this.#membership.leave(left() * 0.5);
    this.#stop();
    await this.#closeLinks(left());
  }

  /** At once, without a word to the group: whatever it held is lost. */
  end(why: string): void {
    if (this.#ended) return;
    const silent = this.#leaving;
    this.#stop();
    void this.#membership.leave(0);
    void this.#closeLinks(1_000);
    if (!silent) this.events.ended(why);
  }

  async #closeLinks(deadlineMs: number): Promise<void> {
    await Promise.all(this.#links.map((link) => link.close(deadlineMs)));
    this.#sockets.close();
  }

  #stop(): void {
    this.#ended = true;
    clearImmediate(this.#settling);
    this.#timers.forEach((timer) => clearInterval(timer));
    this.#stuck.close();
    this.#dead.close();
    this.#writer.close();
    this.#reader.close();
    this.#fetcher.close();
    for (const session of this.#sessions.values()) session.abandon();
    this.#ahead.close();
  }

  async #start(): Promise<void> {
    const [, queueLink, ledgerLink] = this.#links;
    for (let failures = 0; !this.#ended && !this.#leaving; failures++) {
      try {
        await Promise.all([queueLink.connect([this.setting.group.queue]), ledgerLink.connect([this.#ledger])]);
        break;
      } catch {
        await pause(Math.min(2_000, 100 * 2 ** failures));
      }
    }
    if (this.#ended || this.#leaving) return;
    this.#membership.start();
    this.#stuck.start();
    this.#dead.start();
    this.#timers.push(
      setInterval(() => void this.#commit().catch(() => undefined), COMMIT_EVERY_MS),
      setInterval(() => this.#tidy(), RECLAIM_MS),
      setInterval(() => this.#giveUpWaiting(), RECLAIM_MS),
    );
  }

  #owned(): number[] {
    return [...this.#sessions.values()].filter(({ owned }) => owned).map(({ partition }) => partition);
  }

  #assigned(partitions: readonly number[]): void {
    if (this.#ended || this.#leaving) return;
    for (const session of this.#sessions.values()) {
      if (!session.owned || partitions.includes(session.partition)) continue;
      session.owned = false;
      this.#takeBackReady(session);
      session.lose();
    }
    for (const partition of partitions) {
      const known = this.#sessions.get(partition);
      if (known?.owned) continue;
      if (known) {
        known.owned = true;
        known.claim();
      } else void this.#open(partition);
    }
    this.#tidy();
  }

  /** A partition that is new to this worker: its ledger is read from the start, up to the claim. */
  async #open(partition: number): Promise<void> {
    const session = this.#newSession(partition);
    session.owned = true;
    this.#sessions.set(partition, session);
    const [, , ledgerLink] = this.#links;
    for (let failures = 0; !this.#ended && this.#sessions.get(partition) === session; failures++) {
      try {
        if (ledgerLink.leaderOf(this.#ledger, partition) === undefined) {
          await this.setting.growLedger();
          await ledgerLink.refresh();
        }
        const start = (await ledgerLink.offsetsOf(this.#ledger, [partition], 'first')).get(partition);
        if (start === undefined) throw new BrokerUnavailableError('no offsets of the ledger');
        session.log.restart(start);
        session.claim();
        return;
      } catch {
        await pause(Math.min(1_000, 50 * 2 ** failures));
      }
    }
  }

  #newSession(partition: number): PartitionSession {
    const { group, retentionMs } = this.setting;
    const setting = {
      worker: this.id,
      ender: this,
      takeSeq: () => ++this.#seq,
      queue: group.queue,
      partition,
      order: group.order,
      retentionMs,
      clock: this.#clock,
    };
    return new PartitionSession(setting, {
      toWrite: (now) => this.#writer.wake(now),
      leased: (runs) => this.#ahead.leased(runs),
      lost: (held) => this.#lost(held),
      readyLost: (session) => this.#takeBackReady(session),
      suspectEnded: () => this.#sessions.forEach((session) => session.candidates.suspectIsFree()),
      trimmable: (session) => this.setting.trim(this.#ledger, session.partition, session.trimTo),
      unanchored: (session) => void this.#initialise(session),
      progress: () => this.#ahead.progress(),
    });
  }

  /** A partition added to the queue after the group was made starts at its beginning. */
  async #initialise(session: PartitionSession): Promise<void> {
    const [, queueLink] = this.#links;
    try {
      const { queue } = this.setting.group;
      const low = (await queueLink.offsetsOf(queue, [session.partition], 'first')).get(session.partition);
      session.initialise(low ?? 0);
    } catch {
      await pause(500);
      if (!this.#ended && session.owned) session.claim();
    }
  }

  #advanced(session: PartitionSession): void {
    if (session.isOverruled) {
      this.#takeBackReady(session);
      session.lose();
    }
    this.#reader.wake();
    this.#ahead.progress();
  }

  #lost(held: Held): void {
    if (!held.ending) this.#running--;
    this.events.leaseLost(held);
  }

  /** What waits to be given and is no longer this worker's to give. Of its leases the good ones go back as well. */
  #takeBackReady(session: PartitionSession): void {
    this.#ahead.takeBack(session);
    session.releaseReady();
  }

  #hasBacklog(): boolean {
    return this.#ahead.hasReady || [...this.#sessions.values()].some((session) => session.owned && session.hasBacklog);
  }

  async #drained(endings: readonly Promise<unknown>[]): Promise<void> {
    await Promise.all(endings);
    while (
      !this.#ended &&
      [...this.#sessions.values()].some(({ writes, writing, leasing }) => !writes.isEmpty || writing || leasing > 0)
    ) {
      await pause(2);
    }
  }

  /** Never backwards; the ledger is what counts, this is for whoever watches the group's lag. */
  async #commit(owned: readonly number[] = this.#owned()): Promise<void> {
    const offsets = new Map<number, number>();
    for (const { partition, state } of this.#sessions.values()) {
      if (!owned.includes(partition) || !state.anchored) continue;
      if (state.low > (this.#committed.get(partition) ?? -1)) offsets.set(partition, state.low);
    }
    await this.#membership.commit(this.setting.group.queue, offsets);
    for (const [partition, offset] of offsets) this.#committed.set(partition, offset);
  }

  /** Settlements go on being tried; who waits for them is told. */
  #giveUpWaiting(): void {
    const now = performance.now();
    const { requestDeadlineMs } = this.setting.options;
    const why = `the settlement is not durable after ${requestDeadlineMs} ms; it is tried on.`;
    for (const { writes } of this.#sessions.values()) writes.stopWaiting(now, () => new BrokerUnavailableError(why));
  }

  #tidy(): void {
    for (const [partition, session] of this.#sessions) {
      if (session.isIdle) this.#sessions.delete(partition);
      else if (session.needsClaim && session.state.anchored) session.claim();
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
