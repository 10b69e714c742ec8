import { Injectable } from '@nestjs/common';
import { ServiceMetrics } from '@eticket/service';
import { ProblemError } from '../problems/problem.js';

/** Counts `POST /api/bookings` by how it ended. */
@Injectable()
export class BookingOutcomes {
  private readonly counter: { inc(labels: { readonly outcome: string }): void };

  constructor(metrics: ServiceMetrics) {
    this.counter = metrics.counter('bookings_total', 'Requests to book by outcome: created, repeated or a problem.', [
      'outcome',
    ]);
  }

  succeeded(repeat: boolean): void {
    this.counter.inc({ outcome: repeat ? 'repeated' : 'created' });
  }

  failed(error: unknown): void {
    this.counter.inc({ outcome: error instanceof ProblemError ? error.code : 'error' });
  }
}
