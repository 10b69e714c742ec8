import { ClosedError } from '../../errors.js';
import type { Message } from '../../message.js';
import type { EphemeralReader, EphemeralStart, TakeLimit } from '../../queue-driver.js';
import type { Connection } from './connection.js';
import { MinHeap } from './min-heap.js';
import { toMessage, type StoredMessage } from './stored-message.js';
import type { StoredQueue } from './stored-queue.js';

interface Held {
  readonly message: StoredMessage;
  readonly dueAt: number;
}

/** A position in the log, and what was passed there before its time; the store knows nothing of its readers. */
export class MemoryReader implements EphemeralReader {
  private position: number;
  private readonly held = new MinHeap<Held>(
    (a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.message.sequence < b.message.sequence),
  );
  /** A delayed message holds back the later ones of its key, which would otherwise overtake it. */
  private readonly heldKeys = new Map<string, { readonly dueAt: number; readonly messages: number }>();
  private readonly closing = new AbortController();

  constructor(
    private readonly queue: StoredQueue,
    private readonly connection: Connection,
    from: EphemeralStart,
  ) {
    this.position = startOf(queue, from);
  }

  async take(limit: TakeLimit, signal: AbortSignal): Promise<readonly Message[]> {
    if (this.closing.signal.aborted) throw new ClosedError('this reader is closed');
    return this.connection.poll(
      () => this.read(limit),
      this.queue.changes,
      () => this.held.peek()?.dueAt ?? Infinity,
      [signal, this.closing.signal],
    );
  }

  close(): Promise<void> {
    this.closing.abort();
    return Promise.resolve();
  }

  private read(limit: TakeLimit): Message[] {
    const messages: Message[] = [];
    for (let bytes = 0; messages.length < limit.messages;) {
      const next = this.next();
      if (next === undefined) break;
      bytes += next.payload.byteLength;
      if (messages.length > 0 && bytes > limit.bytes) break;
      this.pass(next);
      messages.push(toMessage(next));
    }
    return messages;
  }

  /** The next message that is due. */
  private next(): StoredMessage | undefined {
    const now = this.connection.clock.now();
    for (;;) {
      const held = this.held.peek();
      if (held !== undefined && held.dueAt <= now) return held.message;
      const message = this.queue.from(this.position);
      if (message === undefined) return undefined;
      const heldKey = message.key === undefined ? undefined : this.heldKeys.get(message.key);
      if (message.dueAt <= now && heldKey === undefined) return message;
      this.hold(message, Math.max(message.dueAt, heldKey?.dueAt ?? 0));
    }
  }

  private hold(message: StoredMessage, dueAt: number): void {
    this.position = message.sequence + 1;
    this.held.push({ message, dueAt });
    if (message.key === undefined) return;
    const messages = (this.heldKeys.get(message.key)?.messages ?? 0) + 1;
    this.heldKeys.set(message.key, { dueAt, messages });
  }

  private pass(message: StoredMessage): void {
    if (this.held.peek()?.message !== message) {
      this.position = message.sequence + 1;
      return;
    }
    this.held.pop();
    const heldKey = message.key === undefined ? undefined : this.heldKeys.get(message.key);
    if (message.key === undefined || heldKey === undefined) return;
    if (heldKey.messages === 1) this.heldKeys.delete(message.key);
    else this.heldKeys.set(message.key, { ...heldKey, messages: heldKey.messages - 1 });
  }
}

function startOf(queue: StoredQueue, from: EphemeralStart): number {
  if (from === 'latest') return queue.nextSequence;
  const kept = queue.kept();
  const first = from === 'beginning' ? kept[0] : kept[Math.max(0, kept.length - Math.max(0, from.last))];
  return first?.sequence ?? queue.nextSequence;
}
