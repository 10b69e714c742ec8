import { Presence } from './presence.js';

function presence(goneAfterMs: number) {
  const clock = { ms: 0 };
  const room = new Presence(goneAfterMs, () => clock.ms);
  /** Looks each second, up to `ms`; gives who was silent at the last look. */
  const lookUntil = (ms: number, sessions: readonly string[]): readonly string[] => {
    let silent: readonly string[] = [];
    while (clock.ms < ms) {
      clock.ms += 1_000;
      silent = room.silent(sessions);
    }
    return silent;
  };
  return { room, clock, lookUntil };
}

describe('presence', () => {
  it('knows who was not heard of for too long', () => {
    const { room, lookUntil } = presence(10_000);
    room.heard('ana');
    room.heard('bob');
    lookUntil(6_000, ['ana', 'bob']);
    room.heard('ana');
    expect(lookUntil(10_000, ['ana', 'bob'])).toEqual([]);
    expect(lookUntil(11_000, ['ana', 'bob'])).toEqual(['bob']);
    expect(lookUntil(17_000, ['ana', 'bob'])).toEqual(['ana', 'bob']);
  });

  it('gives those who were there before it the same time as those who just came', () => {
    const { lookUntil } = presence(10_000);
    expect(lookUntil(11_000, ['ana'])).toEqual([]);
    expect(lookUntil(12_000, ['ana'])).toEqual(['ana']);
  });

  it('blames nobody for the time in which it was itself asleep', () => {
    const { room, clock, lookUntil } = presence(10_000);
    room.heard('ana');
    lookUntil(2_000, ['ana']);
    clock.ms = 60_000;
    expect(room.silent(['ana'])).toEqual([]);
    expect(lookUntil(70_000, ['ana'])).toEqual([]);
    expect(lookUntil(71_000, ['ana'])).toEqual(['ana']);
  });
});
