import type { ClusterLink } from '../client/cluster-link.js';
import { deadWorkers } from '../client/liveness.js';
import type { PartitionSession } from './partition-session.js';

const LOOK_EVERY_MS = 300;

/** Frees what dead workers hold in the partitions of this one. */
export class DeadWorkerWatch {
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(
    private readonly link: ClusterLink,
    private readonly groupId: string,
    private readonly sessions: () => Iterable<PartitionSession>,
  ) {}

  start(): void {
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const claimed = [...this.sessions()].filter((session) => session.claimed && !session.foreign.isEmpty);
    if (this.#looking || claimed.length === 0) return;
    this.#looking = true;
    try {
      const holders = new Set(claimed.flatMap((session) => [...session.foreign.holders()]));
      const dead = await deadWorkers(this.link, this.groupId, [...holders]);
      for (const session of claimed) {
        const here = session.foreign.holders();
        const gone = dead.filter((worker) => here.has(worker));
        if (session.claimed && gone.length > 0) session.voidLeases(gone);
      }
    } catch {
      // Looked for again in a moment.
    } finally {
      this.#looking = false;
    }
  }
}
