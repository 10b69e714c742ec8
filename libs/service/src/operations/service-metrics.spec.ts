import { ServiceMetrics } from '../index.js';

describe('The metrics of a service', () => {
  it('count what the queue tells, whoever asks for the observer', async () => {
    const metrics = new ServiceMetrics();
    const observe = metrics.observeQueue();
    expect(metrics.observeQueue()).toBe(observe);
    observe({ type: 'published', queue: 'eticket-confirmed', count: 3 });
    expect(await metrics.registry.metrics()).toContain('queue_messages_published_total{queue="eticket-confirmed"} 3');
  });

  it('are scraped although one of them cannot be read', async () => {
    const metrics = new ServiceMetrics();
    metrics.gauge('outbox_oldest_age_seconds', 'Age.', [], () => Promise.reject(new Error('database away')));
    metrics.gauge('mails_waiting', 'Waiting.', ['kind'], (gauge) => gauge.set({ kind: 'eticket' }, 7));
    const text = await metrics.registry.metrics();
    expect(text).toContain('mails_waiting{kind="eticket"} 7');
  });
});
