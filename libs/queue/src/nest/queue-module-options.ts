import type { Ackline, AcklineOptions } from '../ackline.js';

interface Closing {
  /** How long a shutdown waits for running handlers and for the store, all together. Default 10 s. */
  readonly closeDeadlineMs?: number;
}

/**
 * What a `QueueModule` is made from: what `Ackline` takes, or an `Ackline` of yours. One that the module makes it closes
 * with the application; yours it drains only, for you to close.
 */
export type QueueModuleOptions = (AcklineOptions & Closing) | ({ readonly ackline: Ackline } & Closing);

/** How a `QueueModule` shows itself to other modules. */
export interface QueueModuleExtras {
  /** Whether every module may inject from it without importing it. Default false. */
  readonly isGlobal?: boolean;
  /** For a second store in one application: inject it with `@InjectAckline(name)`, `@InjectQueueClient(name)`. */
  readonly name?: string | undefined;
}

/** Implement it for `QueueModule.forRootAsync({ useClass })`. */
export interface QueueModuleOptionsFactory {
  createQueueOptions(): QueueModuleOptions | Promise<QueueModuleOptions>;
}
