import type { Clock } from '../../clock.js';
import { BrokerUnavailableError, ClosedError, type QueueError } from '../../errors.js';
import type { Changes } from './changes.js';

/** A call without messages resolves after this long, so that the engine can look around (the port's "about a second"). */
const MAX_WAIT_MS = 1_000;

export type ConnectionState = 'open' | 'cut-off' | 'killed' | 'closed';

/** One process's connection to the store. */
export class Connection {
  private current: ConnectionState = 'open';
  private interruption = new AbortController();

  constructor(readonly clock: Clock) {}

  get state(): ConnectionState {
    return this.current;
  }

  /** @throws BrokerUnavailableError, ClosedError unless the store can be reached. */
  check(): void {
    const error = this.fault();
    if (error !== undefined) throw error;
  }

  /** A killed or closed connection stays so. */
  change(state: ConnectionState): void {
    if (this.current === 'killed' || this.current === 'closed') return;
    this.current = state;
    this.interruption.abort();
    this.interruption = new AbortController();
  }

  /**
   * What `read` gives, as soon as it gives something; `[]` when a signal aborts or after about a second.
   * @param nextChangeAt when time alone can give `read` something.
   */
  async poll<T>(
    read: () => readonly T[],
    changes: Changes,
    nextChangeAt: () => number,
    signals: readonly AbortSignal[],
  ): Promise<readonly T[]> {
    const until = this.clock.now() + MAX_WAIT_MS;
    for (;;) {
      if (signals.some((signal) => signal.aborted)) return [];
      this.check();
      const items = read();
      const now = this.clock.now();
      if (items.length > 0 || now >= until) return items;
      const atMostMs = Math.min(until, nextChangeAt()) - now;
      await changes.next([...signals, this.interruption.signal], atMostMs);
    }
  }

  private fault(): QueueError | undefined {
    switch (this.current) {
      case 'open':
        return undefined;
      case 'closed':
        return new ClosedError('this driver is closed');
      case 'cut-off':
      case 'killed':
        return new BrokerUnavailableError(`the connection to the memory store is ${this.current}`);
    }
  }
}
