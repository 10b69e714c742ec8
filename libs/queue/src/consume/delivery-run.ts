import type { Delivery, NackOptions, RejectOptions } from '../delivery.js';
import { AlreadySettledError, InvalidOptionError } from '../errors.js';
import type { LeaseLostError, QueueError } from '../errors.js';
import { MAX_DELAY_MS } from '../message.js';
import type { Message } from '../message.js';
import type { TakenMessage } from '../queue-driver.js';

/** What the handler, or the engine for it, wants done with a delivery. */
export type Verdict =
  | { readonly type: 'ack' }
  | { readonly type: 'nack'; readonly delayMs: number | undefined; readonly errorCode: string }
  | { readonly type: 'reject'; readonly errorCode: string };

/** One delivery while it runs: what the handler holds, and what the engine needs to end it. */
export class DeliveryRun implements Delivery {
  readonly message: Message;
  readonly deliveryCount: number;
  readonly firstSeenAt: Date;
  readonly lastErrorCode: string | undefined;
  readonly bytes: number;
  /** Resolves when the engine stops waiting for the handler. */
  readonly abandoned: Promise<QueueError>;

  readonly #controller = new AbortController();
  #abandon!: (reason: QueueError) => void;
  #settling: Promise<void> | undefined;

  constructor(
    readonly taken: TakenMessage,
    readonly group: string,
    readonly startedAt: number,
    private readonly settle: (run: DeliveryRun, verdict: Verdict) => Promise<void>,
  ) {
    this.message = taken.message;
    this.deliveryCount = taken.deliveryCount;
    this.firstSeenAt = taken.firstSeenAt;
    this.lastErrorCode = taken.lastErrorCode;
    this.bytes = taken.message.payload.byteLength;
    this.abandoned = new Promise((resolve) => {
      this.#abandon = resolve;
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The settlement under way or done, if any. */
  get settling(): Promise<void> | undefined {
    return this.#settling;
  }

  /** Set once the lease is another's. */
  leaseLost: LeaseLostError | undefined;

  ack(): Promise<void> {
    return this.end({ type: 'ack' });
  }

  nack(options: NackOptions = {}): Promise<void> {
    const { delayMs } = options;
    if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
      return Promise.reject(new InvalidOptionError(`delayMs is ${delayMs}: use 0 to ${MAX_DELAY_MS} (30 days).`));
    }
    return this.end({ type: 'nack', delayMs: options.delayMs, errorCode: options.errorCode ?? 'nacked' });
  }

  reject(options: RejectOptions): Promise<void> {
    return this.end({ type: 'reject', errorCode: options.errorCode });
  }

  /** Settles once. The promise never goes unhandled, also where a handler does not await it. */
  end(verdict: Verdict): Promise<void> {
    return this.endBy(() => this.settle(this, verdict));
  }

  /** As `end`, for an end that is no settlement: a release. */
  endBy(work: () => Promise<void>): Promise<void> {
    if (this.#settling) {
      return Promise.reject(new AlreadySettledError(`message ${this.message.id} is settled already in this delivery.`));
    }
    this.#settling = work();
    this.#settling.catch(() => undefined);
    return this.#settling;
  }

  /** Aborts the handler's signal and stops waiting for it. */
  abandon(reason: QueueError): void {
    if (!this.#controller.signal.aborted) this.#controller.abort(reason);
    this.#abandon(reason);
  }
}
