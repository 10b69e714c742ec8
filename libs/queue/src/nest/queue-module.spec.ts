import { Controller, Inject, Injectable, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { lastValueFrom } from 'rxjs';
import pg from 'pg';
import { Ackline, BrokerUnavailableError, DeadLetters, RejectError, jsonMessage } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import { postgresDriver } from 'ackline/postgres';
import { Outbox } from 'ackline/outbox';
import { drained, testQueue } from 'ackline/testing';
import { OutboxModule } from './outbox/index.js';
import {
  InjectAckline,
  InjectDeadLetters,
  InjectQueueClient,
  QueueClient,
  QueueContext,
  QueueExceptionFilter,
  QueueModule,
  QueueServer,
} from './index.js';
import type { QueueModuleOptions, QueueModuleOptionsFactory } from './index.js';

describe('QueueModule', () => {
  const closing: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function compiled(metadata: Parameters<typeof Test.createTestingModule>[0]): Promise<TestingModule> {
    const module = await Test.createTestingModule(metadata).compile();
    await module.init();
    closing.push(() => module.close());
    return module;
  }

  const stored = async (ackline: Ackline): Promise<unknown> => {
    const found: unknown[] = [];
    const tail = ackline.tail({ queue: 'orders', from: 'beginning' }, ({ payload }) => {
      found.push(JSON.parse(new TextDecoder().decode(payload)));
    });
    await until(() => found.length > 0);
    await tail.close();
    return found;
  };

  it('gives its client, whose emit has stored the message when it completes', async () => {
    const store = new MemoryStore();
    const module = await compiled({ imports: [QueueModule.forRoot({ driver: store.driver() })] });
    await lastValueFrom(module.get(QueueClient).emit('orders', { amount: 7 }));
    const other = new Ackline({ driver: store.driver() });
    closing.push(() => other.close());
    expect(await stored(other)).toEqual([{ amount: 7 }]);
  });

  it('is made from what other providers give, by a function or a class', async () => {
    const DRIVER = Symbol('driver');
    const driver = new MemoryStore().driver();
    @Module({ providers: [{ provide: DRIVER, useValue: driver }], exports: [DRIVER] })
    class StoreModule {}
    @Injectable()
    class QueueOptions implements QueueModuleOptionsFactory {
      createQueueOptions(): Promise<QueueModuleOptions> {
        return Promise.resolve({ driver });
      }
    }
    for (const queueModule of [
      QueueModule.forRootAsync({
        imports: [StoreModule],
        inject: [DRIVER],
        useFactory: (given: QueueModuleOptions) => ({ driver: given as never }),
      }),
      QueueModule.forRootAsync({ useClass: QueueOptions }),
    ]) {
      const module = await Test.createTestingModule({ imports: [queueModule] }).compile();
      await expect(module.get(Ackline).ping()).resolves.toBeUndefined();
    }
  });

  it('is seen by every module when it is global, and keeps stores with names apart', async () => {
    @Injectable()
    class Shop {
      constructor(
        readonly ackline: Ackline,
        readonly client: QueueClient,
        @InjectAckline('audit') readonly audit: Ackline,
        @InjectQueueClient('audit') readonly auditClient: QueueClient,
      ) {}
    }
    @Module({ providers: [Shop] })
    class ShopModule {}
    const [orders, audit] = [testQueue(), testQueue()];
    closing.push(
      () => orders.close(),
      () => audit.close(),
    );
    const module = await compiled({
      imports: [
        ShopModule,
        QueueModule.forRoot({ ackline: orders.ackline, isGlobal: true }),
        QueueModule.forRoot({ ackline: audit.ackline, isGlobal: true, name: 'audit' }),
      ],
    });
    const shop = module.get(Shop, { strict: false });
    expect([shop.ackline, shop.audit]).toEqual([orders.ackline, audit.ackline]);
    await lastValueFrom(shop.client.emit('orders', 1));
    await lastValueFrom(shop.auditClient.emit('orders', 2));
    expect(orders.published('orders')).toMatchObject([{ value: 1 }]);
    expect(audit.published('orders')).toMatchObject([{ value: 2 }]);
  });

  it('gives a group’s dead letters, by token, and by class where they are the only ones', async () => {
    const queue = testQueue();
    closing.push(() => queue.close());
    queue.ackline.consume({ queue: 'orders', group: 'shop' }, () => {
      throw new RejectError('hopeless');
    });
    await queue.ackline.publish('orders', jsonMessage(1));
    await queue.drained();
    @Injectable()
    class Operator {
      constructor(
        @InjectDeadLetters('orders', 'shop') readonly byToken: DeadLetters,
        @Inject(DeadLetters) readonly byClass: DeadLetters,
      ) {}
    }
    const module = await compiled({
      imports: [
        QueueModule.forRoot({ ackline: queue.ackline, isGlobal: true }),
        QueueModule.forFeature({ deadLetters: [{ queue: 'orders', group: 'shop' }] }),
      ],
      providers: [Operator],
    });
    const { byToken, byClass } = module.get(Operator);
    expect(await byToken.countByError()).toEqual([{ errorCode: 'hopeless', count: 1 }]);
    expect(byClass).toBe(byToken);
  });

  it('closes with the application what it made, after the handlers, and leaves open what it was given', async () => {
    const store = new MemoryStore();
    const events: string[] = [];
    const connection = {
      onModuleDestroy: () => void events.push('a connection that handlers use closes'),
    };
    @Module({ providers: [{ provide: 'connection', useValue: connection }] })
    class ConnectionModule {}
    const module = await Test.createTestingModule({
      imports: [ConnectionModule, QueueModule.forRoot({ driver: store.driver(), isGlobal: true })],
    }).compile();
    await module.init();
    const made = module.get(Ackline);
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const started = new Promise<void>((resolve) => {
      made.consume({ queue: 'orders', group: 'shop' }, async () => {
        resolve();
        await released;
        // The store still takes what a draining handler publishes.
        await made.publish('invoices', jsonMessage(1));
        events.push('handled');
      });
    });
    await made.publish('orders', jsonMessage(1));
    await started;
    const closed = module.close().then(() => events.push('closed'));
    await until(() => made.consumers().every((consumer) => consumer.status().state === 'closing'));
    release();
    await closed;
    expect(events).toEqual(['handled', 'a connection that handlers use closes', 'closed']);
    await expect(made.publish('orders', jsonMessage(2))).rejects.toThrow('closed');
    const after = new Ackline({ driver: store.driver() });
    closing.push(() => after.close());
    expect(await after.stats('orders', 'shop')).toMatchObject({ ready: 0, waiting: 0, inFlight: 0 });

    const given = await Test.createTestingModule({ imports: [QueueModule.forRoot({ ackline: after })] }).compile();
    await given.init();
    await given.close();
    await expect(after.publish('orders', jsonMessage(3))).resolves.toHaveLength(1);
  });

  it('stops within its deadline although a handler hangs', async () => {
    const store = new MemoryStore();
    const module = await Test.createTestingModule({
      imports: [QueueModule.forRoot({ driver: store.driver(), closeDeadlineMs: 200 })],
    }).compile();
    await module.init();
    const ackline = module.get(Ackline);
    const started = new Promise<void>((resolve) => {
      ackline.consume({ queue: 'orders', group: 'shop' }, () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    await ackline.publish('orders', jsonMessage(1));
    await started;
    await module.close();
    const after = new Ackline({ driver: store.driver() });
    closing.push(() => after.close());
    expect(await after.stats('orders', 'shop')).toMatchObject({ ready: 1, inFlight: 0 });
  });

  it('tells of an emit that failed: whoever subscribed, or else the log', async () => {
    const store = new MemoryStore();
    const driver = store.driver();
    const said: string[] = [];
    const module = await Test.createTestingModule({ imports: [QueueModule.forRoot({ driver })] })
      .setLogger({ log: () => undefined, warn: () => undefined, error: (message: string) => void said.push(message) })
      .compile();
    const client = module.get(QueueClient);
    store.cutOff(driver);
    await expect(lastValueFrom(client.emit('orders', 1))).rejects.toThrow(BrokerUnavailableError);
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toEqual([]);
    client.emit('orders', 2);
    await until(() => said.length > 0);
    expect(said).toEqual(['Nothing was published to queue orders, and nobody subscribed']);
  });
});

describe('A Nest application on PostgreSQL', () => {
  const database = `nest_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  let admin: pg.Pool;
  let pool: pg.Pool;

  beforeAll(async () => {
    admin = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL, max: 1 });
    await admin.query(`create database ${database}`);
    const url = new URL(process.env.TEST_DATABASE_URL!);
    url.pathname = `/${database}`;
    pool = new pg.Pool({ connectionString: url.href, max: 10 });
    pool.on('error', () => undefined);
  });

  afterAll(async () => {
    await pool.end();
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
  });

  it.each([
    ['straight into the queue on the same database', () => postgresDriver({ connectionString: urlOf(pool) })],
    ['by the relay on another store', () => new MemoryStore().driver()],
  ])('handles what a committed transaction published: %s', async (_how, open) => {
    const handled: unknown[] = [];
    @Controller()
    class OrdersController {
      @EventPattern<string>('orders')
      handle(@Payload() order: unknown, @Ctx() { delivery }: QueueContext): void {
        if (delivery.deliveryCount === 1) throw new Error('once');
        handled.push(order);
      }
    }
    const driver = open();
    const module = await Test.createTestingModule({
      imports: [
        QueueModule.forRoot({ driver, isGlobal: true }),
        OutboxModule.forRootAsync({ useFactory: () => ({ driver, pool, relay: { pollMs: 10 } }) }),
      ],
      controllers: [OrdersController],
      providers: [{ provide: APP_FILTER, useClass: QueueExceptionFilter }],
    }).compile();
    const app = module.createNestApplication(new FastifyAdapter(), { logger: false });
    const ackline = app.get(Ackline);
    const strategy = new QueueServer({ ackline, group: 'shop', consume: { backoff: { baseMs: 1, maxMs: 1 } } });
    app.connectMicroservice({ strategy }, { inheritAppConfig: true });
    await app.startAllMicroservices();
    await app.init();
    const outbox = app.get(Outbox);
    for (const end of ['commit', 'rollback']) {
      const client = await pool.connect();
      await client.query('begin');
      await outbox.enqueue(client, 'orders', jsonMessage({ end }));
      await client.query(end);
      client.release();
    }
    await until(() => handled.length > 0);
    await drained(ackline, { deadlineMs: 30_000 });
    expect(handled).toEqual([{ end: 'commit' }]);
    await app.close();
    await expect(ackline.publish('orders', jsonMessage(1))).rejects.toThrow('closed');
  });
});

function urlOf({ options }: pg.Pool): string {
  return options.connectionString!;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition did not become true within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
