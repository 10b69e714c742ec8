import type { PreparedMessage } from '../../message.js';

export interface SqlStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Stores messages in the queue. With `lockKeys`, in commit order per key. */
export function publishStatement(queue: string, messages: readonly PreparedMessage[], lockKeys: boolean): SqlStatement {
  return {
    text: 'select ackline.publish($1, $2::text[], $3::text[], $4::text[], $5::bytea[], $6::float8[], $7)',
    values: [queue, ...columns(messages), lockKeys],
  };
}

/** Stores messages in the outbox, for a relay. */
export function enqueueStatement(queue: string, messages: readonly PreparedMessage[]): SqlStatement {
  return {
    text: 'select ackline.enqueue($1, $2::text[], $3::text[], $4::text[], $5::bytea[], $6::float8[])',
    values: [queue, ...columns(messages)],
  };
}

function columns(messages: readonly PreparedMessage[]): readonly unknown[] {
  return [
    messages.map(({ id }) => id),
    messages.map(({ key }) => key ?? null),
    messages.map(({ headers }) => JSON.stringify(headers)),
    messages.map(({ payload }) => Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)),
    messages.map(({ delayMs }) => delayMs),
  ];
}
