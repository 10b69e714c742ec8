import fc from 'fast-check';
import { LedgerLog } from './ledger-log.js';
import { LedgerState } from './ledger-state.js';
import { decodeRecord, encodeRecord } from './record-codec.js';
import type { CopiedMessage, Entry, LedgerRecord } from './records.js';

const message: CopiedMessage = { id: 'm', key: undefined, headers: {}, publishedAt: 1, payload: new Uint8Array(1) };

/** Applies records at ledger offsets 0, 1, 2 …; `by` signs them. */
class Story {
  readonly state = new LedgerState();
  readonly log: LedgerRecord[] = [];
  #seq = new Map<string, number>();

  tell(record: LedgerRecord): { counted: boolean; refused: number[] } {
    this.log.push(record);
    const { counted, refused } = this.state.apply(this.log.length - 1, record);
    return { counted, refused: [...refused] };
  }

  by(worker: string): { worker: string; seq: number; at: number } {
    const seq = (this.#seq.get(worker) ?? 0) + 1;
    this.#seq.set(worker, seq);
    return { worker, seq, at: 1_000 + this.log.length };
  }

  claim(worker: string): number {
    this.tell({ type: 'claim', ...this.by(worker) });
    return this.log.length - 1;
  }

  lease(worker: string, claim: number, from: number, to = from, alone = false): number[] {
    return this.tell({
      type: 'lease',
      claim,
      ranges: [[from, to]],
      ...(alone ? { alone: true } : {}),
      ...this.by(worker),
    }).refused;
  }
}

function begun(): Story {
  const story = new Story();
  story.tell({ type: 'init', low: 10 });
  return story;
}

describe('the state of a ledger', () => {
  it('begins with the first start, and knows nothing before it', () => {
    const state = new LedgerState();
    expect(state.apply(0, { type: 'claim', worker: 'a', seq: 1, at: 1 }).counted).toBe(false);
    state.apply(1, { type: 'init', low: 10 });
    state.apply(2, { type: 'init', low: 0 });
    expect(state.low).toBe(10);
  });

  it('counts a lease as a delivery, and a release takes it back', () => {
    const story = begun();
    const claim = story.claim('a');
    expect(story.lease('a', claim, 10, 12)).toEqual([]);
    expect(story.state.entry(11)).toMatchObject({ count: 1, prior: 'none', lease: { worker: 'a' } });
    story.tell({ type: 'settle', released: [[11, 11]], ...story.by('a') });
    expect(story.state.entry(11)).toMatchObject({ count: 0, firstSeen: 0, due: 0 });
    expect(story.state.entry(11)?.lease).toBeUndefined();
  });

  it('moves its low offset over what is done, in whatever order that was settled', () => {
    const story = begun();
    const claim = story.claim('a');
    story.lease('a', claim, 10, 13);
    story.tell({ type: 'settle', done: [[11, 12]], ...story.by('a') });
    expect(story.state.low).toBe(10);
    story.tell({ type: 'settle', done: [[10, 10]], ...story.by('a') });
    expect(story.state.low).toBe(13);
    expect(story.state.nextUntouched(0)).toBe(14);
  });

  it('refuses a lease under an old claim, on a leased offset, and on one that is done', () => {
    const story = begun();
    const old = story.claim('a');
    story.lease('a', old, 10);
    const claim = story.claim('b');
    expect(story.lease('a', old, 11)).toEqual([11]);
    expect(story.lease('b', claim, 10, 11)).toEqual([10]);
    story.tell({ type: 'settle', done: [[11, 11]], ...story.by('b') });
    expect(story.lease('b', claim, 11)).toEqual([11]);
  });

  it('lets a worker settle what it leased before it lost the partition', () => {
    const story = begun();
    story.lease('a', story.claim('a'), 10);
    story.claim('b');
    expect(story.tell({ type: 'settle', done: [[10, 10]], ...story.by('a') }).refused).toEqual([]);
    expect(story.state.low).toBe(11);
  });

  it('refuses settlements of what another holds by now', () => {
    const story = begun();
    story.lease('a', story.claim('a'), 10);
    const claim = story.claim('b');
    story.tell({ type: 'void', claim, workers: ['a'], ...story.by('b') });
    story.lease('b', claim, 10, 10, true);
    expect(story.tell({ type: 'settle', done: [[10, 10]], ...story.by('a') }).refused).toEqual([10]);
    expect(story.state.entry(10)).toMatchObject({ count: 2, prior: 'crashed', lease: { worker: 'b', alone: true } });
  });

  it('tells a death beside others from one under a lease of its own', () => {
    const story = begun();
    story.lease('a', story.claim('a'), 10, 11);
    let claim = story.claim('b');
    story.tell({ type: 'void', claim, workers: ['a'], ...story.by('b') });
    story.lease('b', claim, 10, 10, true);
    claim = story.claim('c');
    story.tell({ type: 'void', claim, workers: ['b'], ...story.by('c') });
    expect(story.state.entry(10)).toMatchObject({ count: 2, prior: 'crashed-alone' });
    expect(story.state.entry(11)).toMatchObject({ count: 1, prior: 'crashed' });
  });

  it('counts a record that comes twice once, and a late repetition not at all', () => {
    const story = begun();
    const claim = story.claim('a');
    const lease: LedgerRecord = { type: 'lease', claim, ranges: [[10, 10]], ...story.by('a') };
    story.tell(lease);
    story.tell({ type: 'settle', released: [[10, 10]], ...story.by('a') });
    expect(story.tell(lease).counted).toBe(false);
    expect(story.state.entry(10)?.lease).toBeUndefined();
  });

  it('ignores a redrive of one round that is repeated after the message was handled', () => {
    const story = begun();
    const claim = story.claim('a');
    story.lease('a', claim, 10);
    story.tell({ type: 'settle', done: [[10, 10]], ...story.by('a') });
    const redrive: LedgerRecord = { type: 'redrive', offset: 10, round: 1, key: '', message };
    expect(story.tell(redrive).counted).toBe(true);
    expect(story.state.entry(10)).toMatchObject({ round: 1, count: 0 });
    story.lease('a', claim, 10);
    story.tell({ type: 'settle', done: [[10, 10]], ...story.by('a') });
    expect(story.tell(redrive).counted).toBe(false);
  });

  it('keeps the delivery of a nacked message and when it is due', () => {
    const story = begun();
    const claim = story.claim('a');
    story.lease('a', claim, 10);
    story.tell({ type: 'settle', nacked: [[10, 5_000, 'smtp_451']], ...story.by('a') });
    expect(story.state.entry(10)).toMatchObject({ count: 1, due: 5_000, lastError: 'smtp_451', prior: 'nacked' });
    expect(story.state.low).toBe(10);
    story.tell({ type: 'copy', offset: 10, round: 0, message, ...story.by('a') });
    expect(story.state.low).toBe(11);
    expect(story.state.entry(10)?.copyAt).toBe(story.log.length - 1);
  });

  it('ignores a snapshot that did not land where it says', () => {
    const story = begun();
    const snapshot = story.state.toSnapshot(0);
    const other = new LedgerState();
    other.apply(5, { type: 'snapshot', lands: 4, state: snapshot, worker: 'a', seq: 1, at: 1 });
    expect(other.anchored).toBe(false);
    other.apply(4, { type: 'snapshot', lands: 4, state: snapshot, worker: 'a', seq: 1, at: 1 });
    expect(other.low).toBe(10);
  });
});

// Random histories of three workers, with repeated records, read from any point after a snapshot.
const action = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('claim' as const), worker: fc.nat(2) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('lease' as const),
      worker: fc.nat(2),
      from: fc.nat(12),
      length: fc.nat(3),
      alone: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('done' as const, 'released' as const, 'nacked' as const),
      worker: fc.nat(2),
      from: fc.nat(12),
      length: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('void' as const), worker: fc.nat(2), of: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'copy' as const,
        'redrive' as const,
        'snapshot' as const,
        'repeat' as const,
        'skip' as const,
        'defer' as const,
      ),
      worker: fc.nat(2),
      from: fc.nat(12),
    }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

function play(actions: readonly Action[]): Story {
  const story = begun();
  const claims = new Map<string, number>();
  for (const step of actions) {
    const worker = `w${step.worker}`;
    const claim = claims.get(worker) ?? -1;
    const signed = story.by(worker);
    const from = 10 + ('from' in step ? step.from : 0);
    const to = from + ('length' in step ? step.length : 0);
    const ranges = [[from, to] as const];
    if (step.do === 'claim') {
      story.tell({ type: 'claim', ...signed });
      claims.set(worker, story.log.length - 1);
    } else if (step.do === 'lease')
      story.tell({ type: 'lease', claim, ranges, ...(step.alone ? { alone: true } : {}), ...signed });
    else if (step.do === 'done') story.tell({ type: 'settle', done: ranges, ...signed });
    else if (step.do === 'released') story.tell({ type: 'settle', released: ranges, ...signed });
    else if (step.do === 'nacked') story.tell({ type: 'settle', nacked: [[from, 9_000, 'x']], ...signed });
    else if (step.do === 'void') story.tell({ type: 'void', claim, workers: [`w${step.of}`], ...signed });
    else if (step.do === 'copy') story.tell({ type: 'copy', offset: from, round: 0, message, ...signed });
    else if (step.do === 'redrive') story.tell({ type: 'redrive', offset: from, round: 1, key: '', message });
    else if (step.do === 'skip') story.tell({ type: 'note', claim, skipped: [[from, from]], ...signed });
    else if (step.do === 'defer') story.tell({ type: 'note', claim, deferred: [[from, 9_000, '']], ...signed });
    else if (step.do === 'snapshot')
      story.tell({ type: 'snapshot', lands: story.log.length, state: story.state.toSnapshot(0), ...signed });
    else if (story.log.length > 0) story.tell(story.log[step.from % story.log.length]!);
  }
  return story;
}

const view = (state: LedgerState): unknown => {
  const { done, entries, owner, claim, low } = state.toSnapshot(0);
  return { low, done, owner, claim, entries: [...entries].sort((a, b) => a.offset - b.offset) };
};

const entriesOf = (state: LedgerState): Map<number, Entry> =>
  new Map(Array.from(state.entries(), (entry) => [entry.offset, entry]));

describe('random histories of a ledger', () => {
  it('give the same state from their bytes, and from every snapshot on', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        const { log, state } = play(actions);
        for (const [start, first] of log.entries()) {
          if (start > 0 && first.type !== 'snapshot') continue;
          const again = new LedgerState();
          for (let at = start; at < log.length; at++) again.apply(at, decodeRecord(encodeRecord(log[at]!)));
          if (start === 0 || (first.type === 'snapshot' && first.lands === start))
            expect(view(again)).toEqual(view(state));
        }
      }),
    );
  });

  it('never lose an offset: every one is untouched, has an entry, or was settled by its holder', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        const story = begun();
        const full = play(actions);
        const gone = new Set<number>();
        // What may go: done by the worker that held it at that moment, or skipped by the owner.
        full.log.slice(1).forEach((record, index) => {
          const before = entriesOf(story.state);
          const wasUntouched = (offset: number): boolean => story.state.isUntouched(offset);
          const allowed = new Set<number>();
          if (record.type === 'settle') {
            for (const [offset, { lease }] of before) if (lease?.worker === record.worker) allowed.add(offset);
          }
          if (record.type === 'note' && record.worker === story.state.owner) {
            for (const [from] of record.skipped ?? [])
              if (wasUntouched(from) || !before.get(from)?.lease) allowed.add(from);
          }
          const missing = (offset: number): boolean => !story.state.isUntouched(offset) && !story.state.entry(offset);
          story.state.apply(index + 1, record);
          for (let offset = 10; offset < 26; offset++) {
            if (missing(offset) && !gone.has(offset)) {
              expect(allowed).toContain(offset);
              gone.add(offset);
            } else if (!missing(offset)) gone.delete(offset);
          }
        });
      }),
    );
  });

  it('never lease one offset to two workers at once, and count every lease once', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        const { log } = play(actions);
        const state = new LedgerState();
        log.forEach((record, at) => {
          const before = entriesOf(state);
          const { refused } = state.apply(at, record);
          for (const [offset, entry] of entriesOf(state)) {
            const was = before.get(offset);
            const isNewLease = entry.lease?.ledgerOffset === at;
            if (isNewLease) {
              expect(was?.lease).toBeUndefined();
              expect(refused.has(offset)).toBe(false);
              expect(entry.count).toBe((was?.count ?? 0) + 1);
            } else if (was && was.round === entry.round) {
              expect(entry.count - was.count).toBe(
                record.type === 'settle' &&
                  was.lease &&
                  !entry.lease &&
                  entry.prior === was.prior &&
                  entry.due === 0 &&
                  entry.count < was.count
                  ? -1
                  : 0,
              );
            }
          }
        });
      }),
    );
  });
});

describe('a worker’s view of its ledger', () => {
  it('is the same whether own records are told at once, read back, or both, in any order of arrival', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), fc.array(fc.nat(3), { maxLength: 60 }), (actions, order) => {
        const { log, state } = play(actions);
        const mine = new LedgerLog('w0');
        const outcomes: number[] = [];
        for (const record of log) {
          if ('worker' in record && record.worker === 'w0') mine.expect(record.seq, () => outcomes.push(record.seq));
        }
        const own = log.flatMap((record, at) => ('worker' in record && record.worker === 'w0' ? [at] : []));
        for (const choice of order) {
          const at = own.shift();
          if (choice > 0 && at !== undefined) mine.written(at, log[at]!);
          else
            mine.read(
              log.slice(mine.next, mine.next + choice + 1).map((record, index) => [mine.next + index, record] as const),
            );
        }
        mine.read(log.map((record, at) => [at, record] as const));
        expect(mine.hasGap).toBe(false);
        expect(view(mine.state)).toEqual(view(state));
        const seqs = new Set(
          log.flatMap((record) => ('worker' in record && record.worker === 'w0' ? [record.seq] : [])),
        );
        expect(outcomes.length).toBe(seqs.size);
      }),
    );
  });
});
