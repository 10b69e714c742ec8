import { ServiceMetrics } from '../index.js';

describe('The metrics of a service', () => {
  it('count what the queue tells, without ids in the labels', async () => {
    const metrics = new ServiceMetrics();
    const observe = metrics.observeQueue();
    expect(metrics.observeQueue()).toBe(observe);
    const of = { queue: 'eticket-confirmed', group: 'mail-eticket', messageId: 'id-4711' };
    observe({ type: 'published', queue: of.queue, count: 3 });
    observe({ type: 'delivered', ...of, deliveryCount: 1 });
    observe({ type: 'delivered', ...of, deliveryCount: 2 });
    observe({ type: 'nacked', ...of, deliveryCount: 1, errorCode: 'smtp_451', delayMs: 10 });
    observe({ type: 'acked', ...of, durationMs: 40 });
    observe({ type: 'dead-lettered', ...of, deliveryCount: 1, errorCode: 'invalid_json', reason: 'rejected' });
    observe({ type: 'released', ...of, errorCode: 'closing' });
    observe({ type: 'lease-lost', ...of });
    observe({ type: 'line-stopped', queue: of.queue, group: of.group, errorCode: 'smtp_auth', probeInMs: 10 });
    observe({ type: 'unavailable', queue: of.queue, during: 'take', retryInMs: 10, error: new Error('away') });
    const text = await metrics.registry.metrics();
    const labels = 'queue="eticket-confirmed",group="mail-eticket"';
    for (const line of [
      'queue_messages_published_total{queue="eticket-confirmed"} 3',
      `queue_messages_delivered_total{${labels}} 2`,
      `queue_messages_redelivered_total{${labels}} 1`,
      `queue_messages_nacked_total{${labels},error_code="smtp_451"} 1`,
      `queue_messages_acked_total{${labels}} 1`,
      `queue_messages_dead_lettered_total{${labels},error_code="invalid_json",reason="rejected"} 1`,
      `queue_messages_released_total{${labels},error_code="closing"} 1`,
      `queue_leases_lost_total{${labels}} 1`,
      `queue_line_stopped{${labels}} 1`,
      'queue_unavailable_total{queue="eticket-confirmed",during="take"} 1',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toContain('4711');
    observe({ type: 'line-resumed', queue: of.queue, group: of.group });
    expect(await metrics.registry.metrics()).toContain(`queue_line_stopped{${labels}} 0`);
  });

  it('are scraped although one of them cannot be read', async () => {
    const metrics = new ServiceMetrics();
    metrics.gauge('outbox_oldest_age_seconds', 'Age.', [], () => Promise.reject(new Error('database away')));
    metrics.gauge('mails_waiting', 'Waiting.', ['kind'], (gauge) => gauge.set({ kind: 'eticket' }, 7));
    const text = await metrics.registry.metrics();
    expect(text).toContain('mails_waiting{kind="eticket"} 7');
  });
});
