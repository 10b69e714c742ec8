import { uuidv7 } from 'uuidv7';
import { InvalidMessageError } from './errors.js';
import { MAX_DELAY_MS } from './message.js';
import type { MessageHeaders, OutgoingMessage, PreparedMessage } from './message.js';

const MAX_ID_LENGTH = 200;
const MAX_KEY_LENGTH = 1_024;
const MAX_HEADERS_LENGTH = 32 * 1_024;

/** Checks a message and fills in what was left out. @throws InvalidMessageError naming the field. */
export function prepareMessage(message: OutgoingMessage): PreparedMessage {
  const { id = uuidv7(), key, payload, headers = {}, delayMs = 0 } = message;
  if (typeof id !== 'string' || id.length < 1 || id.length > MAX_ID_LENGTH || hasNul(id)) {
    throw new InvalidMessageError(`id must be a text of 1 to ${MAX_ID_LENGTH} characters without NUL.`);
  }
  if (key !== undefined && (typeof key !== 'string' || key.length > MAX_KEY_LENGTH || hasNul(key))) {
    throw new InvalidMessageError(`key must be a text of at most ${MAX_KEY_LENGTH} characters without NUL.`);
  }
  if (!(payload instanceof Uint8Array)) {
    throw new InvalidMessageError('payload must be a Uint8Array; jsonMessage() makes one from a value.');
  }
  if (!Number.isFinite(delayMs) || delayMs < 0 || delayMs > MAX_DELAY_MS) {
    throw new InvalidMessageError(`delayMs is ${delayMs}: use 0 to ${MAX_DELAY_MS} (30 days).`);
  }
  return { id, key, payload, headers: checkedHeaders(headers), delayMs };
}

function checkedHeaders(headers: MessageHeaders): MessageHeaders {
  let length = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (name === '' || hasNul(name)) throw new InvalidMessageError('a header name must not be empty or hold NUL.');
    if (typeof value !== 'string' || hasNul(value)) {
      throw new InvalidMessageError(`header ${JSON.stringify(name)} must be a text without NUL, not ${typeof value}.`);
    }
    length += name.length + value.length;
  }
  if (length > MAX_HEADERS_LENGTH) {
    throw new InvalidMessageError(`headers take ${length} characters together: at most ${MAX_HEADERS_LENGTH}.`);
  }
  return { ...headers };
}

/** Neither PostgreSQL's text nor a topic's tooling bears NUL. */
function hasNul(text: string): boolean {
  return text.includes('\0');
}
