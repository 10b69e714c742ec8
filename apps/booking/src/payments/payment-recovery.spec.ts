import { ServiceMetrics } from '@eticket/service';
import type { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import type { BackgroundWork } from '../schedule/background-work.js';
import { Clock } from '../times/clock.js';
import type { CardPayments } from './card-payments.js';
import { PaymentRecovery } from './payment-recovery.js';
import type { PaymentSettlement } from './payment-settlement.js';
import type { PaymentsRepository } from './payments.repository.js';

/** Runs the recovery once over open payments; which it asked the gateway for. */
async function askedFor(open: readonly string[], settles: (bookingId: string) => boolean): Promise<readonly string[]> {
  const asked: string[] = [];
  const payments = { openBefore: () => Promise.resolve(open.map((bookingId) => ({ bookingId }))) };
  const settlement = {
    settle: (bookingId: string) => {
      asked.push(bookingId);
      return Promise.resolve(settles(bookingId));
    },
  };
  const keys = { takeOverAbandoned: () => Promise.resolve(undefined) };
  const recovery = new PaymentRecovery(
    payments as unknown as PaymentsRepository,
    settlement as unknown as PaymentSettlement,
    {} as CardPayments,
    keys as unknown as IdempotencyRepository,
    {} as BackgroundWork,
    new Clock(),
    new ServiceMetrics({ service: 'spec' }),
  );
  await recovery.run(new AbortController().signal);
  return asked;
}

describe('The recovery of payments', () => {
  it('comes to the others when the gateway fails with one', async () => {
    expect(await askedFor(['bad', 'b', 'c', 'bad', 'e', 'f'], (id) => id !== 'bad')).toEqual([
      'bad', 'b', 'c', 'bad', 'e', 'f',
    ]); // prettier-ignore
  });

  it('does not ask a gateway that is away for each of them', async () => {
    expect(await askedFor(['a', 'b', 'c', 'd', 'e'], () => false)).toEqual(['a', 'b', 'c']);
  });
});
