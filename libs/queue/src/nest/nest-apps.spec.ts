import {
  Controller,
  Injectable,
  Module,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import type {
  CallHandler,
  CanActivate,
  ExceptionFilter,
  ExecutionContext,
  INestApplication,
  INestMicroservice,
  NestInterceptor,
  PipeTransform,
} from '@nestjs/common';
import { Catch, Inject } from '@nestjs/common';
import { APP_FILTER, NestFactory, REQUEST } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { Ctx, EventPattern, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { lastValueFrom, NEVER, Observable, of, tap } from 'rxjs';
import { Ackline, RejectError, jsonMessage } from 'ackline';
import { testQueue } from 'ackline/testing';
import type { TestQueue } from 'ackline/testing';
import { QueueClient, QueueContext, QueueExceptionFilter, QueueModule, QueueRecord, QueueServer } from './index.js';
import type { QueueServerOptions } from './index.js';

type Options = Omit<QueueServerOptions, 'ackline' | 'group'>;

let steps: string[] = [];

beforeEach(() => {
  steps = [];
});

@Injectable()
class Refuses implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    steps.push(`guard ${context.getType()}`);
    return context.switchToRpc().getData<{ allowed?: boolean }>().allowed !== false;
  }
}

@Injectable()
class Watches implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { delivery } = context.switchToRpc().getContext<QueueContext>();
    steps.push(`before ${delivery.message.id}`);
    return next.handle().pipe(tap({ complete: () => steps.push('after') }));
  }
}

class Doubles implements PipeTransform {
  transform(value: { amount: number } | QueueContext): unknown {
    if (value instanceof QueueContext) return value;
    steps.push('pipe');
    return { ...value, amount: value.amount * 2 };
  }
}

class ForgivableError extends Error {}

@Catch(ForgivableError)
class Forgives implements ExceptionFilter {
  catch(): Observable<unknown> {
    steps.push('filter');
    return of('forgiven');
  }
}

/** How a message of the running test is handled. */
let behave: (amount: number, context: QueueContext) => unknown = () => undefined;

@Controller()
class OrdersController {
  @EventPattern<string>('orders')
  @UseGuards(Refuses)
  @UseInterceptors(Watches)
  @UsePipes(Doubles)
  @UseFilters(Forgives)
  handle(@Payload() order: { amount: number }, @Ctx() context: QueueContext): unknown {
    steps.push(`handler ${order.amount}`);
    return behave(order.amount, context);
  }
}

/** Lives as long as one delivery. */
@Controller({ scope: Scope.REQUEST })
class ScopedController {
  constructor(@Inject(REQUEST) private readonly request: { data: unknown }) {}

  @EventPattern<string>('scoped')
  handle(@Payload() payload: { fails?: boolean }): void {
    steps.push(`scoped ${JSON.stringify(payload)} ${JSON.stringify(this.request.data)}`);
    if (payload.fails) throw new RejectError('refused');
  }
}

const FILTER = { provide: APP_FILTER, useClass: QueueExceptionFilter };

describe('A Nest application with a queue', () => {
  let queue: TestQueue;
  const closing: (() => Promise<unknown>)[] = [];

  beforeEach(() => {
    queue = testQueue();
    behave = () => undefined;
  });

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await queue.close();
  });

  async function hybrid(
    controllers: readonly (new (...args: never[]) => unknown)[],
    options: Options = {},
  ): Promise<INestApplication> {
    const module = await Test.createTestingModule({
      imports: [QueueModule.forRoot({ ackline: queue.ackline })],
      controllers: [...controllers],
      providers: [FILTER],
    }).compile();
    const app = module.createNestApplication(new FastifyAdapter(), { logger: false });
    const strategy = new QueueServer({ ackline: app.get(Ackline), group: 'shop', ...options });
    app.connectMicroservice({ strategy }, { inheritAppConfig: true });
    await app.startAllMicroservices();
    closing.push(() => app.close());
    return app;
  }

  const emit = (app: INestApplication, value: object): Promise<unknown> =>
    lastValueFrom(app.get(QueueClient).emit('orders', new QueueRecord(value, { id: 'order-1' })));
  const codes = async (name = 'orders'): Promise<readonly string[]> =>
    (await queue.deadLetters(name, 'shop')).map(({ errorCode }) => errorCode);

  it('runs guards, interceptors, pipes, the handler and its context in Nest’s order', async () => {
    const app = await hybrid([OrdersController]);
    behave = (_amount, { delivery }) => void steps.push(`delivery ${delivery.deliveryCount}`);
    await emit(app, { amount: 7 });
    await queue.drained();
    expect(steps).toEqual(['guard rpc', 'before order-1', 'pipe', 'handler 14', 'delivery 1', 'after']);
    expect(await codes()).toEqual([]);
  });

  it('fails a message that a guard refuses', async () => {
    const app = await hybrid([OrdersController], { consume: { maxDeliveries: 2 } });
    await emit(app, { amount: 7, allowed: false });
    await queue.drained();
    expect(steps).toEqual(['guard rpc', 'guard rpc']);
    expect(await codes()).toEqual(['error']);
  });

  it('acks what the application’s own filter has answered', async () => {
    const app = await hybrid([OrdersController]);
    behave = () => {
      throw new ForgivableError();
    };
    await emit(app, { amount: 7 });
    await queue.drained();
    expect(steps.slice(-2)).toEqual(['handler 14', 'filter']);
    expect(await codes()).toEqual([]);
  });

  it('makes a request-scoped controller for each delivery, and fails what it refuses', async () => {
    await hybrid([ScopedController]);
    await queue.ackline.publish('scoped', [jsonMessage({ n: 1 }), jsonMessage({ fails: true })]);
    await queue.drained();
    expect(steps).toEqual(['scoped {"n":1} {"n":1}', 'scoped {"fails":true} {"fails":true}']);
    expect(await codes('scoped')).toEqual(['refused']);
  });

  it('gives up on an Observable that never completes, unsubscribes, and delivers the message again', async () => {
    let subscriptions = 0;
    behave = () =>
      new Observable(() => {
        subscriptions += 1;
        return () => (subscriptions -= 1);
      });
    const app = await hybrid([OrdersController], { consume: { handlerTimeoutMs: 1_000, maxDeliveries: 2 } });
    await emit(app, { amount: 7 });
    await queue.advance(0);
    expect(subscriptions).toBe(1);
    await queue.advance(60_000);
    await queue.drained();
    expect(steps.filter((step) => step === 'handler 14')).toHaveLength(2);
    expect(subscriptions).toBe(0);
    expect(await codes()).toEqual(['handler_timeout']);
  });

  it('leaves handlers of other transports alone, and gives two groups their own', async () => {
    const AUDIT = Symbol('audit');
    @Controller()
    class Mixed {
      @EventPattern<string>('orders')
      everyone(@Ctx() { delivery }: QueueContext): void {
        steps.push(`everyone ${delivery.group}`);
      }
      @EventPattern<string>('payments', AUDIT)
      audited(@Ctx() { delivery }: QueueContext): void {
        steps.push(`audited ${delivery.group}`);
      }
      @MessagePattern<string>('sum', Transport.TCP)
      sum(): number {
        return 1;
      }
    }
    const app = await hybrid([Mixed]);
    app.connectMicroservice({
      strategy: new QueueServer({ ackline: queue.ackline, group: 'audit', transportId: AUDIT }),
    });
    await app.startAllMicroservices();
    await queue.ackline.publish('orders', jsonMessage({}));
    await queue.ackline.publish('payments', jsonMessage({}));
    await queue.drained();
    expect(steps.sort()).toEqual(['audited audit', 'everyone audit', 'everyone shop']);
  });

  it('says so when Nest’s own filter hides what handlers throw; the message fails all the same', async () => {
    const said: unknown[] = [];
    const module = await Test.createTestingModule({ controllers: [OrdersController] }).compile();
    const app = module.createNestMicroservice({
      strategy: new QueueServer({ ackline: queue.ackline, group: 'shop', consume: { maxDeliveries: 2 } }),
      logger: { log: () => undefined, warn: () => undefined, error: (message: unknown) => said.push(message) },
    });
    await app.listen();
    closing.push(() => app.close());
    behave = () => {
      throw new RejectError('hopeless');
    };
    await queue.ackline.publish('orders', jsonMessage({ amount: 1 }));
    await queue.drained();
    expect(await codes()).toEqual(['handler_failed']);
    expect(said.filter((message) => String(message).includes('provide QueueExceptionFilter'))).toHaveLength(1);
  });

  it.each<[string, Options, RegExp]>([
    ['a queue is tuned that nobody handles', { consumeQueue: { refunds: {} } }, /consumeQueue names refunds, which no/],
    ['an option is out of its range', { consume: { concurrency: 0 } }, /concurrency is 0: use a whole number from 1/],
  ])('does not start when %s', async (_what, options, sentence) => {
    await expect(hybrid([OrdersController], options)).rejects.toThrow(sentence);
    expect(queue.ackline.consumers()).toEqual([]);
  });

  it('leaves no consumer behind when a later pattern is no queue’s name', async () => {
    @Controller()
    class Misnamed {
      @EventPattern<string>('Orders!')
      handle(): void {}
    }
    await expect(hybrid([OrdersController, Misnamed])).rejects.toThrow('queue "Orders!" is not a name');
    expect(queue.ackline.consumers()).toEqual([]);
  });

  it('starts as a microservice whose transport is made from injected parts', async () => {
    @Module({
      imports: [QueueModule.forRoot({ ackline: queue.ackline })],
      controllers: [OrdersController],
      providers: [FILTER],
    })
    class WorkerModule {}
    const worker: INestMicroservice = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(WorkerModule, {
      logger: false,
      inject: [Ackline],
      useFactory: (ackline: Ackline) => ({ strategy: new QueueServer({ ackline, group: 'shop' }) }),
    });
    await worker.listen();
    closing.push(() => worker.close());
    await queue.ackline.publish('orders', jsonMessage({ amount: 1 }));
    await queue.drained();
    expect(steps).toContain('handler 2');
  });

  it('lets an instrumentation of Nest’s see each delivery begin and end', async () => {
    const strategy = new QueueServer({ ackline: queue.ackline, group: 'shop' });
    strategy.setOnProcessingStartHook((_transport, context, done) => {
      steps.push(`begins ${(context as QueueContext).delivery.message.id}`);
      void done();
    });
    strategy.setOnProcessingEndHook((_transport, context) => {
      steps.push(`ends ${(context as QueueContext).delivery.message.id}`);
    });
    const module = await Test.createTestingModule({ controllers: [OrdersController] }).compile();
    const app = module.createNestMicroservice({ strategy, logger: false });
    await app.listen();
    closing.push(() => app.close());
    await queue.ackline.publish('orders', jsonMessage({ amount: 1 }, { id: 'order-1' }));
    await queue.drained();
    expect([steps[0], steps.at(-1)]).toEqual(['begins order-1', 'ends order-1']);
  });

  it('stops within its deadline although a handler hangs, and gives the message to the next worker uncounted', async () => {
    behave = () => NEVER;
    const app = await hybrid([OrdersController], { closeDeadlineMs: 2_000 });
    await emit(app, { amount: 7 });
    await queue.advance(0);
    const closed = app.close();
    await queue.advance(10_000);
    await closed;
    const next: number[] = [];
    queue.connect().consume({ queue: 'orders', group: 'shop' }, ({ deliveryCount }) => void next.push(deliveryCount));
    await queue.drained();
    expect(next).toEqual([1]);
  });
});
