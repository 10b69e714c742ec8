import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLogger, type RunningService } from '@eticket/service';
import { testDatabase, type TestDatabase } from '@eticket/service/testing';
import { readBookingConfig } from '../booking-config.js';
import type { QueueDriver } from 'ackline';
import type { OfferDto } from '../offers/offer.dto.js';
import { SandboxPaymentGateway } from '../payments/sandbox-payment-gateway.js';
import { startBooking } from '../start-booking.js';
import { addDays } from '../times/local-time.js';
import { Clock } from '../times/clock.js';

/** A clock that specs can put forward. */
export class MovableClock extends Clock {
  aheadMs = 0;

  override now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }
}

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** An entry of `booking-requests.json`: a search, and the passengers for what it finds. */
export interface BookingExample {
  readonly name: string;
  readonly search: Readonly<Record<string, string | number>> & {
    readonly departureInDays: number;
    readonly returnInDays?: number;
  };
  readonly passengers: readonly Readonly<Record<string, unknown>>[];
  readonly contact: Readonly<Record<string, unknown>>;
  readonly payment: Readonly<Record<string, unknown>>;
  readonly locale?: string;
  readonly expect?: { readonly status: number; readonly code: string };
}

export type BookingBody = Record<string, unknown> & {
  offerId: string;
  passengers: Record<string, unknown>[];
  contact: Record<string, unknown>;
  payment: Record<string, unknown>;
};

export const EXAMPLES = JSON.parse(
  readFileSync(new URL('booking-requests.json', import.meta.url), 'utf8'),
) as readonly BookingExample[];

/** A booking service with a database of its own, on a free port. */
export class TestBooking {
  private constructor(
    readonly database: TestDatabase,
    readonly service: RunningService,
    readonly clock: MovableClock,
    readonly gateway: SandboxPaymentGateway,
    readonly logLines: readonly string[],
  ) {}

  static async start(
    options: {
      readonly database?: TestDatabase;
      readonly env?: NodeJS.ProcessEnv;
      readonly gateway?: SandboxPaymentGateway;
      readonly driver?: QueueDriver;
      /** How far its clock is ahead at its start. */
      readonly aheadMs?: number;
    } = {},
  ): Promise<TestBooking> {
    const database = options.database ?? (await testDatabase());
    const clock = new MovableClock();
    clock.aheadMs = options.aheadMs ?? 0;
    const gateway = options.gateway ?? new SandboxPaymentGateway();
    const lines: string[] = [];
    const logger = createLogger({
      service: 'booking',
      level: 'debug',
      destination: { write: (line) => lines.push(line) },
    });
    const env = {
      DATABASE_URL: database.connectionString,
      PORT: '0',
      PAYMENT_DEADLINE_MS: '100',
      SEARCHES_PER_MINUTE: '0',
      BOOKINGS_PER_MINUTE: '0',
      ...options.env,
    };
    const service = await startBooking(readBookingConfig(env), {
      logger,
      replace: { clock, gateway, ...(options.driver && { driver: options.driver }) },
    });
    return new TestBooking(database, service, clock, gateway, lines);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.database.drop();
  }

  async call<T = Record<string, unknown>>(path: string, init: RequestInit = {}): Promise<Answer<T>> {
    const response = await fetch(this.service.url + path, { redirect: 'manual', ...init });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as T };
  }

  /** Offers for a search whose dates are so many days ahead. */
  async search(search: BookingExample['search']): Promise<readonly OfferDto[]> {
    const { departureInDays, returnInDays, ...rest } = search;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
    query.set('departureDate', this.dayIn(departureInDays));
    if (returnInDays !== undefined) query.set('returnDate', this.dayIn(returnInDays));
    const answer = await this.call<{ data: readonly OfferDto[] }>(`/api/offers?${query.toString()}`);
    if (answer.status !== 200) throw new Error(`search: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }

  dayIn(days: number): string {
    return addDays(this.clock.now().toISOString().slice(0, 10), days);
  }

  /** A body for `POST /api/bookings` that is right in everything. */
  async bodyFor(example: BookingExample): Promise<BookingBody> {
    const [offer] = await this.search(example.search);
    if (!offer) throw new Error(`no offers for ${example.name}`);
    const departure = this.dayIn(example.search.departureInDays);
    const passengers = example.passengers.map(({ bornInYearsBeforeDeparture: years, ...passenger }) => ({
      ...passenger,
      ...(typeof years === 'number' && { bornOn: `${Number(departure.slice(0, 4)) - years}${departure.slice(4)}` }),
    }));
    const { contact, payment, locale } = structuredClone(example);
    return { offerId: offer.id, passengers, contact: { ...contact }, payment: { ...payment }, locale };
  }

  /** `body` may be a text that is no JSON. */
  post<T = Record<string, unknown>>(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer<T>> {
    return this.call<T>('/api/bookings', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Rows of every table that a booking writes to, and its messages. */
  async storedRows(): Promise<Readonly<Record<string, number>>> {
    const count = async (table: string): Promise<number> => {
      const { rows } = await this.database.pool.query<{ count: string }>(`select count(*) from ${table}`);
      return Number(rows[0]?.count);
    };
    return {
      bookings: await count('booking.bookings'),
      passengers: await count('booking.passengers'),
      tickets: await count('booking.tickets'),
      payments: await count('booking.payments'),
      idempotencyKeys: await count('booking.idempotency_keys'),
    };
  }
}
