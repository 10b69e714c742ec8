import { randomUUID } from 'node:crypto';
import { InvalidMessageError } from '../../errors.js';
import type { PreparedMessage } from '../../message.js';
import type {
  DeadLetterStore,
  DriverFeatures,
  EphemeralOptions,
  EphemeralReader,
  GroupMember,
  GroupOptions,
  GroupStats,
  QueueDriver,
} from '../../queue-driver.js';
import type { Connection } from './connection.js';
import { deadLetterStore } from './dead-letter-store.js';
import { MemoryMember } from './memory-member.js';
import { MemoryReader } from './memory-reader.js';
import type { StoredQueue } from './stored-queue.js';

/** Enough for what a test publishes, small enough that a test of the limit is cheap. */
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;

/** One process's driver on a `MemoryStore`; made by its `driver()`. */
export class MemoryDriver implements QueueDriver {
  readonly features: DriverFeatures = {
    name: 'memory',
    durable: false,
    multiProcess: false,
    transactionalPublish: false,
    maxPayloadBytes: MAX_PAYLOAD_BYTES,
  };
  private readonly members = new Set<MemoryMember>();
  private readonly readers = new Set<MemoryReader>();

  constructor(
    private readonly stored: ReadonlyMap<string, StoredQueue>,
    private readonly openQueue: (name: string) => StoredQueue,
    private readonly connection: Connection,
  ) {}

  async start(): Promise<void> {
    await this.reachStore();
  }

  async publish(queue: string, messages: readonly PreparedMessage[]): Promise<void> {
    await this.reachStore();
    const tooLarge = messages.find(({ payload }) => payload.byteLength > MAX_PAYLOAD_BYTES);
    if (tooLarge !== undefined) {
      const { id, payload } = tooLarge;
      const sizes = `payload has ${payload.byteLength} bytes, at most ${MAX_PAYLOAD_BYTES} fit`;
      throw new InvalidMessageError(`message ${id}: ${sizes}`);
    }
    this.openQueue(queue).publish(messages);
  }

  async join(options: GroupOptions): Promise<GroupMember> {
    await this.reachStore();
    const group = this.openQueue(options.queue).openGroup(options.group, options.from);
    const member = new MemoryMember(randomUUID(), group, this.connection, options);
    this.members.add(member);
    return member;
  }

  async openEphemeral({ queue, from }: EphemeralOptions): Promise<EphemeralReader> {
    await this.reachStore();
    const reader = new MemoryReader(this.openQueue(queue), this.connection, from);
    this.readers.add(reader);
    return reader;
  }

  deadLetters(queue: string, group: string): DeadLetterStore {
    return deadLetterStore(async () => {
      await this.reachStore();
      return this.stored.get(queue)?.groups.get(group);
    });
  }

  async queues(): Promise<readonly { readonly queue: string; readonly groups: readonly string[] }[]> {
    await this.reachStore();
    return [...this.stored].map(([queue, { groups }]) => ({ queue, groups: [...groups.keys()] }));
  }

  async stats(queue: string, group: string): Promise<GroupStats> {
    await this.reachStore();
    const none = { queue, group, ready: 0, waiting: 0, inFlight: 0, deadLetters: 0, oldestAgeMs: undefined };
    return this.stored.get(queue)?.groups.get(group)?.stats() ?? none;
  }

  async ping(): Promise<void> {
    await this.reachStore();
  }

  async close(): Promise<void> {
    for (const reader of this.readers) await reader.close();
    for (const member of this.members) await member.leave();
    this.connection.change('closed');
  }

  /** kill -9: nothing is given back, and nothing that this driver's users still do has an effect. */
  die(): void {
    this.connection.change('killed');
    for (const member of this.members) member.die();
  }

  /** The network goes: calls fail until the returned function is called. */
  cutOff(): () => void {
    this.connection.change('cut-off');
    return () => this.connection.change('open');
  }

  private async reachStore(): Promise<void> {
    this.connection.check();
    await Promise.resolve();
    this.connection.check();
  }
}
