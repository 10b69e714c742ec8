import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundWork } from '../schedule/background-work.js';
import { Clock } from '../times/clock.js';
import { IDEMPOTENCY_KEY_HOURS } from '../tokens.js';
import { IdempotencyRepository } from './idempotency.repository.js';

const EVERY_MS = 10 * 60_000;

/** Forgets keys after their lifetime: a key sent later is a new one (draft-ietf-httpapi-idempotency-key-header 2.3). */
@Injectable()
export class IdempotencyExpiry implements OnApplicationBootstrap {
  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly work: BackgroundWork,
    private readonly clock: Clock,
    @Inject(IDEMPOTENCY_KEY_HOURS) private readonly hours: number,
  ) {}

  onApplicationBootstrap(): void {
    this.work.every('idempotency key expiry', EVERY_MS, () => this.forgetOld());
  }

  async forgetOld(): Promise<void> {
    await this.repository.forgetBefore(new Date(this.clock.now().getTime() - this.hours * 3_600_000));
  }
}
