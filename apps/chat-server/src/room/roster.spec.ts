import type { RoomEvent } from '@eticket/chat-room';
import { Roster } from './roster.js';

const joined = (username: string, session: string): RoomEvent => ({ type: 'joined', version: 1, username, session });
const left = (username: string, session: string): RoomEvent => ({
  type: 'left',
  version: 1,
  username,
  session,
  why: 'left',
});

function rosterOf(...events: readonly RoomEvent[]): Roster {
  const roster = new Roster();
  events.forEach((event, index) => roster.apply(event, new Date(index)));
  return roster;
}

describe('the roster', () => {
  it('has those who joined and did not leave, in the order of coming', () => {
    const roster = rosterOf(joined('ana', '1'), joined('bob', '2'), joined('cem', '3'), left('bob', '2'));
    expect(roster.members().map(({ username }) => username)).toEqual(['ana', 'cem']);
    expect(roster.ofSession('2')).toBeUndefined();
    expect(roster.named('ANA')).toMatchObject({ session: '1', since: new Date(0) });
  });

  it('gives a name to the first who asked, whatever its case; the second has no place', () => {
    const roster = rosterOf(joined('ana', '1'), joined('Ana', '2'), left('Ana', '2'));
    expect(roster.members()).toEqual([{ username: 'ana', session: '1', since: new Date(0) }]);
    expect(roster.ofSession('2')).toBeUndefined();
  });

  it('does not let a late leave of an earlier stay end a later one', () => {
    const roster = rosterOf(joined('ana', '1'), left('ana', '1'), joined('ana', '2'), left('ana', '1'));
    expect(roster.named('ana')?.session).toBe('2');
  });
});
