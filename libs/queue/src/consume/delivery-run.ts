import type { Delivery, NackOptions, RejectOptions } from '../delivery.js';
import { AlreadySettledError, InvalidOptionError } from '../errors.js';
import type { LeaseLostError, QueueError } from '../errors.js';
import { MAX_DELAY_MS } from '../message.js';
import type { Message } from '../message.js';
import type { GroupMember, TakenMessage } from '../queue-driver.js';

/** What the handler, or the engine for it, wants done with a delivery. */
export type Verdict =
  | { readonly type: 'ack' }
  | { readonly type: 'nack'; readonly delayMs: number | undefined; readonly errorCode: string }
  | { readonly type: 'reject'; readonly errorCode: string };

/** Carries out what a handler says of its delivery. */
export interface DeliverySettler {
  readonly group: string;
  settle(run: DeliveryRun, verdict: Verdict): Promise<void>;
}

/** One delivery while it is in flight: what the handler holds, and what the engine needs to end it. */
export class DeliveryRun implements Delivery {
  /** The handler runs, and the engine waits for it. */
  isHandling = false;
  /** A settlement, or a release, has begun: there is no second. */
  isSettling = false;
  /** That is over. */
  isSettled = false;
  /** Where it stands among those in flight; negative when it does not. */
  place = -1;
  /** Set once the lease is another's. */
  leaseLost: LeaseLostError | undefined;
  /** What the handler threw, for the observer. */
  thrown: unknown;
  #abandonedBy: QueueError | undefined;
  #controller: AbortController | undefined;

  constructor(
    readonly taken: TakenMessage,
    readonly member: GroupMember,
    /** Monotonic. */
    readonly startedAt: number,
    private readonly settler: DeliverySettler,
  ) {}

  get message(): Message {
    return this.taken.message;
  }

  get group(): string {
    return this.settler.group;
  }

  get deliveryCount(): number {
    return this.taken.deliveryCount;
  }

  get firstSeenAt(): Date {
    return this.taken.firstSeenAt;
  }

  get lastErrorCode(): string | undefined {
    return this.taken.lastErrorCode;
  }

  get bytes(): number {
    return this.taken.message.payload.byteLength;
  }

  /** Made when a handler first asks: most never do. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#abandonedBy) this.#controller.abort(this.#abandonedBy);
    }
    return this.#controller.signal;
  }

  ack(): Promise<void> {
    return this.#end({ type: 'ack' });
  }

  nack(options: NackOptions = {}): Promise<void> {
    const { delayMs } = options;
    if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
      return Promise.reject(new InvalidOptionError(`delayMs is ${delayMs}: use 0 to ${MAX_DELAY_MS} (30 days).`));
    }
    return this.#end({ type: 'nack', delayMs, errorCode: options.errorCode ?? 'nacked' });
  }

  reject(options: RejectOptions): Promise<void> {
    return this.#end({ type: 'reject', errorCode: options.errorCode });
  }

  /** Aborts the handler's signal, now or when it asks for it. */
  abandon(reason: QueueError): void {
    this.#abandonedBy ??= reason;
    if (this.#controller && !this.#controller.signal.aborted) this.#controller.abort(reason);
  }

  /** Settles once. The promise never goes unhandled, also where a handler does not await it. */
  #end(verdict: Verdict): Promise<void> {
    if (this.isSettling) {
      return Promise.reject(new AlreadySettledError(`message ${this.message.id} is settled already in this delivery.`));
    }
    const settled = this.settler.settle(this, verdict);
    settled.catch(ignore);
    return settled;
  }
}

function ignore(): void {
  // The handler was given the same promise.
}
