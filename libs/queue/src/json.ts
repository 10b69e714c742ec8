import { RejectError } from './errors.js';
import type { Message, OutgoingMessage } from './message.js';

/** Value of the header `content-type` of what {@link jsonMessage} makes. */
export const JSON_CONTENT_TYPE = 'application/json';

/** A message whose payload is `value` as JSON; says so in the header `content-type`. */
export function jsonMessage(value: unknown, options: Omit<OutgoingMessage, 'payload'> = {}): OutgoingMessage {
  return {
    ...options,
    payload: new TextEncoder().encode(JSON.stringify(value)),
    headers: { 'content-type': JSON_CONTENT_TYPE, ...options.headers },
  };
}

/** The payload as JSON. @throws RejectError `invalid_json` when it is not: no redelivery would mend it. */
export function readJson(message: Message): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(message.payload)) as unknown;
  } catch (cause) {
    throw new RejectError('invalid_json', { cause });
  }
}
