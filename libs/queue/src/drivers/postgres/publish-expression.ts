import type { PreparedMessage } from '../../message.js';

/** A call of one of the schema's functions, whose parameters are numbered from `firstParameter`. */
export interface SqlExpression {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Stores messages in the queue. With `lockKeys`, in commit order per key. */
export function publishExpression(
  queue: string,
  messages: readonly PreparedMessage[],
  { lockKeys, firstParameter = 1 }: { readonly lockKeys: boolean; readonly firstParameter?: number },
): SqlExpression {
  const types = ['text', ...COLUMN_TYPES, 'boolean'];
  return { text: call('publish', types, firstParameter), values: [queue, ...columns(messages), lockKeys] };
}

/** Stores messages in the outbox, for a relay. */
export function enqueueExpression(
  queue: string,
  messages: readonly PreparedMessage[],
  firstParameter: number,
): SqlExpression {
  const types = ['text', ...COLUMN_TYPES];
  return { text: call('enqueue', types, firstParameter), values: [queue, ...columns(messages)] };
}

function call(name: string, types: readonly string[], firstParameter: number): string {
  return `ackline.${name}(${types.map((type, at) => `$${firstParameter + at}::${type}`).join(', ')})`;
}

/** Of {@link columns}. */
const COLUMN_TYPES = ['text[]', 'text[]', 'text[]', 'bytea[]', 'float8[]'];

function columns(messages: readonly PreparedMessage[]): readonly unknown[] {
  return [
    messages.map(({ id }) => id),
    messages.map(({ key }) => key ?? null),
    messages.map(({ headers }) => JSON.stringify(headers)),
    messages.map(({ payload }) => Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)),
    messages.map(({ delayMs }) => delayMs),
  ];
}
