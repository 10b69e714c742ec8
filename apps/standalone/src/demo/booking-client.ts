import { randomUUID } from 'node:crypto';
import type { SampleBooking } from '../sample-bookings.js';
import type { BookedTrip } from './booking-answer.js';

/** How a booking was answered. */
export interface BookingAnswer {
  readonly status: number;
  /** Of a refusal. */
  readonly code: string | undefined;
  readonly trip: BookedTrip | undefined;
  readonly milliseconds: number;
}

const DEADLINE_MS = 30_000;

/** Searches and books as a traveller's browser would. */
export class BookingClient {
  constructor(private readonly url: string) {}

  async book(sample: SampleBooking): Promise<BookingAnswer> {
    const offer = await this.firstOffer(sample);
    const startedAt = performance.now();
    const response = await fetch(`${this.url}/api/bookings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify(sample.body(offer)),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const answer = (await response.json()) as { readonly data?: BookedTrip; readonly code?: string };
    return {
      status: response.status,
      code: answer.code,
      trip: response.status === 201 ? answer.data : undefined,
      milliseconds: performance.now() - startedAt,
    };
  }

  private async firstOffer(sample: SampleBooking): Promise<string> {
    const query = new URLSearchParams(sample.search).toString();
    const response = await fetch(`${this.url}/api/offers?${query}`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const body = await response.text();
    if (!response.ok) throw new Error(`the search was answered with ${response.status}: ${body.slice(0, 300)}`);
    const [offer] = (JSON.parse(body) as { readonly data: readonly { readonly id: string }[] }).data;
    if (!offer) throw new Error('the search found no flight');
    return offer.id;
  }
}
