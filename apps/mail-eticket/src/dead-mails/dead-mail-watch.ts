import type { Logger } from '@eticket/service';
import type { DeadLetter, DeadLetterFilter } from 'ackline';
import { operatorAdvice } from '../etickets/operator-advice.js';
import { trouble } from '../log-trouble.js';
import { MailStatusPublisher } from '../mail-status/mail-status.publisher.js';
import type { Sender } from '../sending/compose-mail.js';
import { deadMail } from './dead-mail.js';
import type { DeadMail } from './dead-mail.js';
import { DeadMailRepository } from './dead-mail.repository.js';

/** Where dead letters are read, oldest first. */
export interface DeadLetterSource {
  list(filter: DeadLetterFilter): AsyncIterable<DeadLetter>;
}

export interface DeadMailWatchParts {
  /** One for each queue that mails follow from. */
  readonly sources: readonly DeadLetterSource[];
  readonly records: DeadMailRepository;
  readonly statuses: MailStatusPublisher;
  readonly sender: Sender;
  readonly logger: Logger;
}

/** For what another worker dead-lettered and died before it could tell. */
const LOOK_EVERY_MS = 30_000;
/** What dies together is told together. */
const LOOK_SOON_MS = 200;
/** A letter may become visible so long after the time that it bears: clocks of brokers differ, transactions last. */
const LATE_LETTERS_MS = 60_000;
const BATCH = 100;

/**
 * Tells the booking of mails whose events became dead letters, by reading the dead letters. What is given up in a handler
 * the handler tells; an event that kills its worker, runs out of time or is no valid event ends where no handler can.
 *
 * Told at least once, whatever dies when: the send record says which deaths were told, any worker goes on with the rest,
 * and a status told twice has one id and one revision. A redriven event that dies again is told again.
 */
export class DeadMailWatch {
  readonly #since = new Map<DeadLetterSource, Date>();
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  #isClosed = false;

  constructor(private readonly parts: DeadMailWatchParts) {}

  /** Looks soon, and from then on now and then. To be called when the tables are there, and again for each new letter. */
  look(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#lookIn(LOOK_SOON_MS);
  }

  /** Resolves when no look is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookIn(delayMs: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#lookAtAll());
    }, delayMs).unref();
  }

  async #lookAtAll(): Promise<void> {
    this.#isSoon = false;
    this.#lookIn(LOOK_EVERY_MS);
    try {
      for (const source of this.parts.sources) await this.#lookAt(source);
    } catch (error) {
      if (!this.#isClosed) this.parts.logger.warn(trouble(error), 'dead letters cannot be told of yet');
    }
  }

  async #lookAt(source: DeadLetterSource): Promise<void> {
    const deadAfter = this.#since.get(source);
    let newest = deadAfter?.getTime() ?? 0;
    // Looked at again: the newest, since others may come to stand before them, and what a worker is sending now.
    let againFrom = Infinity;
    let batch: DeadMail[] = [];
    const tell = async (): Promise<void> => {
      againFrom = Math.min(againFrom, await this.#tell(batch));
      batch = [];
    };
    for await (const letter of source.list(deadAfter ? { deadAfter } : {})) {
      if (this.#isClosed) return;
      newest = Math.max(newest, letter.deadAt.getTime());
      const mail = deadMail(letter, this.parts.sender);
      if (mail) batch.push(mail);
      if (batch.length === BATCH) await tell();
    }
    await tell();
    const since = Math.min(newest - LATE_LETTERS_MS, againFrom - 1);
    if (since > (deadAfter?.getTime() ?? 0)) this.#since.set(source, new Date(since));
  }

  /** Resolves with the death of the oldest that is not decided yet; Infinity where all are. */
  async #tell(letters: readonly DeadMail[]): Promise<number> {
    if (letters.length === 0) return Infinity;
    const { records, statuses, logger } = this.parts;
    // Two events of one booking version are one mail; the later death counts.
    const byKey = new Map(letters.map((mail) => [keyOf(mail), mail]));
    const mails = [...byKey.values()];
    for (const { eventId, bookingId, reason = '' } of await records.giveUp(mails)) {
      const line = { eventId, bookingId, code: reason, advice: operatorAdvice(reason) };
      logger.warn(line, 'e-ticket given up, its event died without a word of its handler');
    }
    const untold = await records.untold(mails);
    const decided = untold.filter(({ state }) => state === 'sent' || state === 'failed');
    const deathOf = (record: { readonly bookingId: string; readonly version: number }): DeadMail =>
      byKey.get(keyOf(record)) as DeadMail;
    await Promise.all(decided.map((record) => statuses.publish(record, deathOf(record).traceparent)));
    if (decided.length > 0) await records.told(decided.map(deathOf));
    const undecided = untold.filter((record) => !decided.includes(record));
    return Math.min(...undecided.map((record) => deathOf(record).deadAt.getTime()));
  }
}

function keyOf({ bookingId, version }: { readonly bookingId: string; readonly version: number }): string {
  return `${bookingId.toLowerCase()} ${version}`;
}
