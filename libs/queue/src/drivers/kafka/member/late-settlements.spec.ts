import { Socket } from 'node:net';
import { jest } from '@jest/globals';
import { BrokerUnavailableError, LeaseLostError } from '../../../errors.js';
import { resolveKafkaOptions } from '../kafka-options.js';
import { EndingBatch } from './ending-batch.js';
import { Held } from './held.js';
import { KafkaGroupMember } from './kafka-group-member.js';
import type { PartitionSession } from './partition-session.js';

const tooLong = (): Error => new BrokerUnavailableError('it takes too long');

/** A member without a cluster, and a lease that it gave; the spec says when the ledger has its end. */
function given(writeDeadLetter: () => Promise<void> = () => Promise.resolve()) {
  const member = new KafkaGroupMember({
    options: resolveKafkaOptions({ brokers: ['127.0.0.1:9'], socketFactory: () => new Socket() }),
    group: { queue: 'q', group: 'g', from: 'beginning', order: { by: 'none' }, visibilityTimeoutMs: 30_000 } as never,
    retentionMs: 1_000_000,
    growLedger: () => Promise.resolve(),
    trim: () => undefined,
    writeDeadLetter,
    onLeft: () => undefined,
  });
  const batch = new EndingBatch();
  const ender = {
    member,
    dueTime: () => 0,
    endLease: (lease: Held, ending: NonNullable<Held['ending']>) => {
      if (!lease.ending) batch.add(lease);
      lease.ending ??= ending;
      return batch.durable(1_000);
    },
  };
  const session = { queue: 'q', place: 'q/0/', partition: 0, ender } as unknown as PartitionSession;
  const message = { id: 'a', key: undefined, headers: {}, publishedAt: 1, payload: new Uint8Array(1), delayMs: 0 };
  const entry = { offset: 7, round: 0, count: 1, prior: 'none' as const, due: 0, firstSeen: 1 };
  return { member, batch, lease: new Held(session, 7, message, entry) };
}

describe('a settlement that was given up, and is durable when it is tried again', () => {
  // The member has no cluster, and what it tries to find one goes on by timers.
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] }));
  afterEach(() => void jest.useRealTimers());

  it('is durable for whoever tries again; another end of the lease is refused', async () => {
    const { member, batch, lease } = given();
    const first = member.settle(lease, { type: 'ack' });
    batch.stopWaiting(1_000, tooLong);
    await expect(first).rejects.toThrow(BrokerUnavailableError);
    batch.end(() => false);

    await expect(member.settle(lease, { type: 'ack' })).resolves.toBeUndefined();
    const nack = member.settle(lease, { type: 'nack', delayMs: 0, errorCode: 'no' });
    await expect(nack).rejects.toThrow(LeaseLostError);
  });

  it('is a lost lease where the ledger refused it', async () => {
    const { member, batch, lease } = given();
    const first = member.settle(lease, { type: 'ack' });
    batch.stopWaiting(1_000, tooLong);
    await expect(first).rejects.toThrow(BrokerUnavailableError);
    batch.end(() => true);

    await expect(member.settle(lease, { type: 'ack' })).rejects.toThrow(LeaseLostError);
  });

  it('resolves also where it becomes durable while the dead letter is written again', async () => {
    let written = (): void => undefined;
    const { member, batch, lease } = given(() => new Promise((resolve) => (written = resolve)));
    const reject = { type: 'reject', reason: 'rejected', errorCode: 'hopeless' } as const;
    const first = member.settle(lease, reject);
    written();
    await new Promise(setImmediate);
    batch.stopWaiting(1_000, tooLong);
    await expect(first).rejects.toThrow(BrokerUnavailableError);

    const second = member.settle(lease, reject);
    batch.end(() => false);
    written();
    await expect(second).resolves.toBeUndefined();
  });
});
