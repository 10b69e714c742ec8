import { Body, Controller, Get, Logger, Module, Post } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { DeadLetters, RejectError } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import { QueueClient, QueueContext, QueueExceptionFilter, QueueModule, QueueRecord } from 'ackline/nest';
import { QueueHealthIndicator } from 'ackline/nest/terminus';
import { postgresDriver } from 'ackline/postgres';
import { lastValueFrom } from 'rxjs';

interface Order {
  readonly id: string;
  readonly email: string;
  readonly amount: number;
}

/** The sender: once `emit` has completed the order is stored, and will be handled whatever process dies. */
@Controller()
class ShopController {
  constructor(
    private readonly queue: QueueClient,
    private readonly deadLetters: DeadLetters,
    private readonly health: HealthCheckService,
    private readonly queueHealth: QueueHealthIndicator,
  ) {}

  @Post('orders')
  async place(@Body() order: Order): Promise<{ accepted: string }> {
    await lastValueFrom(this.queue.emit('orders', new QueueRecord(order, { id: order.id, key: order.id })));
    return { accepted: order.id };
  }

  @Get('dead-letters')
  async failed(): Promise<readonly { id: string; errorCode: string }[]> {
    const letters = [];
    for await (const { id, errorCode } of this.deadLetters.list()) letters.push({ id, errorCode });
    return letters;
  }

  @Get('health')
  @HealthCheck()
  check(): ReturnType<HealthCheckService['check']> {
    return this.health.check([() => this.queueHealth.isConsuming('queue', { queues: ['orders'] })]);
  }
}

/** The processor: a plain `@EventPattern`. Returning acks, throwing has the message delivered again. */
@Controller()
class ReceiptsController {
  private readonly logger = new Logger('receipts');

  @EventPattern<string>('orders')
  send(@Payload() order: Order, @Ctx() { delivery }: QueueContext): void {
    if (order.amount <= 0) throw new RejectError('nothing_to_pay');
    if (delivery.deliveryCount === 1) throw new Error('the mail server is busy');
    this.logger.log(`receipt of ${order.id} sent at delivery ${delivery.deliveryCount}`);
  }
}

const connectionString = process.env.DATABASE_URL;

@Module({
  imports: [
    TerminusModule,
    QueueModule.forRoot({
      driver: connectionString ? postgresDriver({ connectionString }) : new MemoryStore().driver(),
      isGlobal: true,
    }),
    QueueModule.forFeature({ deadLetters: [{ queue: 'orders', group: 'receipts' }] }),
  ],
  controllers: [ShopController, ReceiptsController],
  providers: [QueueHealthIndicator, { provide: APP_FILTER, useClass: QueueExceptionFilter }],
})
export class ShopModule {}
