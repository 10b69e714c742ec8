import { ConfigurableModuleBuilder, Logger, Module } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap, Provider } from '@nestjs/common';
import type pg from 'pg';
import { Ackline } from '../../ackline.js';
import { Outbox, OutboxRelay } from '../../outbox/index.js';
import type { OutboxOptions, OutboxRelayOptions } from '../../outbox/index.js';
import { acklineToken } from '../queue-tokens.js';

/** What an {@link OutboxModule} is made from. */
export interface OutboxModuleOptions extends OutboxOptions {
  /** The relay's settings; `false` where other processes relay. On the PostgreSQL driver none is needed, and none runs. */
  readonly relay?: false | Omit<OutboxRelayOptions, 'pool' | 'ackline'>;
  /** How long a shutdown waits for the batch under way. Default 5 s. */
  readonly closeDeadlineMs?: number;
}

/** How an `OutboxModule` shows itself to other modules. */
export interface OutboxModuleExtras {
  /** Whether every module may inject from it without importing it. Default false. */
  readonly isGlobal?: boolean;
  /** Of which `QueueModule` the relay publishes with, where that has a name. */
  readonly queueName?: string | undefined;
}

/** Implement it for `OutboxModule.forRootAsync({ useClass })`. */
export interface OutboxModuleOptionsFactory {
  createOutboxOptions(): OutboxModuleOptions | Promise<OutboxModuleOptions>;
}

const OPTIONS = Symbol('outbox module options');
const NO_EXTRAS: OutboxModuleExtras = { isGlobal: false, queueName: undefined };

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<OutboxModuleOptions>({
  optionsInjectionToken: OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createOutboxOptions')
  .setExtras(NO_EXTRAS, (definition, { isGlobal = false, queueName }) => ({
    ...definition,
    global: isGlobal,
    providers: [...(definition.providers ?? []), ...providersOf(queueName)],
    exports: [Outbox, OutboxRelay],
  }))
  .build();

/**
 * Provides an {@link Outbox} for `enqueue(tx, queue, message)` in the caller's PostgreSQL transaction, and runs the
 * {@link OutboxRelay} that publishes after the commit, from the application's start to its end. Needs a `QueueModule` that
 * is global. The pool stays the caller's.
 *
 * @example
 * OutboxModule.forRootAsync({ inject: [Pool], useFactory: (pool: Pool) => ({ driver, pool }) })
 */
@Module({})
export class OutboxModule extends ConfigurableModuleClass {}

/** Starts and stops the relay with the application; the queue's store is closed after it. */
class RelayLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly relay: OutboxRelay,
    private readonly options: OutboxModuleOptions,
  ) {}

  onApplicationBootstrap(): void {
    const { relay, driver } = this.options;
    if (relay !== false && !driver.features.transactionalPublish) this.relay.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.relay.stop(this.options.closeDeadlineMs);
  }
}

function providersOf(queueName: string | undefined): Provider[] {
  return [
    { provide: Outbox, inject: [OPTIONS], useFactory: (options: OutboxModuleOptions) => new Outbox(options) },
    {
      provide: OutboxRelay,
      inject: [OPTIONS, acklineToken(queueName)],
      useFactory: ({ pool, relay }: OutboxModuleOptions, ackline: Ackline) => relayOf(pool, ackline, relay || {}),
    },
    {
      provide: RelayLifecycle,
      inject: [OutboxRelay, OPTIONS],
      useFactory: (relay: OutboxRelay, options: OutboxModuleOptions) => new RelayLifecycle(relay, options),
    },
  ];
}

function relayOf(pool: pg.Pool, ackline: Ackline, options: Omit<OutboxRelayOptions, 'pool' | 'ackline'>): OutboxRelay {
  const logger = new Logger(OutboxRelay.name);
  const onError = (error: unknown, retryInMs: number): void =>
    logger.warn(`The outbox waits, and tries again in ${retryInMs} ms: ${String(error)}`);
  return new OutboxRelay({ onError, ...options, pool, ackline });
}
