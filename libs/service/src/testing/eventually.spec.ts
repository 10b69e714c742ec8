import { eventually } from './eventually.js';

describe('Waiting for a condition', () => {
  it('ends as soon as it holds, with its value', async () => {
    let calls = 0;
    const value = await eventually(() => (++calls < 3 ? false : calls), { everyMs: 1 });
    expect(value).toBe(3);
  });

  it('tells the last reason when it never holds', async () => {
    await expect(
      eventually(() => Promise.reject(new Error('0 of 3 mails')), { deadlineMs: 30, everyMs: 5 }),
    ).rejects.toThrow('not within 30 ms: 0 of 3 mails');
  });
});
