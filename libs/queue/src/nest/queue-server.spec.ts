import { Controller, Module, UseFilters, UsePipes, ValidationPipe } from '@nestjs/common';
import type { INestMicroservice } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { NestFactory } from '@nestjs/core';
import { IsInt } from 'class-validator';
import { EMPTY, concat, of, throwError } from 'rxjs';
import { Ackline, RejectError, jsonMessage } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import { QueueClient, QueueContext, QueueExceptionFilter, QueueRecord, QueueServer } from './index.js';

class Order {
  @IsInt()
  readonly amount!: number;
}

const seen: { order: Order; deliveryCount: number }[] = [];
let behave: (order: Order) => unknown = () => undefined;

@Controller()
@UseFilters(QueueExceptionFilter)
class OrdersController {
  @EventPattern<string>('orders')
  @UsePipes(new ValidationPipe({ transform: true, exceptionFactory: () => new RejectError('invalid_payload') }))
  handle(@Payload() order: Order, @Ctx() context: QueueContext): unknown {
    seen.push({ order, deliveryCount: context.delivery.deliveryCount });
    return behave(order);
  }
}

@Module({ controllers: [OrdersController] })
class OrdersModule {}

function throwIt(thrown: unknown): never {
  throw thrown;
}

const fast = { backoff: { baseMs: 1, maxMs: 1 } };

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not become true within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function start(ackline: Ackline, module: unknown = OrdersModule): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice(module as never, {
    strategy: new QueueServer({ ackline, group: 'shop', consume: { maxDeliveries: 3, ...fast } }),
    logger: false,
    abortOnError: false,
  });
  await app.listen();
  return app;
}

describe('the Nest transport', () => {
  let ackline: Ackline;
  let app: INestMicroservice | undefined;

  beforeEach(() => {
    seen.length = 0;
    behave = () => undefined;
    ackline = new Ackline({ driver: new MemoryStore().driver() });
  });

  afterEach(async () => {
    await app?.close();
    await ackline.close();
    app = undefined;
  });

  const unsettled = async (): Promise<number> => {
    const { ready, waiting, inFlight } = await ackline.stats('orders', 'shop');
    return ready + waiting + inFlight;
  };
  const deadLetters = async (): Promise<readonly { errorCode: string; deliveryCount: number }[]> => {
    const letters = [];
    for await (const { errorCode, deliveryCount } of ackline.deadLetters('orders', 'shop').list())
      letters.push({ errorCode, deliveryCount });
    return letters;
  };

  it('gives an @EventPattern handler its validated payload and acks when it completes', async () => {
    app = await start(ackline);
    await ackline.publish('orders', jsonMessage({ amount: 7 }));
    await until(() => seen.length === 1);
    await until(async () => (await unsettled()) === 0);
    expect(seen[0]!.order).toBeInstanceOf(Order);
    expect(seen).toEqual([{ order: { amount: 7 }, deliveryCount: 1 }]);
    expect(await deadLetters()).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new TypeError('no');
      },
      'typeerror',
    ],
    ['rejects', () => Promise.reject(new Error('no')), 'error'],
    [
      'rejects with something that is no Error', // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what this case is about
      () => Promise.reject('no'),
      'not_an_error',
    ],
    ['throws a text', () => throwIt('no'), 'not_an_error'],
    ['throws undefined', () => throwIt(undefined), 'not_an_error'],
    ['throws null', () => throwIt(null), 'not_an_error'],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what this case is about
    ['rejects with undefined', () => Promise.reject(undefined), 'not_an_error'],
    ['returns an Observable that errors with nothing', () => throwError(() => undefined), 'not_an_error'],
    [
      'returns a promise of an Observable that errors',
      () => Promise.resolve(throwError(() => new RangeError('no'))),
      'rangeerror',
    ],
    ['returns an Observable that errors', () => throwError(() => new RangeError('no')), 'rangeerror'],
    [
      'returns an Observable that errors after a value',
      () =>
        concat(
          of(1),
          throwError(() => new RangeError('no')),
        ),
      'rangeerror',
    ],
  ])('delivers again, and dead-letters at last, when a handler %s', async (_how, fail, errorCode) => {
    behave = fail;
    app = await start(ackline);
    await ackline.publish('orders', jsonMessage({ amount: 1 }));
    await until(async () => (await deadLetters()).length === 1);
    expect(seen.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 2, 3]);
    expect(await deadLetters()).toEqual([{ errorCode, deliveryCount: 3 }]);
  });

  it.each([
    ['an Observable that completes without a value', () => EMPTY],
    ['an Observable of several values', () => of(1, 2)],
  ])('acks when a handler returns %s', async (_what, result) => {
    behave = result;
    app = await start(ackline);
    await ackline.publish('orders', jsonMessage({ amount: 1 }));
    await until(() => seen.length === 1);
    await until(async () => (await unsettled()) === 0);
    expect(await deadLetters()).toEqual([]);
  });

  it.each([
    ['a payload of the wrong shape', new TextEncoder().encode('{"amount":"many"}'), 'invalid_payload'],
    ['a payload that is no JSON', new TextEncoder().encode('{"broken'), 'invalid_json'],
    ['an empty payload', new Uint8Array(), 'invalid_json'],
    ['bytes that are no text', new Uint8Array([0xff, 0xff]), 'invalid_json'],
  ])('dead-letters %s after one delivery, bytes unchanged', async (_what, payload, errorCode) => {
    app = await start(ackline);
    await ackline.publish('orders', { payload, key: 'k', headers: { trace: 't' } });
    await until(async () => (await deadLetters()).length === 1);
    expect(seen).toEqual([]);
    for await (const letter of ackline.deadLetters('orders', 'shop').list()) {
      expect(letter).toMatchObject({
        key: 'k',
        headers: { trace: 't' },
        errorCode,
        deliveryCount: 1,
        reason: 'rejected',
      });
      expect([...letter.payload]).toEqual([...payload]);
    }
  });

  it('refuses to start with two handlers for one queue', async () => {
    @Controller()
    class Twice {
      @EventPattern<string>('orders')
      handle(): void {}
    }
    @Module({ controllers: [OrdersController, Twice] })
    class TwiceModule {}
    await expect(start(ackline, TwiceModule)).rejects.toThrow('queue orders has two @EventPattern handlers');
  });

  it('refuses to start with a handler that waits for a reply, or without any', async () => {
    @Controller()
    class Asks {
      @MessagePattern<string>('orders')
      handle(): number {
        return 1;
      }
    }
    @Module({ controllers: [Asks] })
    class AsksModule {}
    @Module({})
    class EmptyModule {}
    await expect(start(ackline, AsksModule)).rejects.toThrow('use @EventPattern');
    await expect(start(ackline, EmptyModule)).rejects.toThrow('no @EventPattern handler');
  });

  it('publishes durably by the client’s emit, with key and headers', async () => {
    app = await start(ackline);
    const client = new QueueClient(ackline);
    let error: unknown;
    await new Promise<void>((resolve) => {
      client.emit('orders', new QueueRecord({ amount: 9 }, { key: 'k', id: 'order-9' })).subscribe({
        complete: resolve,
        error: (thrown: unknown) => {
          error = thrown;
          resolve();
        },
      });
    });
    expect(error).toBeUndefined();
    await until(() => seen.length === 1);
    expect(seen[0]!.order).toEqual({ amount: 9 });
  });
});
