import { Entries } from './entries.js';
import type { Entry } from './records.js';

const END = 40;

/** The same numbers for a seed, wherever it runs. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const idle = (offset: number): Entry => ({ offset, round: 0, count: 1, prior: 'nacked', due: 5, firstSeen: 1 });

type Asked = Pick<Entries, 'get' | 'absentUntil' | 'nextAbsent' | 'heldUntil'> & Iterable<Entry>;

function plain(model: ReadonlyMap<number, Entry>): Asked {
  const lastOf = (from: number, to: number, fits: (at: number) => boolean): number => {
    let end = from - 1;
    while (end < to && fits(end + 1)) end++;
    return end;
  };
  return {
    get: (offset) => model.get(offset),
    nextAbsent: (offset) => lastOf(offset, offset + END, (at) => model.has(at)) + 1,
    absentUntil: (from, to) => lastOf(from, to, (at) => !model.has(at)),
    heldUntil: (from, to, worker) => lastOf(from, to, (at) => model.get(at)?.lease?.worker === worker),
    [Symbol.iterator]: () => model.values(),
  };
}

/** All answers, to be compared. */
function toldBy(entries: Asked, base: number): string {
  const last = base + END - 1;
  const all = [...entries].sort((a, b) => a.offset - b.offset);
  const offsets = Array.from({ length: END }, (_, index) => base + index);
  const answers = offsets.map((at) => [
    at,
    entries.get(at)?.firstSeen,
    entries.nextAbsent(at),
    entries.absentUntil(at, last),
    entries.heldUntil(at, last, 'a'),
  ]);
  return JSON.stringify([all, answers]);
}

describe('entries of a partition', () => {
  it.each([0, 2 ** 32 - 20, 2 ** 40])('are what a plain map from offset %d on would hold', (base) => {
    for (let seed = 1; seed <= 25; seed++) {
      const random = randomOf(seed);
      const entries = new Entries();
      const model = new Map<number, Entry>();
      for (let step = 0; step < 50; step++) {
        const from = base + random(END);
        const to = Math.min(base + END - 1, from + random(12));
        const act = random(3);
        if (act === 0) {
          const until = entries.absentUntil(from, to);
          const lease = { worker: random(2) === 0 ? 'a' : 'b', ledgerOffset: step, alone: false };
          if (until >= from) entries.addFirstLeases(from, until, step, lease);
          for (let at = from; at <= until; at++) {
            model.set(at, { offset: at, round: 0, count: 1, prior: 'none', due: 0, firstSeen: step, lease });
          }
        } else if (act === 1) {
          entries.set(idle(from));
          model.set(from, idle(from));
        } else {
          entries.delete(from, to);
          for (let at = from; at <= to; at++) model.delete(at);
        }
        expect(toldBy(entries, base)).toBe(toldBy(plain(model), base));
      }
    }
  });
});
