import { readFile } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { Ackline, jsonMessage } from 'ackline';
import { MemoryStore, VirtualClock } from 'ackline/memory';
import { observeBacklog, queueMetrics } from './index.js';

const labels = 'queue="orders",group="shop"';

describe('The metrics of a queue', () => {
  it('count what the engine tells, without ids in the labels', async () => {
    const registry = new Registry();
    const observe = queueMetrics({ registry });
    const of = { queue: 'orders', group: 'shop', messageId: 'id-4711' };
    observe({ type: 'published', queue: of.queue, count: 3 });
    observe({ type: 'delivered', ...of, deliveryCount: 1 });
    observe({ type: 'delivered', ...of, deliveryCount: 2 });
    observe({ type: 'nacked', ...of, deliveryCount: 1, errorCode: 'smtp_451', delayMs: 10 });
    observe({ type: 'acked', ...of, durationMs: 40 });
    observe({ type: 'dead-lettered', ...of, deliveryCount: 1, errorCode: 'invalid_json', reason: 'rejected' });
    const act = { queue: of.queue, group: of.group, actor: 'ana@example.com' };
    observe({ type: 'dead-letters-redriven', ...act, count: 4 });
    observe({ type: 'dead-letters-discarded', ...act, count: 2 });
    observe({ type: 'released', ...of, errorCode: 'closing' });
    observe({ type: 'lease-lost', ...of });
    observe({ type: 'line-stopped', queue: of.queue, group: of.group, errorCode: 'smtp_auth', probeInMs: 10 });
    observe({ type: 'unavailable', queue: of.queue, during: 'take', retryInMs: 10, error: new Error('away') });
    observe({ type: 'tail-handler-failed', queue: of.queue, messageId: of.messageId, error: new Error('no') });
    const text = await registry.metrics();
    for (const line of [
      'queue_messages_published_total{queue="orders"} 3',
      `queue_messages_delivered_total{${labels}} 2`,
      `queue_messages_redelivered_total{${labels}} 1`,
      `queue_messages_nacked_total{${labels},error_code="smtp_451"} 1`,
      `queue_messages_acked_total{${labels}} 1`,
      `queue_messages_dead_lettered_total{${labels},error_code="invalid_json",reason="rejected"} 1`,
      `queue_dead_letters_redriven_total{${labels}} 4`,
      `queue_dead_letters_discarded_total{${labels}} 2`,
      `queue_messages_released_total{${labels},error_code="closing"} 1`,
      `queue_leases_lost_total{${labels}} 1`,
      `queue_line_stopped{${labels}} 1`,
      'queue_unavailable_total{queue="orders",during="take"} 1',
      'queue_tail_handler_failures_total{queue="orders"} 1',
      `queue_handling_duration_seconds_bucket{le="0.05",${labels}} 1`,
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toMatch(/4711|ana@example/);
    observe({ type: 'line-resumed', queue: of.queue, group: of.group });
    expect(await registry.metrics()).toContain(`queue_line_stopped{${labels}} 0`);
  });

  it('show the backlog of every group at each scrape, and nothing old while the store is away', async () => {
    const clock = new VirtualClock();
    const store = new MemoryStore({ clock });
    const driver = store.driver();
    const ackline = new Ackline({ driver, clock });
    const registry = new Registry();
    observeBacklog({ registry, ackline });
    await ackline.consume({ queue: 'orders', group: 'shop' }, () => undefined).close();
    const member = await driver.join({
      queue: 'orders',
      group: 'shop',
      from: 'beginning',
      order: { by: 'none' },
      visibilityTimeoutMs: 30_000,
    });
    await ackline.publish('orders', [jsonMessage(1), jsonMessage(2), jsonMessage(3, { delayMs: 60_000 })]);
    await member.take({ messages: 1, bytes: 1 }, new AbortController().signal);
    await clock.advance(4_000);
    const text = await registry.metrics();
    for (const line of [
      `queue_group_messages{${labels},state="ready"} 1`,
      `queue_group_messages{${labels},state="waiting"} 1`,
      `queue_group_messages{${labels},state="in_flight"} 1`,
      `queue_group_messages{${labels},state="dead_letter"} 0`,
      `queue_group_oldest_age_seconds{${labels}} 4`,
    ]) {
      expect(text).toContain(line);
    }
    const reconnect = store.cutOff(driver);
    expect(await registry.metrics()).not.toContain(labels);
    reconnect();
    await driver.close(0);
  });

  it('are all in the manual', async () => {
    const registry = new Registry();
    const ackline = new Ackline({ driver: new MemoryStore().driver() });
    queueMetrics({ registry });
    observeBacklog({ registry, ackline });
    const manual = await readFile(new URL('../../../docs/telemetry.md', import.meta.url), 'utf8');
    const named = [...manual.matchAll(/^\| `(queue_\w+)`/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(
      registry
        .getMetricsAsArray()
        .map(({ name }) => name)
        .sort(),
    );
    await ackline.close();
  });
});
