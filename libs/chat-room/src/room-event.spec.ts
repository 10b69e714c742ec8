import fc from 'fast-check';
import { readJson } from 'ackline';
import { readRoomEvent, roomEventMessage, type RoomEvent } from './room-event.js';

const about = { version: 1, username: 'Ana', session: 's' } as const;
const EVENTS: readonly RoomEvent[] = [
  { ...about, type: 'joined' },
  { ...about, type: 'said', message: 'hi' },
  { ...about, type: 'left', why: 'left' },
  { ...about, type: 'left', why: 'gone' },
];

describe('an event of the room', () => {
  it.each(EVENTS)('comes back from its message: %j', (event) => {
    const message = roomEventMessage(event, 'id-1');
    expect(message).toMatchObject({ id: 'id-1', key: 'ana' });
    const read = readJson({
      ...message,
      id: 'id-1',
      queue: 'q',
      key: 'ana',
      headers: {},
      publishedAt: new Date(),
      origin: '',
    });
    expect(readRoomEvent(read)).toEqual(event);
  });

  it.each([
    [{ ...about, type: 'said' }],
    [{ ...about, type: 'said', message: '' }],
    [{ ...about, type: 'said', message: 'x'.repeat(40_000) }],
    [{ ...about, type: 'left', why: 'bored' }],
    [{ ...about, type: 'joined', username: 7 }],
    [{ ...about, type: 'joined', username: 'x'.repeat(300) }],
    [{ ...about, type: 'joined', version: 2 }],
    [{ ...about, type: 'confetti' }],
  ])('is not seen in something else: %#', (value) => {
    expect(readRoomEvent(value)).toBeUndefined();
  });

  it('whatever is on the topic, reading it does not throw', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void readRoomEvent(value)));
  });
});
