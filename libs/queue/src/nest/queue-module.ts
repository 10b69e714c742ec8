import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { Ackline } from '../ackline.js';
import { DeadLetters } from '../dead-letters.js';
import { QueueClient } from './queue-client.js';
import type { QueueModuleExtras, QueueModuleOptions } from './queue-module-options.js';
import { QueueShutdown, closesLast, drainsEarly } from './queue-shutdown.js';
import { acklineToken, deadLettersToken, queueClientToken } from './queue-tokens.js';

const OPTIONS = Symbol('queue module options');
const DRAIN = Symbol('drains early');
const CLOSE = Symbol('closes last');
const NO_EXTRAS: QueueModuleExtras = { isGlobal: false, name: undefined };

/** Holds what a `QueueModule` provides. Where it is global, Nest destroys it after every other module. */
@Module({})
class QueueCoreModule {}

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<QueueModuleOptions>({
  optionsInjectionToken: OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createQueueOptions')
  .setExtras(NO_EXTRAS, (definition, { isGlobal = false, name }): DynamicModule => {
    const core = {
      ...definition,
      module: QueueCoreModule,
      global: isGlobal,
      providers: [...(definition.providers ?? []), ...providersOf(name)],
      exports: [acklineToken(name), queueClientToken(name), shutdownToken(name)],
    };
    // Never global itself: its handlers drain while global modules, a database's for instance, are still there.
    const drain = { provide: DRAIN, inject: [shutdownToken(name)], useFactory: drainsEarly };
    return { module: definition.module, imports: [core], providers: [drain], exports: [core] };
  })
  .build();

/** Whose dead letters `QueueModule.forFeature` provides. */
export interface QueueFeatureOptions {
  readonly deadLetters: readonly { readonly queue: string; readonly group: string }[];
  /** Of which `QueueModule`. */
  readonly name?: string;
}

/**
 * Provides {@link Ackline} and {@link QueueClient}, and closes them with the application: handlers drain in
 * `onModuleDestroy`, before the modules imported ahead of this one and before global ones; the store goes last. It connects to
 * nothing before it is used, so that an application starts without its store.
 *
 * Consuming is the transport's: `app.connectMicroservice({ strategy: new QueueServer({ ackline: app.get(Ackline), group })
 * }, { inheritAppConfig: true })`.
 *
 * @example
 * QueueModule.forRoot({ driver: postgresDriver({ connectionString }), isGlobal: true })
 * QueueModule.forRootAsync({
 *   inject: [ConfigService],
 *   useFactory: (config: ConfigService) => ({ driver: kafkaDriver({ brokers: config.getOrThrow('BROKERS') }) }),
 * })
 */
@Module({})
export class QueueModule extends ConfigurableModuleClass {
  /**
   * Provides groups' `DeadLetters` for `@InjectDeadLetters(queue, group)`; one alone also by the class. The `QueueModule`
   * must be global.
   */
  static forFeature({ deadLetters, name }: QueueFeatureOptions): DynamicModule {
    const providers = deadLetters.map(({ queue, group }): Provider => ({
      provide: deadLettersToken(queue, group, name),
      inject: [acklineToken(name)],
      useFactory: (ackline: Ackline) => ackline.deadLetters(queue, group),
    }));
    const [only, another] = deadLetters;
    if (only && !another) {
      providers.push({ provide: DeadLetters, useExisting: deadLettersToken(only.queue, only.group, name) });
    }
    return { module: QueueFeatureModule, providers, exports: providers };
  }
}

/** Holds what `QueueModule.forFeature` provides. */
@Module({})
class QueueFeatureModule {}

function providersOf(name: string | undefined): Provider[] {
  return [
    {
      provide: acklineToken(name),
      inject: [OPTIONS],
      useFactory: (options: QueueModuleOptions) => ('ackline' in options ? options.ackline : new Ackline(options)),
    },
    {
      provide: queueClientToken(name),
      inject: [acklineToken(name)],
      useFactory: (ackline: Ackline) => new QueueClient(ackline),
    },
    {
      provide: shutdownToken(name),
      inject: [acklineToken(name), OPTIONS],
      useFactory: (ackline: Ackline, options: QueueModuleOptions) => new QueueShutdown(ackline, options),
    },
    { provide: CLOSE, inject: [shutdownToken(name)], useFactory: closesLast },
  ];
}

function shutdownToken(name: string | undefined): string {
  return `ackline/${name === undefined ? '' : `${name}/`}shutdown`;
}
