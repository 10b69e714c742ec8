import { randomUUID } from 'node:crypto';

interface Line {
  readonly id: string;
  readonly text: string;
}

/** Sends one message; @throws when it never will be sent. */
export type Send = (text: string, id: string) => Promise<void>;

// #region outgoing
/**
 * What was typed and is not in the room yet. One after the other is sent, each under an id of its own until the server
 * has confirmed it: so nothing is lost, doubled or overtaken, whatever happens to the server meanwhile.
 */
export class Outgoing {
  readonly #waiting: Line[] = [];
  readonly #unseen = new Set<string>();
  readonly #whenSent: (() => void)[] = [];
  readonly #whenSeen: (() => void)[] = [];
  #send: Send | undefined;
  #sending = false;

  constructor(private readonly onRefused: (why: string, text: string) => void) {}

  /** From now on lines are sent; those typed before first. */
  open(send: Send): void {
    this.#send = send;
    void this.#pump();
  }

  add(text: string): void {
    this.#waiting.push({ id: randomUUID(), text });
    void this.#pump();
  }

  /** The message came back from the room. */
  seen(id: string): void {
    this.#unseen.delete(id);
    this.#tell();
  }

  async #pump(): Promise<void> {
    if (!this.#send || this.#sending) return;
    this.#sending = true;
    for (let line = this.#waiting[0]; line; line = this.#waiting[0]) {
      this.#unseen.add(line.id);
      try {
        await this.#send(line.text, line.id);
      } catch (error) {
        this.#unseen.delete(line.id);
        this.onRefused(error instanceof Error ? error.message : String(error), line.text);
      }
      this.#waiting.shift();
    }
    this.#sending = false;
    this.#tell();
  }
  // #endregion

  /** Not confirmed yet. */
  get unsent(): number {
    return this.#waiting.length;
  }

  /** Resolves when the server has confirmed, or refused, all that was typed. */
  allSent(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenSent.push(resolve);
      this.#tell();
    });
  }

  /** Resolves when it has come back from the room, too. */
  allSeen(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenSeen.push(resolve);
      this.#tell();
    });
  }

  #tell(): void {
    if (this.#waiting.length > 0) return;
    for (const tell of this.#whenSent.splice(0)) tell();
    if (this.#unseen.size === 0) for (const tell of this.#whenSeen.splice(0)) tell();
  }
}
