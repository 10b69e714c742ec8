import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ServiceMetrics } from '@eticket/service';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import { BackgroundWork } from '../schedule/background-work.js';
import { Clock } from '../times/clock.js';
import { CardPayments } from './card-payments.js';
import { PaymentSettlement } from './payment-settlement.js';
import { PaymentsRepository } from './payments.repository.js';

const EVERY_MS = 15_000;
/** What is younger is being worked on by the request itself. */
const GRACE_MS = 10_000;
const AT_ONCE = 100;
/** So many in a row without an answer: the gateway is away, and is not asked for the rest. One may be its trouble with that one. */
const FAILURES_IN_A_ROW = 3;

/**
 * Ends what a process that died, or a gateway that was away, left in the middle: stored bookings are charged, attempts
 * that stored nothing get their money free. At the start and on schedule, on every node: each step works twice.
 */
@Injectable()
export class PaymentRecovery implements OnApplicationBootstrap {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly settlement: PaymentSettlement,
    private readonly cards: CardPayments,
    private readonly keys: IdempotencyRepository,
    private readonly work: BackgroundWork,
    private readonly clock: Clock,
    metrics: ServiceMetrics,
  ) {
    metrics.gauge('payments_open', 'Payments by what they wait for.', ['state'], async (gauge) => {
      for (const [state, count] of Object.entries(await this.payments.countOpen())) gauge.set({ state }, count);
    });
  }

  onApplicationBootstrap(): void {
    this.work.every('payment recovery', EVERY_MS, (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.undoAttempts(signal);
    const before = new Date(this.clock.now().getTime() - GRACE_MS);
    let failures = 0;
    for (const { bookingId } of await this.payments.openBefore(before, AT_ONCE)) {
      if (signal.aborted || failures === FAILURES_IN_A_ROW) return;
      failures = (await this.settlement.settle(bookingId)) ? 0 : failures + 1;
    }
  }

  /** Taking over an attempt ends it: whoever had it can store nothing any more. */
  private async undoAttempts(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const claim = await this.keys.takeOverAbandoned();
      if (!claim) return;
      if (!(await this.cards.giveBack(claim.bookingId))) return;
      await this.keys.release(claim);
    }
  }
}
