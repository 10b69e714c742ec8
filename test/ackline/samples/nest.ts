// #region module
import { Controller, Module } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { Ackline } from 'ackline';
import { QueueContext, QueueExceptionFilter, QueueModule, QueueServer } from 'ackline/nest';
import { postgresDriver } from 'ackline/postgres';

@Controller()
export class InvoicesController {
  @EventPattern<string>('orders')
  async send(@Payload() order: { readonly id: string }, @Ctx() { delivery }: QueueContext): Promise<void> {
    await sendInvoice(order, delivery.signal); // resolves: acked; rejects: delivered again
  }
}

@Module({
  imports: [QueueModule.forRoot({ driver: postgresDriver({ connectionString: process.env.DATABASE_URL! }) })],
  controllers: [InvoicesController],
  providers: [{ provide: APP_FILTER, useClass: QueueExceptionFilter }],
})
export class AppModule {}

export async function start(): Promise<void> {
  const app = await NestFactory.create(AppModule);
  const strategy = new QueueServer({ ackline: app.get(Ackline), group: 'invoices' });
  app.connectMicroservice({ strategy }, { inheritAppConfig: true });
  app.enableShutdownHooks();
  await app.startAllMicroservices();
}
// #endregion

declare function sendInvoice(order: unknown, signal: AbortSignal): Promise<void>;
