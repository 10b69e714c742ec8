import type { GroupStats } from '../../queue-driver.js';
import type { ClusterLink } from './client/cluster-link.js';
import { LedgerLog } from './ledger/ledger-log.js';
import { decodeRecord } from './ledger/record-codec.js';

export interface GroupViewSetting {
  readonly queue: string;
  readonly group: string;
  readonly ledger: string;
  readonly link: ClusterLink;
}

const FETCH_BYTES = 4 * 1024 * 1024;

/** A group as its ledgers show it to somebody who only looks; each look reads on from the last. */
export class GroupView {
  readonly #logs = new Map<number, LedgerLog>();
  #reading: Promise<unknown> = Promise.resolve();

  constructor(private readonly setting: GroupViewSetting) {}

  async stats(deadLetters: number): Promise<GroupStats> {
    const reading = this.#reading.catch(() => undefined).then(() => this.#stats(deadLetters));
    this.#reading = reading;
    return reading;
  }

  async #stats(deadLetters: number): Promise<GroupStats> {
    const { queue, group, ledger, link } = this.setting;
    await link.connect([queue, ledger]);
    const partitions = link.partitionsOf(queue);
    const [first, next] = await Promise.all([
      link.offsetsOf(queue, partitions, 'first'),
      link.offsetsOf(queue, partitions, 'next'),
    ]);
    await this.#readOn(partitions);
    const now = Date.now();
    let [ready, waiting, inFlight] = [0, 0, 0];
    let oldest: number | undefined;
    for (const partition of partitions) {
      const { state } = this.#logs.get(partition)!;
      const start = first.get(partition) ?? 0;
      const end = next.get(partition) ?? 0;
      if (!state.anchored) {
        ready += end - start;
        continue;
      }
      ready += state.countUntouched(end);
      let lowest = state.low;
      for (const { offset, lease, due } of state.entries()) {
        // A redriven one lies below: it was settled before.
        if (offset < lowest) lowest = offset;
        if (lease) inFlight++;
        else if (due > now) waiting++;
        else ready++;
      }
      const oldestHere = await this.#oldest(partition, Math.max(lowest, start), end);
      if (oldestHere !== undefined) oldest = Math.min(oldest ?? oldestHere, oldestHere);
    }
    return {
      queue,
      group,
      ready,
      waiting,
      inFlight,
      deadLetters,
      oldestAgeMs: oldest === undefined ? undefined : Math.max(0, now - oldest),
    };
  }

  /** When the oldest message that is not settled was published; copies in the ledger are not looked at. */
  async #oldest(partition: number, low: number, end: number): Promise<number | undefined> {
    if (low >= end) return undefined;
    const fetched = await this.setting.link.fetchOne(
      { topic: this.setting.queue, partition, offset: low, maxBytes: 1 },
      0,
    );
    const record = fetched?.records[0];
    return record ? Number(record.timestamp) : undefined;
  }

  async #readOn(partitions: readonly number[]): Promise<void> {
    const { ledger, link } = this.setting;
    const [first, next] = await Promise.all([
      link.offsetsOf(ledger, partitions, 'first'),
      link.offsetsOf(ledger, partitions, 'next'),
    ]);
    for (const partition of partitions) {
      const log = this.#logs.get(partition) ?? new LedgerLog('');
      this.#logs.set(partition, log);
      const start = first.get(partition) ?? 0;
      if (log.next < start) log.restart(start);
      while (log.next < (next.get(partition) ?? 0)) {
        const wish = { topic: ledger, partition, offset: log.next, maxBytes: FETCH_BYTES };
        const records = (await link.fetchOne(wish, 100))?.records ?? [];
        if (records.length === 0) break;
        log.read(records.map(({ offset, value }) => [Number(offset), decodeRecord(value)] as const));
      }
    }
  }
}
