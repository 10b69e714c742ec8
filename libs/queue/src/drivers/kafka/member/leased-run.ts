import type { Entry } from '../ledger/records.js';
import type { MessageRun } from './message-run.js';
import type { PartitionSession } from './partition-session.js';

/** Leases of this worker that are durable, and whose messages wait for their turn. */
export class LeasedRun {
  constructor(
    readonly session: PartitionSession,
    readonly messages: MessageRun,
    /** That of the first; the others are alike but for the offset. */
    readonly entry: Entry,
  ) {}

  get isSuspect(): boolean {
    return this.entry.prior === 'crashed' || this.entry.prior === 'crashed-alone';
  }
}
