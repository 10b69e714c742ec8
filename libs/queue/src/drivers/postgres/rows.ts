import type { Message } from '../../message.js';

/** Columns of `ackline.message` as every reader selects them. */
export interface MessageRow {
  readonly seq: string;
  readonly id: string;
  readonly key: string | null;
  readonly headers: Record<string, string>;
  readonly payload: Buffer;
  readonly published_at: Date;
}

export const MESSAGE_COLUMNS = 'm.seq, m.id, m.key, m.headers, m.payload, m.published_at';

export function toMessage(queue: string, row: MessageRow): Message {
  return {
    id: row.id,
    queue,
    key: row.key ?? undefined,
    payload: row.payload,
    headers: row.headers,
    publishedAt: row.published_at,
    origin: `${queue}/${row.seq}`,
  };
}
