import { setTimeout as delay } from 'node:timers/promises';
import {
  ASSIGNOR,
  assignPartitions,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from './assignment.js';
import type { Subscription } from './assignment.js';
import type { ClusterLink } from './cluster-link.js';
import { kafkaErrorType, rootCause } from './kafka-errors.js';
import type { KafkaLogger } from './kafka-log.js';
import type { JoinedGroup, ProtocolBroker } from './kafkajs-protocol.js';

export interface MembershipEvents {
  /** After every join: the partitions that are this worker's now. */
  assigned(partitions: readonly number[]): void;
  /** The group went on without this worker, or could not be reached for too long: whatever it held is another's. */
  expelled(why: string): void;
  /** What to say of this worker at the next join. */
  subscription(): Subscription;
}

export interface MembershipOptions {
  readonly groupId: string;
  readonly topic: string;
  readonly sessionTimeoutMs: number;
  readonly logger: KafkaLogger;
}

const REQUEST_DEADLINE_MS = 12_000;
/** The least that brokers allow by default (`group.min.session.timeout.ms`). */
const SAFE_SESSION_TIMEOUT_MS = 6_000;
const PARTITION_CHECK_MS = 5_000;
const LOST_COORDINATOR_MS = 250;

/**
 * A worker's membership of a consumer group, by Kafka's own group protocol. It elects the owners of partitions and tells
 * who lives; nothing else rests on it: the ledger decides what a worker may do.
 */
export class Membership {
  #memberId = '';
  #generation = -1;
  #coordinator: ProtocolBroker | undefined;
  #lastContact: number;
  #sessionTimeoutMs: number;
  #joined = false;
  #rejoin = false;
  #why = 'joining the group';
  readonly #stop = new AbortController();
  #watch: NodeJS.Timeout | undefined;

  /**
   * @param link for joining, which may wait long @param side for heartbeats meanwhile
   */
  constructor(
    private readonly link: ClusterLink,
    private readonly side: ClusterLink,
    private readonly options: MembershipOptions,
    private readonly events: MembershipEvents,
  ) {
    this.#sessionTimeoutMs = options.sessionTimeoutMs;
    this.#lastContact = performance.now();
  }

  start(): void {
    void this.#run();
    const everyMs = Math.max(50, this.#sessionTimeoutMs / 20);
    this.#watch = setInterval(() => {
      if (this.#joined && this.hasLapsed()) this.#expel('no contact with the group for the visibility timeout');
    }, everyMs);
  }

  /** Joins again soon: what it says of itself has changed. */
  rejoin(): void {
    this.#rejoin = true;
  }

  get why(): string | undefined {
    return this.#joined ? undefined : this.#why;
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /**
   * Whether the group may have gone on without this worker. Counted from when the last successful request was sent, by
   * the monotonic clock, and a tenth of the timeout early: the broker counts from when it received it.
   */
  hasLapsed(now = performance.now()): boolean {
    return now - this.#lastContact > this.#sessionTimeoutMs * 0.9;
  }

  async commit(topic: string, offsets: ReadonlyMap<number, number>): Promise<void> {
    if (!this.#joined || offsets.size === 0) return;
    const partitions = [...offsets].map(([partition, offset]) => ({ partition, offset: String(offset) }));
    const coordinator = await this.#findCoordinator();
    await this.link.request('commit', REQUEST_DEADLINE_MS, () =>
      coordinator.offsetCommit({
        groupId: this.options.groupId,
        groupGenerationId: this.#generation,
        memberId: this.#memberId,
        topics: [{ topic, partitions }],
      }),
    );
  }

  /** Stops taking part and tells the group; works with the broker gone. */
  async leave(deadlineMs: number): Promise<void> {
    if (!this.#end()) return;
    const coordinator = this.#coordinator;
    if (!coordinator || this.#memberId === '') return;
    // By the side connection: a join may be under way on the other.
    const leaving = this.side
      .coordinatorOf(this.options.groupId)
      .then((broker) => broker.leaveGroup({ groupId: this.options.groupId, memberId: this.#memberId }));
    await Promise.race([leaving.catch(() => undefined), delay(deadlineMs, undefined, { ref: false })]);
  }

  #end(): boolean {
    if (this.#stop.signal.aborted) return false;
    this.#stop.abort();
    clearInterval(this.#watch);
    this.#joined = false;
    return true;
  }

  #expel(why: string): void {
    if (this.#end()) this.events.expelled(why);
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.isStopped;) {
      try {
        await this.#joinOnce();
        failures = 0;
        await this.#stay();
      } catch (error) {
        if (this.isStopped) return;
        const type = kafkaErrorType(rootCause(error));
        if (type === 'UNKNOWN_MEMBER_ID' || type === 'FENCED_INSTANCE_ID') {
          if (this.#generation >= 0) return this.#expel('the group no longer knows this worker');
          this.#memberId = '';
          continue;
        }
        if (type === 'REBALANCE_IN_PROGRESS' || type === 'ILLEGAL_GENERATION') continue;
        this.#coordinator = undefined;
        if (type === 'INVALID_SESSION_TIMEOUT' && this.#sessionTimeoutMs < SAFE_SESSION_TIMEOUT_MS) {
          this.#log(
            'warn',
            `the broker refuses a session of ${this.#sessionTimeoutMs} ms; using ${SAFE_SESSION_TIMEOUT_MS} ms`,
          );
          this.#sessionTimeoutMs = SAFE_SESSION_TIMEOUT_MS;
          continue;
        }
        const waitMs = Math.min(5_000, 100 * 2 ** failures++);
        this.#why = `joining the group failed: ${type}`;
        this.#log('warn', `${this.#why}; again in ${waitMs} ms`);
        await this.#pause(waitMs);
      }
    }
  }

  async #joinOnce(): Promise<void> {
    const { groupId, topic } = this.options;
    await this.link.connect([topic]);
    const coordinator = await this.#findCoordinator();
    this.#rejoin = false;
    const sentAt = performance.now();
    const stopBeating = this.#beatAside();
    let joined: JoinedGroup;
    try {
      joined = await this.link.request('join', this.#sessionTimeoutMs * 2 + REQUEST_DEADLINE_MS, () =>
        coordinator.joinGroup({
          groupId,
          sessionTimeout: this.#sessionTimeoutMs,
          rebalanceTimeout: Math.max(this.#sessionTimeoutMs, 3_000),
          memberId: this.#memberId,
          groupProtocols: [{ name: ASSIGNOR, metadata: encodeSubscription(topic, this.events.subscription()) }],
        }),
      );
    } finally {
      stopBeating();
    }
    if (this.isStopped) return;
    this.#memberId = joined.memberId;
    this.#generation = joined.generationId;
    this.#contact(sentAt);
    const syncSentAt = performance.now();
    const { memberAssignment } = await this.link.request(
      'sync',
      REQUEST_DEADLINE_MS + this.#sessionTimeoutMs,
      async () =>
        coordinator.syncGroup({
          groupId,
          generationId: joined.generationId,
          memberId: joined.memberId,
          groupAssignment: joined.leaderId === joined.memberId ? await this.#assign(joined) : [],
        }),
    );
    if (this.isStopped) return;
    this.#contact(syncSentAt);
    this.#joined = true;
    this.events.assigned(decodeAssignment(topic, memberAssignment));
  }

  async #assign(joined: JoinedGroup): Promise<{ memberId: string; memberAssignment: Buffer }[]> {
    const { topic } = this.options;
    await this.link.refresh();
    const workers = joined.members.map(({ memberId, memberMetadata }) => ({
      memberId,
      ...decodeSubscription(memberMetadata),
    }));
    const assignment = assignPartitions(this.link.partitionsOf(topic), workers);
    return [...assignment].map(([memberId, partitions]) => ({
      memberId,
      memberAssignment: encodeAssignment(topic, partitions),
    }));
  }

  /** Until the group rebalances. */
  async #stay(): Promise<void> {
    const known = this.link.partitionsOf(this.options.topic).length;
    let checkedAt = performance.now();
    while (!this.isStopped) {
      // Without a coordinator the next heartbeat is urgent: the session runs.
      await this.#pause(this.#coordinator ? this.#beatMs() : Math.min(this.#beatMs(), LOST_COORDINATOR_MS));
      if (this.isStopped || this.#rejoin) return;
      if (!(await this.#beat())) return;
      if (performance.now() - checkedAt < PARTITION_CHECK_MS) continue;
      checkedAt = performance.now();
      await this.link.refresh().catch(() => undefined);
      if (this.link.partitionsOf(this.options.topic).length > known) return;
    }
  }

  /** One heartbeat; false where the group rebalances. A coordinator that moved keeps its members. */
  async #beat(): Promise<boolean> {
    const sentAt = performance.now();
    try {
      const coordinator = await this.#findCoordinator();
      await this.link.request('heartbeat', this.#sessionTimeoutMs, () => coordinator.heartbeat(this.#identity()));
    } catch (error) {
      const type = kafkaErrorType(rootCause(error));
      if (type === 'UNKNOWN_MEMBER_ID' || type === 'FENCED_INSTANCE_ID') throw error;
      if (type === 'ILLEGAL_GENERATION') return false;
      if (type === 'REBALANCE_IN_PROGRESS') {
        this.#contact(sentAt);
        return false;
      }
      this.#coordinator = undefined;
      await this.link.refresh().catch(() => undefined);
      return true;
    }
    this.#contact(sentAt);
    return true;
  }

  /**
   * A join answers only when every member has joined, or the dead among them have timed out. Until then heartbeats of
   * the generation before keep this worker's session, and say so by REBALANCE_IN_PROGRESS.
   */
  #beatAside(): () => void {
    if (this.#generation < 0) return () => undefined;
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      const sentAt = performance.now();
      this.side
        .coordinatorOf(this.options.groupId)
        .then((broker) => broker.heartbeat(this.#identity()))
        .then(
          () => this.#contact(sentAt),
          (error: unknown) => {
            if (kafkaErrorType(rootCause(error)) === 'REBALANCE_IN_PROGRESS') this.#contact(sentAt);
          },
        )
        .finally(() => (busy = false));
    }, this.#beatMs());
    return () => clearInterval(timer);
  }

  #identity(): { groupId: string; groupGenerationId: number; memberId: string } {
    return { groupId: this.options.groupId, groupGenerationId: this.#generation, memberId: this.#memberId };
  }

  #contact(sentAt: number): void {
    // What comes after the deadline comes too late, also where the timer that watches it was stopped with the process.
    if (this.#joined && this.hasLapsed()) return this.#expel('no contact with the group for the visibility timeout');
    this.#lastContact = Math.max(this.#lastContact, sentAt);
  }

  #beatMs(): number {
    return Math.min(1_000, Math.max(50, this.#sessionTimeoutMs / 10));
  }

  async #findCoordinator(): Promise<ProtocolBroker> {
    if (this.#coordinator?.isConnected()) return this.#coordinator;
    this.#coordinator = await this.link.coordinatorOf(this.options.groupId);
    return this.#coordinator;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  #log(level: 'info' | 'warn', message: string): void {
    this.options.logger({ level, message, context: { group: this.options.groupId } });
  }
}
