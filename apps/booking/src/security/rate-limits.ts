import { isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { ProblemError } from '../problems/problem.js';
import { Clock } from '../times/clock.js';
import { RateLimiter, type Rate } from './rate-limiter.js';

/** What is limited, and by what it is counted. */
export interface LimitedCalls {
  /** By address. */
  readonly search: Rate;
  /** By address. */
  readonly booking: Rate;
  /** By address: wrong answers of `lookup`. */
  readonly lookup: Rate;
  /** By reference, from wherever: so that no crowd of addresses tries surnames on one booking. */
  readonly reference: Rate;
  /** By booking. */
  readonly resend: Rate;
}

/** A minute's worth at once: a client that has paused may catch up. 0 a minute: no limit. */
export function perMinute(count: number): Rate {
  return { burst: Math.max(1, count), perMinute: count === 0 ? Infinity : count };
}

const PER_HOUR = 1 / 60;

/** The limits that no setting changes. */
export const FIXED_LIMITS = {
  lookup: { burst: 10, perMinute: 6 },
  // 32⁶ references: at this rate somebody who knows a surname needs an age for one; a traveller mistypes it twice.
  reference: { burst: 5, perMinute: 20 * PER_HOUR },
  resend: { burst: 3, perMinute: 12 * PER_HOUR },
} as const satisfies Partial<LimitedCalls>;

/** Refuses calls that come too often. */
@Injectable()
export class RateLimits {
  private readonly limiters: Readonly<Record<keyof LimitedCalls, RateLimiter>>;

  constructor(
    limits: LimitedCalls,
    private readonly clock: Clock,
  ) {
    const { search, booking, lookup, reference, resend } = limits;
    this.limiters = {
      search: new RateLimiter(search),
      booking: new RateLimiter(booking),
      lookup: new RateLimiter(lookup),
      reference: new RateLimiter(reference),
      resend: new RateLimiter(resend),
    };
  }

  /** @throws ProblemError 429 with the seconds to wait. */
  take(call: keyof LimitedCalls, key: string): void {
    const waitMs = this.limiters[call].take(key, this.clock.now().getTime());
    if (waitMs <= 0) return;
    const retryAfter = Math.ceil(waitMs / 1000);
    throw new ProblemError('rate_limited', `That was too often; please try again in ${retryAfter} s.`, { retryAfter });
  }

  giveBack(call: keyof LimitedCalls, key: string): void {
    this.limiters[call].giveBack(key);
  }
}

/** An address as it is counted: of IPv6 the first 64 bits, because whoever has one address has all of those. */
export function clientOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter(Boolean);
  const after = tail === undefined ? [] : tail.split(':').filter(Boolean);
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
