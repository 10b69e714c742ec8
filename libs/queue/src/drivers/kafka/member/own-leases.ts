import type { Range } from '../ledger/ranges.js';
import type { StoredMessage } from '../kafka-message.js';
import { Held } from './held.js';
import type { LeasedRun } from './leased-run.js';
import { OffsetMap } from './offset-map.js';

/** The leases of this worker in one partition: those that wait to be given, and those that were. */
export class OwnLeases {
  readonly #ready = new Set<LeasedRun>();
  readonly #given = new OffsetMap<Held>();

  get isEmpty(): boolean {
    return this.#ready.size === 0 && this.#given.size === 0;
  }

  get hasGiven(): boolean {
    return this.#given.size > 0;
  }

  given(): Iterable<Held> {
    return this.#given.values();
  }

  add(run: LeasedRun): void {
    this.#ready.add(run);
  }

  /** The run's next message, which is `message`, is the engine's from here on. */
  give(run: LeasedRun, message: StoredMessage): Held {
    const { messages, entry, session } = run;
    const held = new Held(session, messages.from, message, entry);
    this.#given.set(held.offset, held);
    messages.shift();
    if (messages.length === 0) this.#ready.delete(run);
    return held;
  }

  /** Forgets what waits to be given. */
  takeReady(): readonly Range[] {
    const ranges = Array.from(this.#ready, ({ messages }) => [messages.from, messages.to] as const);
    this.#ready.clear();
    return ranges;
  }

  /** Forgets what was given of these neighbours; returns whether others of them wait to be given. */
  end(from: number, to: number, ended: (held: Held) => void): boolean {
    let given = 0;
    for (let offset = from; offset <= to; offset++) {
      const held = this.#given.get(offset);
      if (!held) continue;
      given++;
      this.#given.delete(offset);
      ended(held);
    }
    if (given === to - from + 1) return false;
    for (const { messages } of this.#ready) if (messages.from <= to && messages.to >= from) return true;
    return false;
  }
}
