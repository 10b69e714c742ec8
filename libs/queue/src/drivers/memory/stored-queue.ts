import type { Clock } from '../../clock.js';
import type { PreparedMessage } from '../../message.js';
import type { GroupStart } from '../../queue-driver.js';
import { Changes } from './changes.js';
import { StoredGroup } from './stored-group.js';
import { storeMessage, type StoredMessage } from './stored-message.js';

/** One queue: the log of its messages, kept `retentionMs`, and its groups, which keep what they have not settled. */
export class StoredQueue {
  readonly changes: Changes;
  readonly groups = new Map<string, StoredGroup>();
  private log: StoredMessage[] = [];
  /** Sequence of the message at `log[0]`. */
  private firstSequence = 0;
  /** So many at the front of the log have expired and wait to be dropped. */
  private expired = 0;

  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly retentionMs: number,
  ) {
    this.changes = new Changes(clock);
  }

  /** The sequence that the next message gets. */
  get nextSequence(): number {
    return this.firstSequence + this.log.length;
  }

  publish(messages: readonly PreparedMessage[]): void {
    this.trim();
    const now = this.clock.now();
    for (const message of messages) {
      const stored = storeMessage(this.name, this.nextSequence, message, now);
      this.log.push(stored);
      for (const group of this.groups.values()) group.add(stored);
    }
    this.changes.notify();
  }

  /** The group, made where it is new. */
  openGroup(name: string, from: GroupStart): StoredGroup {
    let group = this.groups.get(name);
    if (group === undefined) {
      group = new StoredGroup(this.name, name, this.clock);
      this.groups.set(name, group);
      if (from === 'beginning') for (const message of this.kept()) group.add(message);
    }
    return group;
  }

  /** What is kept for groups and readers that come later, in publish order. */
  kept(): StoredMessage[] {
    return this.log.filter((message) => !this.hasExpired(message));
  }

  /** The first kept message at or after `sequence`. */
  from(sequence: number): StoredMessage | undefined {
    for (let index = Math.max(0, sequence - this.firstSequence); ; index += 1) {
      const message = this.log[index];
      if (message === undefined || !this.hasExpired(message)) return message;
    }
  }

  /** A message that waits for its time is kept until then, however short the retention (promise 14). */
  private hasExpired({ publishedAt, dueAt }: StoredMessage): boolean {
    const now = this.clock.now();
    return now >= publishedAt + this.retentionMs && now >= dueAt;
  }

  private trim(): void {
    for (
      let next = this.log[this.expired];
      next !== undefined && this.hasExpired(next);
      next = this.log[this.expired]
    ) {
      this.expired += 1;
    }
    // Moving the rest once it is the smaller part costs a constant a message.
    if (this.expired * 2 <= this.log.length) return;
    this.log = this.log.slice(this.expired);
    this.firstSequence += this.expired;
    this.expired = 0;
  }
}
