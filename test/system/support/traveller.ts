import { randomUUID } from 'node:crypto';
import type { SampleBooking } from '@eticket/standalone/sample-bookings';
import type { PersonalData } from './personal-data.js';

export interface Amount {
  readonly amount: string;
  readonly currency: string;
}

export interface Airport {
  readonly iataCode: string;
  readonly timeZone: string;
}

export interface Segment {
  readonly marketingCarrier: { readonly iataCode: string };
  readonly flightNumber: string;
  readonly origin: Airport;
  readonly destination: Airport;
  readonly departingAt: string;
  readonly arrivingAt: string;
  readonly baggage: readonly {
    readonly passengerType: string;
    readonly carryOnPieces: number;
    readonly carryOnKg: number;
    readonly checkedPieces: number;
    readonly checkedKg: number;
  }[];
}

export interface Offer {
  readonly id: string;
  readonly total: Amount;
  readonly slices: readonly { readonly segments: readonly Segment[] }[];
}

export interface Mail {
  readonly status: string;
  readonly messageId?: string;
  readonly reason?: string;
}

export interface Booking {
  readonly id: string;
  readonly reference: string;
  readonly accessToken: string;
  readonly confirmationUrl: string;
  readonly total: Amount;
  readonly passengers: readonly { readonly ticketName: string; readonly ticketNumber: string }[];
  readonly contact: { readonly email: string };
  readonly segments: readonly Segment[];
  readonly mail: Mail;
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
  readonly milliseconds: number;
}

/** Of `POST /api/bookings`: a booking, or a problem. */
export interface BookingAnswer {
  readonly data?: Booking;
  readonly code?: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

export type BookingBody = Record<string, unknown>;

const DEADLINE_MS = 30_000;

/** Searches, books and looks, as a browser or a partner's server would. Notes what is personal in all that it sends and gets. */
export class Traveller {
  constructor(
    private readonly bookingUrl: string,
    private readonly personal: PersonalData,
  ) {}

  async cheapestOffer(search: SampleBooking['search']): Promise<Offer> {
    const query = new URLSearchParams(search).toString();
    const { status, body } = await this.call<{ readonly data?: readonly Offer[] }>(`/api/offers?${query}`);
    const [offer] = body.data ?? [];
    if (!offer) throw new Error(`no offer for ${query}: ${status} ${JSON.stringify(body)}`);
    return offer;
  }

  /** `body` may be a text that is no JSON. A header that is `undefined` is not sent. */
  async post(
    body: BookingBody | string,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Answer<BookingAnswer>> {
    const wanted = { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers };
    if (typeof body !== 'string') this.personal.noteRequest(body);
    const answer = await this.call<BookingAnswer>('/api/bookings', {
      method: 'POST',
      headers: Object.entries(wanted).filter((header): header is [string, string] => header[1] !== undefined),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    if (answer.body.data) this.personal.noteBooking(answer.body.data);
    return answer;
  }

  /** @throws when the answer is not 201 */
  async book(body: BookingBody): Promise<Booking> {
    const answer = await this.post(body);
    if (answer.status !== 201 || !answer.body.data) {
      throw new Error(`not booked: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body.data;
  }

  /** With the booking's own token, or another. */
  show({ id }: Pick<Booking, 'id'>, accessToken: string): Promise<Answer<BookingAnswer>> {
    return this.call(`/api/bookings/${id}`, { headers: { authorization: `Bearer ${accessToken}` } });
  }

  /** Asks for the e-ticket again. Resolves with the status of the answer. */
  async resend({ id, accessToken }: Booking): Promise<number> {
    return this.ask(`/api/bookings/${id}/eticket`, accessToken);
  }

  /** Resolves with the status of the answer. */
  async cancel({ id, accessToken }: Booking): Promise<number> {
    return this.ask(`/api/bookings/${id}/cancellation`, accessToken);
  }

  /** What the booking says of its mail. */
  async mailOf({ id, accessToken }: Booking): Promise<Mail> {
    const { status, body } = await this.show({ id }, accessToken);
    if (!body.data) throw new Error(`booking ${id} is answered ${status}`);
    return body.data.mail;
  }

  private async ask(path: string, accessToken: string): Promise<number> {
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
    return (await this.call(path, { method: 'POST', headers, body: '{}' })).status;
  }

  private async call<T>(path: string, init: RequestInit = {}): Promise<Answer<T>> {
    const startedAt = performance.now();
    const response = await fetch(`${this.bookingUrl}${path}`, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) });
    const body = (await response.json()) as T;
    return { status: response.status, headers: response.headers, body, milliseconds: performance.now() - startedAt };
  }
}
