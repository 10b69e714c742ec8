import { RateLimiter } from './rate-limiter.js';

describe('the rate limiter', () => {
  it('lets a burst through, then so many a second, each key by itself', () => {
    let now = 0;
    const limiter = new RateLimiter({ perSecond: 2, burst: 3 }, () => now);
    expect([1, 2, 3].map(() => limiter.take('ana'))).toEqual([0, 0, 0]);
    expect(limiter.take('ana')).toBe(500);
    expect(limiter.take('bob')).toBe(0);
    now = 499;
    expect(limiter.take('ana')).toBeGreaterThan(0);
    now = 500;
    expect(limiter.take('ana')).toBe(0);
    now = 60_000;
    expect([1, 2, 3].map(() => limiter.take('ana'))).toEqual([0, 0, 0]);
    expect(limiter.take('ana')).toBe(500);
  });
});
