import fc from 'fast-check';
import {
  assignPartitions,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from './assignment.js';
import type { JoinedWorker } from './assignment.js';

const partitions = [0, 1, 2, 3, 4, 5, 6, 7];
const worker = (memberId: string, owned: readonly number[] = [], stuck = false): JoinedWorker => ({
  memberId,
  owned,
  stuck,
});

describe('the sharing out of partitions', () => {
  it('gives a worker that joins its share, and moves nothing else', () => {
    const assigned = assignPartitions(partitions, [worker('a', [0, 1, 2, 3]), worker('b', [4, 5, 6, 7]), worker('c')]);
    expect(assigned.get('a')?.every((partition) => partition <= 3)).toBe(true);
    expect(assigned.get('b')?.every((partition) => partition >= 4)).toBe(true);
    expect(assigned.get('c')?.length).toBe(2);
  });

  it('leaves everything where it is when nobody came or went', () => {
    const assigned = assignPartitions(partitions, [
      worker('a', [0, 2, 4]),
      worker('b', [1, 3, 5]),
      worker('c', [6, 7]),
    ]);
    expect([...assigned.values()]).toEqual(
      expect.arrayContaining([
        [0, 2, 4],
        [1, 3, 5],
        [6, 7],
      ]),
    );
  });

  it('gives what a stuck worker has to those that can take messages', () => {
    const assigned = assignPartitions(partitions, [worker('a', partitions, true), worker('b')]);
    expect(assigned.get('a')).toEqual([]);
    expect(assigned.get('b')).toEqual(partitions);
  });

  it('leaves stuck workers what they have where all are stuck', () => {
    const assigned = assignPartitions(partitions, [worker('a', [0, 1, 2, 3], true), worker('b', [4, 5, 6, 7], true)]);
    expect(assigned.get('a')).toEqual([0, 1, 2, 3]);
  });

  it('gives every partition to exactly one worker, evenly, whatever they believe to own', () => {
    const workers = fc.uniqueArray(
      fc.record({ memberId: fc.string({ minLength: 1 }), owned: fc.uniqueArray(fc.nat(11)), stuck: fc.boolean() }),
      { selector: ({ memberId }) => memberId, minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(fc.nat(10), workers, (count, joined) => {
        const all = Array.from({ length: count }, (_, partition) => partition);
        const assigned = assignPartitions(all, joined);
        expect([...assigned.values()].flat().sort((a, b) => a - b)).toEqual(all);
        const able = joined.filter(({ stuck }) => !stuck);
        const sizes = (able.length > 0 ? able : joined).map(({ memberId }) => assigned.get(memberId)!.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('survives the wire, and a member that says nothing of itself', () => {
    expect(decodeSubscription(encodeSubscription('q', { owned: [1, 2], stuck: true }))).toEqual({
      owned: [1, 2],
      stuck: true,
    });
    expect(decodeSubscription(Buffer.alloc(0))).toEqual({ owned: [], stuck: false });
    expect(decodeAssignment('q', encodeAssignment('q', [3, 1]))).toEqual([3, 1]);
  });
});
