import { LedgerState } from '../ledger/ledger-state.js';
import type { StoredMessage } from '../kafka-message.js';
import { keyHash, readMessage } from '../kafka-message.js';
import { DecodedCursor } from '../client/decoded-cursor.js';
import type { RecordCursor } from '../client/record-cursor.js';
import { Candidates } from './candidates.js';
import type { Candidate } from './candidates.js';

const message = (id: string, key?: string): StoredMessage => ({
  id,
  key,
  headers: {},
  publishedAt: 1,
  payload: new Uint8Array(1),
  delayMs: 0,
});

/** Records of a partition as fetched; a text of `control` stands for a marker, a number after `@` for a delay. */
function fetched(...records: readonly (readonly [offset: number, text: string])[]): RecordCursor {
  const raw = records.map(([offset, text]) => ({
    offset: String(offset),
    timestamp: '1000',
    key: null,
    value: Buffer.from(text),
    headers: text.includes('@') ? { 'ackline-delay-ms': text.split('@')[1]! } : {},
    isControlRecord: text === 'control',
  }));
  return new DecodedCursor(raw, records[0]![0]);
}

/** One worker that owns the partition; offsets count from 0. */
function owner(order: ConstructorParameters<typeof Candidates>[1]) {
  let seq = 0;
  let at = 0;
  const changes: (() => void)[] = [];
  const told: (readonly [what: 'gap' | 'delayed', offset: number, upTo: number])[] = [];
  const reader = {
    message: (cursor: RecordCursor): StoredMessage => {
      const { payload, ...rest } = readMessage('q', 0, cursor);
      return { ...rest, id: Buffer.from(payload).toString(), payload };
    },
    gap: (from: number, to: number) => void told.push(['gap', from, to]),
    delayed: (offset: number, _: StoredMessage, due: number) => void told.push(['delayed', offset, due]),
  };
  const state: LedgerState = new LedgerState((from, to, entry) =>
    changes.push(() => candidates.changed(from, to, entry)),
  );
  const candidates = new Candidates(() => state, order, reader);
  const tell = (record: object): void => {
    state.apply(at++, { worker: 'w', seq: ++seq, at: 1_000, ...record } as never);
    for (const change of changes.splice(0)) change();
  };
  const leasing = new Map<number, Candidate>();
  const idOf = (candidate: Candidate | undefined): string | undefined => {
    if (candidate) leasing.set(candidate.from, candidate);
    return candidate?.messages.peek()?.id;
  };
  const decided = (offset: number): void => candidates.decided(leasing.get(offset)!);
  tell({ type: 'init', low: 0 });
  tell({ type: 'claim' });
  /** The messages of the next candidate. */
  const run = (most: number, now = 0): readonly string[] =>
    candidates
      .next(now, true, most)
      ?.messages.split()
      .map((one) => one.peek()!.id) ?? [];
  return {
    candidates,
    told,
    run,
    next: (now = 0, suspectAllowed = true) => idOf(candidates.next(now, suspectAllowed, 1)),
    lease: (offset: number, key = '') => {
      tell({ type: 'lease', claim: 1, ranges: [[offset, offset]], keys: [key] });
      decided(offset);
    },
    refused: (offset: number) => {
      decided(offset);
      candidates.refused(offset, leasing.get(offset)!.messages.peek()!);
    },
    done: (offset: number) => tell({ type: 'settle', done: [[offset, offset]] }),
    nack: (offset: number, due: number, text: StoredMessage) => {
      tell({ type: 'settle', nacked: [[offset, due, 'x']] });
      candidates.keep(offset, text);
    },
    defer: (offset: number, due: number, key = '') => tell({ type: 'note', claim: 1, deferred: [[offset, due, key]] }),
  };
}

describe('what can be leased next', () => {
  it('is what was fetched, oldest first, each once', () => {
    const { candidates, next } = owner({ by: 'none' });
    candidates.fetched(0, message('a'));
    candidates.fetched(1, message('b'));
    expect([next(), next(), next()]).toEqual(['a', 'b', undefined]);
  });

  it('is what waited and is due, before what is new', () => {
    const { candidates, next, lease, nack } = owner({ by: 'none' });
    candidates.fetched(0, message('a'));
    next();
    lease(0);
    nack(0, 500, message('a'));
    candidates.fetched(1, message('b'));
    candidates.fetched(2, message('c'));
    expect([next(499), next(500), next(500)]).toEqual(['b', 'a', 'c']);
  });

  it('has to be read again where its message is no longer in memory', () => {
    const { candidates, next, defer } = owner({ by: 'none' });
    defer(0, 500);
    expect(next(500)).toBeUndefined();
    expect([...candidates.wanted]).toEqual([0]);
    candidates.loaded(0, message('a'));
    expect(next(500)).toBe('a');
  });

  it('comes back when its lease was refused', () => {
    const { candidates, next, refused } = owner({ by: 'none' });
    candidates.fetched(0, message('a'));
    next();
    refused(0);
    expect(next()).toBe('a');
  });

  it.each(['block', 'overtake'] as const)('is one message of a key at a time (%s)', (whenHeadWaits) => {
    const { candidates, next, lease, done } = owner({ by: 'key', whenHeadWaits });
    candidates.fetched(0, message('k1', 'k'));
    candidates.fetched(1, message('k2', 'k'));
    candidates.fetched(2, message('j1', 'j'));
    expect([next(), next(), next()]).toEqual(['k1', 'j1', undefined]);
    lease(0, keyHash('k'));
    expect(next()).toBeUndefined();
    done(0);
    expect(next()).toBe('k2');
  });

  it.each([
    ['block', undefined],
    ['overtake', 'k2'],
  ] as const)('beside a waiting head (%s) is %s', (whenHeadWaits, expected) => {
    const { candidates, next, lease, nack } = owner({ by: 'key', whenHeadWaits });
    candidates.fetched(0, message('k1', 'k'));
    candidates.fetched(1, message('k2', 'k'));
    next();
    lease(0, keyHash('k'));
    nack(0, 500, message('k1', 'k'));
    expect(next(100)).toBe(expected);
  });

  it('asks to put aside what waits in large numbers behind one key', () => {
    const { candidates } = owner({ by: 'key', whenHeadWaits: 'block' });
    const aside = Array.from({ length: 250 }, (_, offset) => candidates.fetched(offset, message(`k${offset}`, 'k')));
    expect(aside.flat().length).toBeGreaterThan(0);
    expect(aside.flat()).not.toContain(0);
  });
});

describe('what can be leased next of a fetched stretch', () => {
  it('is neighbours together, as many as are wanted', () => {
    const { candidates, run } = owner({ by: 'none' });
    candidates.fetchedStretch(0, fetched([0, 'a'], [1, 'b'], [2, 'c'], [3, 'd']));
    expect([run(3), run(3), run(3)]).toEqual([['a', 'b', 'c'], ['d'], []]);
  });

  it('ends before what is no message, or has gone, and says so', () => {
    const { candidates, run, told } = owner({ by: 'none' });
    candidates.fetchedStretch(0, fetched([0, 'a'], [1, 'control'], [2, 'b'], [5, 'c'], [6, 'd']));
    expect([run(9), run(9), run(9), run(9)]).toEqual([['a'], ['b'], ['c', 'd'], []]);
    expect(told).toEqual([
      ['gap', 1, 1],
      ['gap', 3, 4],
    ]);
  });

  it('passes over what is not due yet, and takes what is', () => {
    const { candidates, run, told } = owner({ by: 'none' });
    candidates.fetchedStretch(0, fetched([0, 'a'], [1, 'b@500'], [2, 'c@100'], [3, 'd']));
    expect([run(9, 1_200), run(9, 1_200)]).toEqual([['a'], ['c@100', 'd']]);
    expect(told).toEqual([['delayed', 1, 1_500]]);
  });

  it('is nothing that the ledger has, nor what is on its way there', () => {
    const { candidates, run, defer } = owner({ by: 'none' });
    defer(1, 9_000);
    candidates.fetchedStretch(0, fetched([0, 'a'], [1, 'b'], [2, 'c'], [3, 'd']));
    expect([run(2), run(2)]).toEqual([['a'], ['c', 'd']]);
    candidates.fetchedStretch(0, fetched([0, 'a'], [1, 'b'], [2, 'c'], [3, 'd'], [4, 'e']));
    expect([run(2), run(2)]).toEqual([['e'], []]);
  });
});
