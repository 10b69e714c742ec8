import fc from 'fast-check';
import { OffsetMap } from './offset-map.js';

const change = fc.record({ set: fc.boolean(), offset: fc.oneof(fc.nat(600), fc.nat(2 ** 40)) });

describe('a map of offsets', () => {
  it('holds what a Map holds', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const [ours, theirs] = [new OffsetMap<number>(), new Map<number, number>()];
        for (const [index, { set, offset }] of changes.entries()) {
          if (set) ours.set(offset, index);
          else ours.delete(offset);
          if (set) theirs.set(offset, index);
          else theirs.delete(offset);
          expect([ours.size, ours.get(offset)]).toEqual([theirs.size, theirs.get(offset)]);
        }
        expect([...ours.values()].sort()).toEqual([...theirs.values()].sort());
      }),
    );
  });
});
