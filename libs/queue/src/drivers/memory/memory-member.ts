import type { Cancel } from '../../clock.js';
import { ClosedError } from '../../errors.js';
import type {
  GroupMember,
  GroupOptions,
  Lease,
  MemberStatus,
  Settlement,
  TakeLimit,
  TakenMessage,
} from '../../queue-driver.js';
import type { Connection } from './connection.js';
import type { Membership, StoredGroup } from './stored-group.js';

/** Three chances to renew before the visibility timeout ends. */
const RENEWALS_PER_TIMEOUT = 3;

/** One worker's side of its membership; it renews its leases for as long as its process lives. */
export class MemoryMember implements GroupMember {
  private readonly membership: Membership;
  private readonly listeners = new Set<(lease: Lease) => void>();
  private readonly leaving = new AbortController();
  private cancelRenewal: Cancel = () => {};

  constructor(
    readonly workerId: string,
    private readonly group: StoredGroup,
    private readonly connection: Connection,
    { visibilityTimeoutMs, order }: GroupOptions,
  ) {
    this.membership = {
      workerId,
      visibilityTimeoutMs,
      lastHeardAt: connection.clock.now(),
      leases: new Map(),
      suspect: undefined,
      onLeaseLost: (lease) => this.tellLost(lease),
    };
    group.join(this.membership, order);
    this.renew();
  }

  async take(limit: TakeLimit, signal: AbortSignal): Promise<readonly TakenMessage[]> {
    if (this.leaving.signal.aborted) throw new ClosedError('this worker has left its group');
    return this.connection.poll(
      () => this.group.take(this.membership, limit),
      this.group.changes,
      () => this.group.nextChangeAt(),
      [signal, this.leaving.signal],
    );
  }

  async settle(lease: Lease, settlement: Settlement): Promise<void> {
    await this.reachStore();
    this.group.settle(this.membership, lease, settlement);
  }

  async release(leases: readonly Lease[]): Promise<void> {
    await this.reachStore();
    this.group.release(this.membership, leases);
  }

  onLeaseLost(listener: (lease: Lease) => void): void {
    this.listeners.add(listener);
  }

  status(): MemberStatus {
    if (this.leaving.signal.aborted) return { consuming: false, why: 'this worker has left its group' };
    const { state } = this.connection;
    return state === 'open'
      ? { consuming: true }
      : { consuming: false, why: `the connection to the store is ${state}` };
  }

  /** Without a connection there is nobody to say goodbye to: the leases end with the visibility timeout. */
  leave(_deadlineMs?: number): Promise<void> {
    if (!this.leaving.signal.aborted) {
      this.leaving.abort();
      this.cancelRenewal();
      if (this.connection.state === 'open') this.group.leave(this.membership);
    }
    return Promise.resolve();
  }

  /** The process is gone, and its renewals with it. */
  die(): void {
    this.cancelRenewal();
  }

  private async reachStore(): Promise<void> {
    this.connection.check();
    // A round trip: whoever settles must not count on the store's answer within the same turn.
    await Promise.resolve();
    this.connection.check();
  }

  private renew(): void {
    const { clock, state } = this.connection;
    if (state === 'open') this.group.heardOf(this.membership);
    else this.group.expire();
    const { lastHeardAt, visibilityTimeoutMs } = this.membership;
    // Cut off, the worker must know to the moment when its leases end; afterwards it only looks for the store again.
    const leftMs = lastHeardAt + visibilityTimeoutMs - clock.now();
    const everyMs = visibilityTimeoutMs / RENEWALS_PER_TIMEOUT;
    this.cancelRenewal = clock.schedule(leftMs > 0 ? Math.min(everyMs, leftMs) : everyMs, () => this.renew());
  }

  private tellLost(lease: Lease): void {
    if (this.connection.state === 'killed') return;
    for (const listener of this.listeners) listener(lease);
  }
}
