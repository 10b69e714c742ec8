import { nameKey } from '@eticket/chat-room';
import type { RoomMessage } from '../consumer/consumer.js';
import type { Present } from '../server/room-server.js';
import { printable, printableName } from './printable.js';

/** How lines look. */
export interface LineFormat {
  event(message: RoomMessage): string;
  /** About the program itself, not the room. */
  notice(text: string): string;
  who(users: readonly Present[], now: Date): string;
}

/** For scripts: full times, no colour. `<time> <name>: <text>`, `<time> * <name> joined`, `<time> - <notice>`. */
export const plainFormat: LineFormat = {
  event: ({ at, event }) => `${at.toISOString()} ${sentence(event, printableName(event.username))}`,
  notice: (text) => `${new Date().toISOString()} - ${printable(text)}`,
  who: (users) => plainFormat.notice(`in the room: ${users.map(({ username }) => printableName(username)).join(', ')}`),
};

const RESET = '\x1b[0m';
const FAINT = '\x1b[2m';
/** Of the 256 colours, twelve that can be told apart and read on dark and on light. */
const COLOURS = [32, 166, 34, 133, 136, 37, 160, 98, 64, 172, 31, 169];

/** For people: the time of day, a colour for each name. */
export function terminalFormat(colour: boolean): LineFormat {
  const paint = (code: string, text: string): string => (colour ? `${code}${text}${RESET}` : text);
  const nameOf = (name: string): string => paint(`\x1b[1;38;5;${colourOf(name)}m`, printableName(name));
  return {
    event: ({ at, event }) => {
      return `${paint(FAINT, timeOf(at, new Date()))} ${sentence(event, nameOf(event.username))}`;
    },
    notice: (text) => paint(FAINT, `· ${printable(text)}`),
    who: (users, now) =>
      paint(FAINT, `· ${users.length} in the room: `) +
      users
        .map(({ username, since }) => `${nameOf(username)} ${paint(FAINT, `(since ${timeOf(since, now)})`)}`)
        .join(', '),
  };
}

function sentence(event: RoomMessage['event'], name: string): string {
  switch (event.type) {
    case 'said':
      return `${name}: ${printable(event.message)}`;
    case 'joined':
      return `* ${name} joined`;
    case 'left':
      return event.why === 'left' ? `* ${name} left` : `* ${name} is gone: not heard of any more`;
  }
}

/** The day too, where it is another one. */
function timeOf(at: Date, now: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  const sameDay = at.toDateString() === now.toDateString();
  return sameDay ? time : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

/** The same for a name on every screen: FNV-1a over what makes a name the same name. */
function colourOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(nameKey(name))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return COLOURS[hash % COLOURS.length] ?? 32;
}
