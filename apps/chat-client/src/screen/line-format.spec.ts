import type { RoomEvent } from '@eticket/chat-room';
import { plainFormat, terminalFormat } from './line-format.js';

const at = new Date('2026-03-14T13:02:31.123Z');
const about = { version: 1, username: 'ana', session: 's' } as const;
const said: RoomEvent = { ...about, type: 'said', message: 'hi' };
const message = (event: RoomEvent) => ({ id: '1', at, event });

describe('a line', () => {
  it.each([
    [said, 'ana: hi'],
    [{ ...about, type: 'joined' }, '* ana joined'],
    [{ ...about, type: 'left', why: 'left' }, '* ana left'],
    [{ ...about, type: 'left', why: 'gone' }, '* ana is gone: not heard of any more'],
  ] as const)('for scripts: %#', (event, text) => {
    expect(plainFormat.event(message(event))).toBe(`2026-03-14T13:02:31.123Z ${text}`);
  });

  it('for people without colour: the local time, with the day when it is another one', () => {
    const line = terminalFormat(false).event(message(said));
    expect(line).toMatch(/^2026-03-1[345] \d\d:\d\d:31 ana: hi$/);
    const today = terminalFormat(false).event({ ...message(said), at: new Date() });
    expect(today).toMatch(/^\d\d:\d\d:\d\d ana: hi$/);
  });

  it('has the name in a colour of its own, the same in any case and every time', () => {
    const colourOf = (username: string) =>
      // eslint-disable-next-line no-control-regex -- it is what is looked for
      /\x1b\[1;38;5;(\d+)m/.exec(terminalFormat(true).event(message({ ...said, username })))?.[1];
    expect(colourOf('ana')).toBe(colourOf('ANA'));
    const names = ['ana', 'bob', 'cem', 'dan', 'eve', 'fay', 'gus', 'hal'];
    expect(new Set(names.map(colourOf)).size).toBeGreaterThan(4);
  });

  it('cannot be broken by what others wrote', () => {
    const evil = { ...said, username: 'e\nve', message: '\x1b[2J\r\nana: fake' };
    expect(plainFormat.event(message(evil))).not.toMatch(/[\x1b\r\n]/); // eslint-disable-line no-control-regex
  });
});
