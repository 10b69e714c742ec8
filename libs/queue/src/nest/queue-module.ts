import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { Ackline } from '../ackline.js';
import { DeadLetters } from '../dead-letters.js';
import { QueueClient } from './queue-client.js';
import type { QueueModuleExtras, QueueModuleOptions } from './queue-module-options.js';
import { QueueShutdown } from './queue-shutdown.js';
import { acklineToken, deadLettersToken, queueClientToken } from './queue-tokens.js';

const OPTIONS = Symbol('queue module options');
const NO_EXTRAS: QueueModuleExtras = { isGlobal: false, name: undefined };

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<QueueModuleOptions>({
  optionsInjectionToken: OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createQueueOptions')
  .setExtras(NO_EXTRAS, (definition, { isGlobal = false, name }) => ({
    ...definition,
    global: isGlobal,
    providers: [...(definition.providers ?? []), ...providersOf(name)],
    exports: [acklineToken(name), queueClientToken(name)],
  }))
  .build();

/** Whose dead letters `QueueModule.forFeature` provides. */
export interface QueueFeatureOptions {
  readonly deadLetters: readonly { readonly queue: string; readonly group: string }[];
  /** Of which `QueueModule`. */
  readonly name?: string;
}

/**
 * Provides {@link Ackline} and {@link QueueClient}, and closes them with the application: handlers drain in
 * `onModuleDestroy`, so import it after the modules whose services handlers use; the store goes last. It connects to
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
   * Provides groups' `DeadLetters` for `@InjectDeadLetters(queue, group)`; one alone also by the class. A `QueueModule`
   * must be global, or imported beside.
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
      provide: QueueShutdown,
      inject: [acklineToken(name), OPTIONS],
      useFactory: (ackline: Ackline, options: QueueModuleOptions) => new QueueShutdown(ackline, options),
    },
  ];
}
