import { InvalidOptionError } from '../errors.js';
import { checkName } from '../names.js';
import type { DeliveryOrder, GroupStart } from '../queue-driver.js';
import type { Backoff } from './backoff.js';

/** How a group consumes a queue. Every worker of a group should be given the same. */
export interface ConsumeOptions {
  readonly queue: string;
  readonly group: string;
  /**
   * Handlers that run in this worker at once. Default 10. One that has returned makes room for the next while its ack is
   * on its way to the store, so that up to 16 times as many messages are in flight; one that awaits `delivery.ack()`
   * keeps its place until the ack is durable, and then no more than `concurrency` are.
   */
  readonly concurrency?: number;
  /** Payload bytes in flight in this worker at once; one message is always allowed. Default 64 MiB. */
  readonly maxBytesInFlight?: number;
  /** Deliveries before a message becomes a dead letter. Default 5. */
  readonly maxDeliveries?: number;
  /** A handler that runs longer is aborted and its message nacked. Default 5 minutes. */
  readonly handlerTimeoutMs?: number;
  /** A worker not heard of for this long loses its leases. Default 30 s; at least 1 s. */
  readonly visibilityTimeoutMs?: number;
  /** Between deliveries, where the nack names no delay. Default 1 s doubling up to 10 minutes, full jitter. */
  readonly backoff?: Backoff;
  /**
   * `none` (default), or `key`: messages of one key one at a time, in publish order, a key whose head waits for
   * redelivery being blocked; `{ by: 'key', whenHeadWaits: 'overtake' }` lets the next ones pass.
   */
  readonly order?: 'none' | 'key' | DeliveryOrder;
  /** Where a group that never existed starts. Default `beginning`. */
  readonly from?: GroupStart;
  /** Between tries of one message while the line is stopped. Default 1 s doubling up to 1 minute. */
  readonly probe?: Backoff;
}

export interface ResolvedConsumeOptions {
  readonly queue: string;
  readonly group: string;
  readonly concurrency: number;
  readonly maxBytesInFlight: number;
  readonly maxDeliveries: number;
  readonly handlerTimeoutMs: number;
  readonly visibilityTimeoutMs: number;
  readonly backoff: Backoff;
  readonly order: DeliveryOrder;
  readonly from: GroupStart;
  readonly probe: Backoff;
}

/** Fills in the defaults. @throws InvalidOptionError naming the option and what would be right. */
export function resolveConsumeOptions(options: ConsumeOptions): ResolvedConsumeOptions {
  checkName('queue', options.queue);
  checkName('group', options.group);
  const backoff = options.backoff ?? { baseMs: 1_000, maxMs: 600_000 };
  const probe = options.probe ?? { baseMs: 1_000, maxMs: 60_000 };
  checkBackoff('backoff', backoff);
  checkBackoff('probe', probe);
  return {
    queue: options.queue,
    group: options.group,
    concurrency: integer('concurrency', options.concurrency ?? 10, 1, 10_000),
    maxBytesInFlight: integer('maxBytesInFlight', options.maxBytesInFlight ?? 64 * 1024 * 1024, 1, 2 ** 40),
    maxDeliveries: integer('maxDeliveries', options.maxDeliveries ?? 5, 1, 1_000_000),
    handlerTimeoutMs: integer('handlerTimeoutMs', options.handlerTimeoutMs ?? 300_000, 1, 86_400_000),
    visibilityTimeoutMs: integer('visibilityTimeoutMs', options.visibilityTimeoutMs ?? 30_000, 1_000, 86_400_000),
    backoff,
    order: resolveOrder(options.order),
    from: options.from ?? 'beginning',
    probe,
  };
}

function resolveOrder(order: ConsumeOptions['order']): DeliveryOrder {
  if (order === undefined || order === 'none') return { by: 'none' };
  if (order === 'key') return { by: 'key', whenHeadWaits: 'block' };
  return order;
}

function integer(option: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new InvalidOptionError(`${option} is ${value}: use a whole number from ${least} to ${most}.`);
  }
  return value;
}

function checkBackoff(option: string, { baseMs, maxMs }: Backoff): void {
  integer(`${option}.baseMs`, baseMs, 0, 2_592_000_000);
  integer(`${option}.maxMs`, maxMs, baseMs, 2_592_000_000);
}
