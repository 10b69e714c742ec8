import fc from 'fast-check';
import { OffsetSet, eachOffset, toRanges } from './ranges.js';

describe('ranges of offsets', () => {
  it('say the same offsets as the list that they were made of', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(200)), (offsets) => {
        const ascending = [...offsets].sort((a, b) => a - b);
        expect([...eachOffset(toRanges(ascending))]).toEqual(ascending);
      }),
    );
  });
});

describe('a set of offsets', () => {
  it('holds what a plain set holds, in whatever order and overlap it was added', () => {
    const stretch = fc.tuple(fc.nat(80), fc.nat(6)).map(([from, length]) => [from, from + length] as const);
    fc.assert(
      fc.property(fc.nat(20), fc.array(stretch), (low, stretches) => {
        const set = new OffsetSet(low);
        const model = new Set(Array.from({ length: low }, (_, offset) => offset));
        for (const [from, to] of stretches) {
          set.add(from, to);
          for (let offset = from; offset <= to; offset++) model.add(offset);
        }
        const all = Array.from({ length: 100 }, (_, offset) => offset);
        expect(all.filter((offset) => set.has(offset))).toEqual(all.filter((offset) => model.has(offset)));
        expect(set.floor).toBe(all.find((offset) => !model.has(offset)));
        for (const offset of all) {
          const absent = all.find((each) => each >= offset && !model.has(each));
          if (absent !== undefined) expect(set.nextAbsent(offset)).toBe(absent);
        }
        expect(set.countBelow(100)).toBe(all.filter((offset) => offset >= set.floor && model.has(offset)).length);
        const merged = set.ranges.every(([from], index) => index === 0 || from > set.ranges[index - 1]![1] + 1);
        expect(merged).toBe(true);
      }),
    );
  });
});
