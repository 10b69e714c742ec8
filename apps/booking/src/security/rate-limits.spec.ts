import { Clock } from '../times/clock.js';
import { RateLimiter } from './rate-limiter.js';
import { clientOf, FIXED_LIMITS, perMinute, RateLimits } from './rate-limits.js';

describe('A rate limit', () => {
  it('lets a burst through, then as many as the rate gives, and says how long to wait', () => {
    const limiter = new RateLimiter({ burst: 3, perMinute: 6 });
    const taken = (now: number) => limiter.take('a', now);
    expect([taken(0), taken(0), taken(0), taken(0)]).toEqual([0, 0, 0, 10_000]);
    expect([taken(9_999), taken(10_000), taken(10_000)]).toEqual([1, 0, 10_000]);
    expect([taken(60_000), taken(60_000), taken(60_000), taken(60_000)]).toEqual([0, 0, 0, 10_000]);
  });

  it('counts keys apart, and gives back', () => {
    const limiter = new RateLimiter({ burst: 1, perMinute: 1 });
    expect([limiter.take('a', 0), limiter.take('b', 0), limiter.take('a', 0)]).toEqual([0, 0, 60_000]);
    limiter.giveBack('a');
    expect(limiter.take('a', 0)).toBe(0);
  });

  it('of none lets everything through', () => {
    const limiter = new RateLimiter(perMinute(0));
    expect(Array.from({ length: 1000 }, () => limiter.take('a', 0)).every((wait) => wait === 0)).toBe(true);
  });

  it('remembers a bounded number of keys, the latest', () => {
    const limiter = new RateLimiter({ burst: 1, perMinute: 1 });
    for (let index = 0; index < 25_000; index++) limiter.take(String(index), 0);
    expect(limiter.size).toBe(20_000);
    expect(limiter.take('24999', 0)).toBeGreaterThan(0);
  });

  it('is refused as 429 with the whole seconds to wait', () => {
    const clock = new Clock();
    clock.now = () => new Date(0);
    const limits = new RateLimits({ search: perMinute(1), booking: perMinute(1), ...FIXED_LIMITS }, clock);
    limits.take('search', 'a');
    let refusal: unknown;
    try {
      limits.take('search', 'a');
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: 'rate_limited', status: 429, retryAfter: 60 });
  });

  it('outlives a clock that is put back', () => {
    const limiter = new RateLimiter({ burst: 1, perMinute: 1 });
    limiter.take('a', 3_600_000);
    expect(limiter.take('a', 0)).toBe(60_000);
    expect(new RateLimiter(perMinute(0)).take('a', 3_600_000)).toBe(0);
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1:aaaa::1', '2001:db8:0:1'],
    ['2001:db8:0:1::2', '2001:db8:0:1'],
    ['::1', '0:0:0:0'],
  ])('counts %s as %s', (address, counted) => {
    expect(clientOf(address)).toBe(counted);
  });
});
