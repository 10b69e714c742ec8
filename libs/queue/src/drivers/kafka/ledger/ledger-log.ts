import { LedgerState } from './ledger-state.js';
import type { Applied, EntriesChanged } from './ledger-state.js';
import type { LedgerRecord } from './records.js';

/**
 * A worker's view of one ledger partition. It applies records strictly in ledger order, from two sources: what it wrote
 * itself, as soon as the broker has told the offset, and what it reads. So in the usual case, where it is the only
 * writer, nothing has to be read back; where somebody wrote in between, the gap shows, and its own records wait until
 * the gap is read. That is how a worker knows, before it starts a handler, that no other had claimed the partition.
 */
export class LedgerLog {
  #state: LedgerState;
  #next = 0;
  /** Own records whose offset is known, but not yet all before them. */
  readonly #early = new Map<number, LedgerRecord>();
  readonly #outcomes = new Map<number, (applied: Applied) => void>();

  constructor(
    readonly worker: string,
    private readonly onChange: EntriesChanged = () => undefined,
  ) {
    this.#state = new LedgerState(onChange);
  }

  get state(): LedgerState {
    return this.#state;
  }

  /** The ledger offset to read from. */
  get next(): number {
    return this.#next;
  }

  /** Whether records were written by others that have to be read before own ones count. */
  get hasGap(): boolean {
    return this.#early.size > 0;
  }

  /** Calls `outcome` once the own record of this number has been applied. */
  expect(seq: number, outcome: (applied: Applied) => void): void {
    this.#outcomes.set(seq, outcome);
  }

  /** An own record stands at this ledger offset. */
  written(ledgerOffset: number, record: LedgerRecord): void {
    if (ledgerOffset < this.#next) return;
    this.#early.set(ledgerOffset, record);
    this.#applyEarly();
  }

  /** Records as read, ascending; those applied already are passed over. */
  read(records: Iterable<readonly [ledgerOffset: number, record: LedgerRecord]>): void {
    for (const [ledgerOffset, record] of records) {
      if (ledgerOffset < this.#next) continue;
      this.#early.delete(ledgerOffset);
      this.#apply(ledgerOffset, record);
      this.#applyEarly();
    }
  }

  /** Starts anew from the log's start: it was trimmed beyond what this view had read. */
  restart(logStart: number): void {
    const known = [...this.#state.entries()];
    this.#state = new LedgerState(this.onChange);
    for (const { offset } of known) this.onChange(offset, offset, undefined);
    this.#next = logStart;
    for (const ledgerOffset of this.#early.keys()) if (ledgerOffset < logStart) this.#early.delete(ledgerOffset);
    this.#applyEarly();
  }

  #applyEarly(): void {
    for (let record = this.#early.get(this.#next); record; record = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#apply(this.#next, record);
    }
  }

  #apply(ledgerOffset: number, record: LedgerRecord): void {
    this.#next = ledgerOffset + 1;
    const applied = this.#state.apply(ledgerOffset, record);
    if (!('worker' in record) || record.worker !== this.worker) return;
    const outcome = this.#outcomes.get(record.seq);
    this.#outcomes.delete(record.seq);
    outcome?.(applied);
  }
}
