import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Ackline } from '../ackline.js';
import { systemClock } from '../clock.js';
import type { ConsumeOptions } from '../consume/consume-options.js';
import { LeaseLostError } from '../errors.js';
import type { MessageHeaders, OutgoingMessage, PreparedMessage } from '../message.js';
import type { QueueObserver } from '../observer.js';
import type { GroupMember, GroupOptions, Lease, QueueDriver, Settlement, TakenMessage } from '../queue-driver.js';
import type { ContractHarness } from './contract-harness.js';

interface MessageOptions {
  readonly id?: string;
  readonly key?: string;
  readonly headers?: MessageHeaders;
  readonly delayMs?: number;
}

const ALL = 1_000;
const MEBIBYTE = 1_048_576;
/** A real wait looks this often; a virtual one lets at least this much time pass between two looks. */
const LOOK_EVERY_MS = 10;
/** What is closed at the end of a case gets this long; a hanging handler must not hold up the next case. */
const CLEAN_UP_MS = 1_000;

/** Where one case plays: its own queue, its own groups, its processes, and ways to wait without sleeping. */
export class Stage {
  readonly queue = `contract-${randomUUID()}`;
  readonly group = `group-${randomUUID()}`;
  private readonly drivers = new Set<QueueDriver>();
  private readonly acklines: Ackline[] = [];
  private readonly pending = new AbortController();

  constructor(readonly harness: ContractHarness) {}

  /** Aborts when the case is over. */
  get signal(): AbortSignal {
    return this.pending.signal;
  }

  /** Lets others go first: what a handler awaits so that it could be overlapped. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.harness.advance) setImmediate(resolve);
      else setTimeout(resolve, 1);
    });
  }

  /** Monotonic milliseconds of the time that the store lives in. */
  now(): number {
    return (this.harness.clock ?? systemClock).monotonic();
  }

  /** One more process's connection. */
  async process(): Promise<QueueDriver> {
    const driver = await this.harness.open();
    this.drivers.add(driver);
    return driver;
  }

  /** One more process, seen as an application sees it. */
  async application(options: { driver?: QueueDriver; observer?: QueueObserver } = {}): Promise<Ackline> {
    const driver = options.driver ?? (await this.process());
    const { clock } = this.harness;
    const { observer } = options;
    const ackline = new Ackline({ driver, ...(clock && { clock }), ...(observer && { observer }) });
    this.drivers.delete(driver);
    this.acklines.push(ackline);
    return ackline;
  }

  /** What every consumer of this stage is given, unless a case says otherwise. */
  consumeOptions(): ConsumeOptions & { readonly order: 'none' } {
    const { queue, group } = this;
    const { visibilityTimeoutMs, delayMs } = this.harness;
    return { queue, group, visibilityTimeoutMs, order: 'none', backoff: { baseMs: delayMs / 4, maxMs: delayMs } };
  }

  join(driver: QueueDriver, options: Partial<GroupOptions> = {}): Promise<GroupMember> {
    const { queue, group } = this;
    const { visibilityTimeoutMs } = this.harness;
    const all: GroupOptions = { queue, group, from: 'beginning', order: { by: 'none' }, visibilityTimeoutMs };
    return this.within(driver.join({ ...all, ...options }), 'join the group');
  }

  async publish(via: QueueDriver | Ackline, ...messages: readonly PreparedMessage[]): Promise<void> {
    const published: Promise<unknown> =
      via instanceof Ackline ? via.publish(this.queue, messages.map(outgoing)) : via.publish(this.queue, messages);
    await this.within(published, 'publish');
  }

  /** The next answer of `take` that holds something. */
  async take(member: GroupMember, messages = ALL, options: WaitOptions = {}): Promise<readonly TakenMessage[]> {
    let taken: readonly TakenMessage[] = [];
    const look = async (): Promise<boolean> => {
      taken = await member.take({ messages, bytes: MEBIBYTE }, this.signal);
      return taken.length > 0;
    };
    await this.until(look, 'take a message', options);
    return taken;
  }

  async takeOne(member: GroupMember, options: WaitOptions = {}): Promise<TakenMessage> {
    const [taken] = await this.take(member, 1, options);
    return taken as TakenMessage;
  }

  /** Takes until `count` messages are held. */
  async takeCount(member: GroupMember, count: number, options: WaitOptions = {}): Promise<readonly TakenMessage[]> {
    const taken: TakenMessage[] = [];
    while (taken.length < count) {
      const more = await this.take(member, count - taken.length, options).catch((error: unknown) => {
        assert.fail(`took ${JSON.stringify(textsOf(taken))}, expected ${count} messages: ${String(error)}`);
      });
      taken.push(...more);
    }
    return taken;
  }

  /** Nothing can be taken now. Only after the member has been seen to work: a worker that joins has nothing either. */
  async takeNothing(member: GroupMember, why: string): Promise<void> {
    const taken = await this.within(member.take({ messages: ALL, bytes: MEBIBYTE }, this.signal), 'take');
    assert.deepEqual(textsOf(taken), [], why);
  }

  async ack(member: GroupMember, ...taken: readonly TakenMessage[]): Promise<void> {
    await this.within(Promise.all(taken.map(({ lease }) => this.#settle(member, lease, { type: 'ack' }))), 'ack');
  }

  nack(member: GroupMember, { lease }: TakenMessage, delayMs = 0, errorCode = 'not_now'): Promise<void> {
    return this.within(this.#settle(member, lease, { type: 'nack', delayMs, errorCode }), 'nack');
  }

  reject(member: GroupMember, { lease }: TakenMessage, errorCode = 'hopeless'): Promise<void> {
    return this.within(this.#settle(member, lease, { type: 'reject', reason: 'rejected', errorCode }), 'reject');
  }

  async #settle(member: GroupMember, lease: Lease, settlement: Settlement): Promise<void> {
    const lost = await member.settle(lease, settlement);
    if (lost?.has(lease)) throw new LeaseLostError('the lease is among the lost ones of its settlement.');
  }

  async crash(driver: QueueDriver): Promise<void> {
    await this.harness.crash(driver);
  }

  /** Waits until `condition` is true; fails, naming `what`, once the deadline is over. */
  async until(
    condition: () => boolean | Promise<boolean>,
    what: string | (() => string),
    options: WaitOptions = {},
  ): Promise<void> {
    const end = this.now() + this.deadline(options);
    const said = typeof what === 'string' ? () => what : what;
    while (!(await this.within(Promise.resolve(condition()), said, options))) {
      if (this.now() >= end) assert.fail(`did not come true in time: ${said()}`);
      await this.pass(LOOK_EVERY_MS);
    }
  }

  /** The promise's value; fails, naming `what`, when it has not settled by the deadline. */
  async within<T>(promise: Promise<T>, what: string | (() => string), options: WaitOptions = {}): Promise<T> {
    let settled = false;
    const watched = promise.finally(() => (settled = true));
    watched.catch(() => undefined);
    const end = this.now() + this.deadline(options);
    // A promise that needs no time must not cost any.
    if (this.harness.advance) await this.harness.advance(0);
    else await Promise.race([watched.catch(() => undefined), realTime(LOOK_EVERY_MS)]);
    while (!settled) {
      if (this.now() >= end) assert.fail(`did not end in time: ${typeof what === 'string' ? what : what()}`);
      await this.pass(LOOK_EVERY_MS, watched);
    }
    return watched;
  }

  /** The deadline for what should happen at once, plus the waits that are part of what is waited for. */
  private deadline({ afterTimeouts = 0, afterDelays = 0 }: WaitOptions): number {
    const { deadlineMs, visibilityTimeoutMs, delayMs } = this.harness;
    return deadlineMs + 2 * afterTimeouts * visibilityTimeoutMs + 2 * afterDelays * delayMs;
  }

  private async pass(ms: number, unless?: Promise<unknown>): Promise<void> {
    if (this.harness.advance) await this.harness.advance(ms);
    else await Promise.race([unless?.catch(() => undefined), realTime(ms)].filter((one) => one !== undefined));
  }

  /** Closes every process of this case. */
  async close(): Promise<void> {
    this.pending.abort();
    const closings = [
      ...this.acklines.map((ackline) => ackline.close(CLEAN_UP_MS)),
      ...[...this.drivers].map((driver) => driver.close(CLEAN_UP_MS)),
    ];
    await this.within(Promise.all(closings), 'close every process of the case');
  }
}

/** What a wait includes beside the store's own work. */
export interface WaitOptions {
  /** So many visibility timeouts have to pass. */
  readonly afterTimeouts?: number;
  /** So many times the harness's `delayMs` have to pass. */
  readonly afterDelays?: number;
}

/** A message as the engine would have prepared it. */
export function textMessage(text: string, options: MessageOptions = {}): PreparedMessage {
  const { id = randomUUID(), key, headers = {}, delayMs = 0 } = options;
  return { id, key, payload: new TextEncoder().encode(text), headers, delayMs };
}

/** `textMessage` for each text. */
export function textMessages(...texts: readonly string[]): PreparedMessage[] {
  return texts.map((text) => textMessage(text));
}

export function textOf({ payload }: { readonly payload: Uint8Array }): string {
  return new TextDecoder().decode(payload);
}

export function textsOf(taken: readonly TakenMessage[]): string[] {
  return taken.map(({ message }) => textOf(message));
}

function outgoing({ key, ...message }: PreparedMessage): OutgoingMessage {
  return { ...message, ...(key !== undefined && { key }) };
}

function realTime(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
