import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Ackline, DeadLetters } from 'ackline';
import type { QueueDriver } from 'ackline';
import { kafkaDriver } from 'ackline/kafka';
import { InjectAckline, InjectDeadLetters, QueueClient, QueueModule, QueueRecord, QueueServer } from 'ackline/nest';
import { OutboxModule } from 'ackline/nest/outbox';
import { QueueHealthIndicator } from 'ackline/nest/terminus';
import type pg from 'pg';
import { lastValueFrom } from 'rxjs';

declare class Settings {
  brokers(): Promise<string[]>;
}
declare class SettingsModule {}
declare const driver: QueueDriver;
declare const archiveDriver: QueueDriver;
declare const pool: pg.Pool;

export const modules = [
  // #region modules
  QueueModule.forRootAsync({
    isGlobal: true,
    imports: [SettingsModule],
    inject: [Settings],
    useFactory: async (settings: Settings) => ({ driver: kafkaDriver({ brokers: await settings.brokers() }) }),
  }),
  QueueModule.forRoot({ name: 'archive', driver: archiveDriver, isGlobal: true }),
  QueueModule.forFeature({ deadLetters: [{ queue: 'orders', group: 'invoices' }] }),
  OutboxModule.forRoot({ driver, pool, isGlobal: true }),
  // #endregion
];

// #region inject
@Injectable()
export class OrdersService {
  constructor(
    private readonly queue: QueueClient,
    @InjectDeadLetters('orders', 'invoices') readonly failed: DeadLetters,
    @InjectAckline('archive') readonly archive: Ackline,
  ) {}

  async place(order: { readonly id: string }): Promise<void> {
    await lastValueFrom(this.queue.emit('orders', new QueueRecord(order, { id: order.id, key: order.id })));
  }
}
// #endregion

// #region health
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly queue: QueueHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): ReturnType<HealthCheckService['check']> {
    return this.health.check([
      () => this.queue.isConsuming('queue', { queues: ['orders'] }),
      () => this.queue.isReachable('archive', { name: 'archive' }),
    ]);
  }
}

@Module({ imports: [TerminusModule], controllers: [HealthController], providers: [QueueHealthIndicator] })
export class HealthModule {}
// #endregion

// #region groups
const AUDIT = Symbol('audit');

@Controller()
export class AuditController {
  @EventPattern<string>('orders', AUDIT)
  record(): void {}
}

export const auditServer = (ackline: Ackline): QueueServer =>
  new QueueServer({ ackline, group: 'audit', transportId: AUDIT, consume: { concurrency: 50 } });
// #endregion
