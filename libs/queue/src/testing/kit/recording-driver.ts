import type { MessageHeaders, PreparedMessage } from '../../message.js';
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

/** A message that was published, in a plain object: for `toEqual`, `toMatchObject` and `assert.deepEqual`. */
export interface PublishedMessage {
  readonly id: string;
  readonly key: string | undefined;
  readonly headers: MessageHeaders;
  readonly delayMs: number;
  readonly payload: Uint8Array;
  /** The payload as JSON; undefined when it is none. */
  readonly value: unknown;
}

/** A driver that remembers what was published through it, in order. What the store refused is not among it. */
export class RecordingDriver implements QueueDriver {
  constructor(
    private readonly driver: QueueDriver,
    private readonly record: (queue: string, message: PublishedMessage) => void,
  ) {}

  get features(): DriverFeatures {
    return this.driver.features;
  }

  async publish(queue: string, messages: readonly PreparedMessage[]): Promise<void> {
    const published = messages.map(copyOf);
    await this.driver.publish(queue, messages);
    for (const message of published) this.record(queue, message);
  }

  start(signal?: AbortSignal): Promise<void> {
    return this.driver.start(signal);
  }

  join(options: GroupOptions): Promise<GroupMember> {
    return this.driver.join(options);
  }

  openEphemeral(options: EphemeralOptions): Promise<EphemeralReader> {
    return this.driver.openEphemeral(options);
  }

  deadLetters(queue: string, group: string): DeadLetterStore {
    return this.driver.deadLetters(queue, group);
  }

  queues(): ReturnType<QueueDriver['queues']> {
    return this.driver.queues();
  }

  stats(queue: string, group: string): Promise<GroupStats> {
    return this.driver.stats(queue, group);
  }

  ping(deadlineMs: number): Promise<void> {
    return this.driver.ping(deadlineMs);
  }

  close(deadlineMs: number): Promise<void> {
    return this.driver.close(deadlineMs);
  }
}

/** The caller may change its message after publishing it. */
function copyOf({ id, key, headers, delayMs, payload }: PreparedMessage): PublishedMessage {
  return { id, key, headers: { ...headers }, delayMs, payload: new Uint8Array(payload), value: jsonOf(payload) };
}

function jsonOf(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)) as unknown;
  } catch {
    return undefined;
  }
}
