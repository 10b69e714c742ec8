import { Test } from '@nestjs/testing';
import { TerminusModule } from '@nestjs/terminus';
import { StopTheLineError, jsonMessage } from 'ackline';
import { testQueue } from 'ackline/testing';
import type { TestQueue } from 'ackline/testing';
import { QueueModule } from 'ackline/nest';
import { QueueHealthIndicator } from './index.js';

describe('The health of a queue', () => {
  let queue: TestQueue;
  let health: QueueHealthIndicator;

  beforeEach(async () => {
    queue = testQueue();
    const module = await Test.createTestingModule({
      imports: [TerminusModule, QueueModule.forRoot({ ackline: queue.ackline, name: 'shop' })],
      providers: [QueueHealthIndicator],
    }).compile();
    health = module.get(QueueHealthIndicator);
  });

  afterEach(() => queue.close());

  const name = 'shop';
  const consuming = (queues: readonly string[] = []): unknown => health.isConsuming('queue', { name, queues }).queue;

  it('is red while nothing is consumed, green while everything is', async () => {
    expect(consuming()).toEqual({ status: 'down', message: 'nothing is consumed' });
    const consumer = queue.ackline.consume({ queue: 'orders', group: 'shop' }, () => undefined);
    expect(consuming()).toMatchObject({ status: 'down', message: /^orders: starting, / });
    queue.ackline.tail({ queue: 'news' }, () => undefined);
    await queue.advance(0);
    expect(consuming()).toEqual({ status: 'up', queues: ['orders', 'news'] });
    expect(consuming(['orders', 'refunds'])).toEqual({ status: 'down', message: 'refunds: not consumed' });
    await Promise.all(queue.ackline.consumers().map((one) => one.close()));
    expect(consumer.status().state).toBe('closed');
    expect(consuming()).toEqual({ status: 'down', message: 'nothing is consumed' });
  });

  it('is red while a line is stopped, with its code', async () => {
    queue.ackline.consume({ queue: 'orders', group: 'shop' }, () => {
      throw new StopTheLineError('smtp_auth');
    });
    await queue.ackline.publish('orders', jsonMessage(1));
    await queue.advance(0);
    expect(consuming()).toEqual({ status: 'down', message: 'orders: line-stopped, smtp_auth' });
  });

  it('tells whether the store answers', async () => {
    expect(await health.isReachable('store', { name })).toEqual({ store: { status: 'up' } });
    await queue.ackline.close();
    expect(await health.isReachable('store', { name })).toMatchObject({ store: { status: 'down' } });
  });
});
