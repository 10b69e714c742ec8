import { BrokerClock } from './broker-clock.js';
import type { Candidate } from './candidates.js';
import { LeaseAhead } from './lease-ahead.js';
import { LeasedRun } from './leased-run.js';
import { MessageRun } from './message-run.js';
import { OwnLeases } from './own-leases.js';
import type { PartitionSession } from './partition-session.js';

const LARGE = 17 * 1024 * 1024;

/** A partition whose messages are so large that one is all that may be ready; each is leased as soon as asked for. */
function largeMessages() {
  let leased = 0;
  const own = new OwnLeases();
  const session = {
    claimed: true,
    leasing: 0,
    hasSuspect: false,
    own,
    queue: 'q',
    place: 'q/0/',
    candidates: { nextDue: () => undefined },
    leaseNext: (): Candidate => {
      const offset = leased++;
      const payload = { byteLength: LARGE } as Uint8Array;
      const messages = MessageRun.of(offset, {
        id: '',
        key: undefined,
        headers: {},
        publishedAt: 0,
        payload,
        delayMs: 0,
      });
      const entry = { offset, round: 0, count: 1, prior: 'none' as const, due: 0, firstSeen: 1 };
      const run = new LeasedRun(session, messages, entry);
      own.add(run);
      queueMicrotask(() => ahead.leased([run]));
      return { from: offset, to: offset, messages, key: '', suspect: false };
    },
  } as unknown as PartitionSession;
  const ahead = new LeaseAhead({
    clock: new BrokerClock(),
    sessions: () => [session],
    mayLease: () => true,
    onLeasing: () => undefined,
    onRoom: () => undefined,
  });
  return { ahead, leased: () => leased };
}

describe('leasing ahead', () => {
  it('what was given takes no room from what is to be leased', async () => {
    const { ahead, leased } = largeMessages();
    const limit = { messages: 1, bytes: LARGE };
    expect(await ahead.take(limit, [])).toHaveLength(1);
    const before = leased();
    const second = ahead.take(limit, []);
    // It is leased as it is asked for, not when the wait for it is over.
    expect(leased()).toBeGreaterThan(before);
    expect(await second).toHaveLength(1);
    ahead.close();
  });
});
