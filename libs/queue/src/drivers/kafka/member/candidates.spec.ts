import { LedgerState } from '../ledger/ledger-state.js';
import type { StoredMessage } from '../kafka-message.js';
import { keyHash } from '../kafka-message.js';
import { Candidates } from './candidates.js';

const message = (id: string, key?: string): StoredMessage => ({
  id,
  key,
  headers: {},
  publishedAt: 1,
  payload: new Uint8Array(1),
  delayMs: 0,
});

const unread = {
  message: () => message('from a stretch'),
  gap: () => undefined,
  delayed: () => undefined,
};

/** One worker that owns the partition; offsets count from 0. */
function owner(order: ConstructorParameters<typeof Candidates>[1]) {
  let seq = 0;
  let at = 0;
  const changes: (() => void)[] = [];
  const state: LedgerState = new LedgerState((offset, entry) => changes.push(() => candidates.changed(offset, entry)));
  const candidates = new Candidates(() => state, order, unread);
  const tell = (record: object): void => {
    state.apply(at++, { worker: 'w', seq: ++seq, at: 1_000, ...record } as never);
    for (const change of changes.splice(0)) change();
  };
  tell({ type: 'init', low: 0 });
  tell({ type: 'claim' });
  return {
    candidates,
    next: (now = 0, suspectAllowed = true) => candidates.next(now, suspectAllowed)?.message.id,
    lease: (offset: number, key = '') => tell({ type: 'lease', claim: 1, ranges: [[offset, offset]], keys: [key] }),
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
    const { candidates, next } = owner({ by: 'none' });
    candidates.fetched(0, message('a'));
    next();
    candidates.refused(0);
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
