import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import { LOGGER } from '../tokens.js';
import { PaymentsRepository } from './payments.repository.js';

const EVERY_MS = 60 * 60_000;
/** Of one statement, so that a payment never waits long for it. */
const AT_ONCE = 1_000;

/** Forgets payments that nothing can be done with any more: at the start, and every hour. On every node: it works twice. */
@Injectable()
export class PaymentRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly payments: PaymentsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.start();
    this.timer = setInterval(() => this.start(), EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  private start(): void {
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    try {
      let count: number;
      do count = await this.payments.forgetOld(AT_ONCE);
      while (count === AT_ONCE && !this.stopped);
    } catch (err) {
      this.logger.warn({ err }, 'old payments could not be forgotten yet');
    }
  }
}
