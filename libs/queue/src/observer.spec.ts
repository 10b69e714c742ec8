import { jest } from '@jest/globals';
import { Ackline } from './ackline.js';
import { MemoryStore } from './drivers/memory/memory-store.js';
import { jsonMessage, readJson } from './json.js';

describe('An observer that throws', () => {
  it('changes nothing: all is published, handled and acked, and the process is warned', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const seen: string[] = [];
    const ackline = new Ackline({
      driver: new MemoryStore().driver(),
      observer: ({ type }) => {
        seen.push(type);
        throw new Error('no space left for metrics');
      },
    });
    const handled: unknown[] = [];
    try {
      const messages = [1, 2, 3].map((n) => jsonMessage(n));
      expect(await ackline.publish('q', messages)).toHaveLength(3);
      ackline.consume({ queue: 'q', group: 'g' }, ({ message }) => void handled.push(readJson(message)));
      for (const end = Date.now() + 15_000; seen.filter((type) => type === 'acked').length < 3;) {
        if (Date.now() > end) throw new Error(`not all was acked: ${seen.join()}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(handled.sort()).toEqual([1, 2, 3]);
      expect(await ackline.stats('q', 'g')).toMatchObject({ ready: 0, inFlight: 0 });
      expect(warn.mock.calls.map(([warning]) => warning)).toEqual([
        expect.stringMatching(/observer threw at 'published'.*no space left/),
      ]);
    } finally {
      warn.mockRestore();
      await ackline.close();
    }
  });
});
