import { createLogger } from '@eticket/service';
import { eventually } from '@eticket/service/testing';
import { BackgroundWork } from './background-work.js';

const logger = createLogger({ service: 'spec', level: 'silent' });

describe('Background work', () => {
  it('runs at the start and on schedule, again after a failure, and not after the stop', async () => {
    const work = new BackgroundWork(logger);
    let runs = 0;
    work.every('spec', 5, () => {
      runs++;
      return runs === 2 ? Promise.reject(new Error('no luck')) : Promise.resolve();
    });
    await eventually(() => runs > 3);
    await work.onModuleDestroy();
    const stoppedAt = runs;
    await new Promise((resolve) => setTimeout(resolve, 25));
    expect(runs).toBe(stoppedAt);
  });

  it('tells a run under way that the service stops, and waits for it', async () => {
    const work = new BackgroundWork(logger);
    let ended = false;
    work.every('spec', 1000, async (signal) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      ended = true;
    });
    await work.onModuleDestroy();
    expect(ended).toBe(true);
  });
});
