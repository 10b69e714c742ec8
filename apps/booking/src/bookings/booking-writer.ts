import { randomUUID } from 'node:crypto';
import type { BookingSnapshot } from '@eticket/contracts';
import { Injectable } from '@nestjs/common';
import type { BookingTransaction } from '../database/booking-database.js';
import { IdempotencyRepository, type Claim } from '../idempotency/idempotency.repository.js';
import type { Offer } from '../offers/offer.js';
import type { Authorisation } from '../payments/card-payments.js';
import { confirmedMessage } from './booking-event.js';
import { BookingEvents } from './booking-events.js';
import { randomReference } from './booking-reference.js';
import { bookingSnapshot } from './booking-snapshot.js';
import { bookingToDto } from './booking-to-dto.js';
import { TicketSerials } from '../tickets/ticket-serials.js';
import { BookingsRepository } from './bookings.repository.js';
import type { CreateBookingDto } from './create-booking.dto.js';
import { PublicAddress } from './public-address.js';

/** A booking to store, all checked and its money reserved. */
export interface BookingOrder {
  readonly claim: Claim;
  readonly request: CreateBookingDto;
  readonly offer: Offer;
  readonly authorisation: Authorisation;
  readonly issuedAt: Date;
  readonly traceparent: string | undefined;
}

/** Of 32⁶ references one is taken in a hundred once there are ten million bookings: six in a row, one in 10¹². */
const REFERENCE_TRIES = 6;
const FIRST_VERSION = 1;

/** Stores a booking, its tickets, its event and the answer to its request: all in one transaction, or nothing. */
@Injectable()
export class BookingWriter {
  constructor(
    private readonly bookings: BookingsRepository,
    private readonly serials: TicketSerials,
    private readonly idempotency: IdempotencyRepository,
    private readonly events: BookingEvents,
    private readonly address: PublicAddress,
  ) {}

  /** Resolves with the answer's body, without its tokens, once it is committed. */
  async store(order: BookingOrder): Promise<string> {
    const { claim, issuedAt, traceparent } = order;
    const ticketSerials = await this.serials.take(order.request.passengers.length);
    const stored = await this.bookings.transaction(async (tx) => {
      const snapshot = await this.insert(tx, order, ticketSerials);
      const facts = { eventId: randomUUID(), version: FIRST_VERSION, occurredAt: issuedAt, traceparent };
      await this.events.enqueue(tx, confirmedMessage(snapshot, facts));
      const state = { status: 'ticketed', version: FIRST_VERSION, mail: undefined } as const;
      const response = JSON.stringify({ data: bookingToDto(snapshot, state) });
      await this.idempotency.complete(tx, claim, response);
      return response;
    });
    this.events.published();
    return stored;
  }

  private async insert(
    tx: BookingTransaction,
    order: BookingOrder,
    ticketSerials: readonly number[],
  ): Promise<BookingSnapshot> {
    const { claim, request, offer, authorisation, issuedAt } = order;
    for (let tries = 0; tries < REFERENCE_TRIES; tries++) {
      const snapshot = bookingSnapshot({
        id: claim.bookingId,
        reference: randomReference(),
        request,
        offer,
        payment: authorisation.formOfPayment,
        ticketSerials,
        issuedAt,
        publicUrl: this.address.url,
      });
      const inserted = await this.bookings.insert(tx, {
        snapshot,
        version: FIRST_VERSION,
        tokenVersion: FIRST_VERSION,
        total: offer.price.total,
        passengers: request.passengers,
        authorisationId: authorisation.id,
      });
      if (inserted) return snapshot;
    }
    throw new Error('no free booking reference was found');
  }
}
