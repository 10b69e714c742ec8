import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ServiceMetrics, type Logger } from '@eticket/service';
import { BackgroundWork } from '../schedule/background-work.js';
import { Clock } from '../times/clock.js';
import { addDays } from '../times/local-time.js';
import { LOGGER, PERSONAL_DATA_DAYS } from '../tokens.js';
import { PersonalDataRepository } from './personal-data.repository.js';

const EVERY_MS = 6 * 3_600_000;
/** Of one transaction: it holds the locks of so many bookings for some tens of milliseconds. */
const AT_ONCE = 200;

/**
 * Forgets who travelled, so many days after the last flight of a booking. At the start and on schedule, on every node.
 * What the queue and the mail worker hold is gone long before: docs/personal-data.md.
 */
@Injectable()
export class PersonalDataRetention implements OnApplicationBootstrap {
  private readonly anonymised;

  constructor(
    private readonly repository: PersonalDataRepository,
    private readonly work: BackgroundWork,
    private readonly clock: Clock,
    @Inject(PERSONAL_DATA_DAYS) private readonly days: number,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: ServiceMetrics,
  ) {
    this.anonymised = metrics.counter('bookings_anonymised_total', 'Bookings whose personal data was forgotten.');
  }

  onApplicationBootstrap(): void {
    this.work.every('personal data retention', EVERY_MS, async (signal) => void (await this.run(signal)));
  }

  /** The first day whose flights still have their travellers' names. */
  get firstDayKept(): string {
    return addDays(this.clock.now().toISOString().slice(0, 10), -this.days);
  }

  /** Gives the number of bookings that were anonymised. */
  async run(signal?: AbortSignal): Promise<number> {
    const day = this.firstDayKept;
    let all = 0;
    while (signal?.aborted !== true) {
      const some = await this.repository.anonymiseBefore(day, AT_ONCE, this.clock.now());
      this.anonymised.inc(some);
      all += some;
      if (some < AT_ONCE) break;
    }
    if (all > 0) this.logger.info({ bookings: all, flownBefore: day }, 'personal data of old bookings was forgotten');
    return all;
  }
}
