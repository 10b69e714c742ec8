import { randomUUID } from 'node:crypto';
import type { BookingSnapshot } from '@eticket/contracts';
import { Injectable } from '@nestjs/common';
import type { OutgoingMessage } from 'ackline';
import type { Claim } from '../idempotency/idempotency.repository.js';
import type { Offer } from '../offers/offer.js';
import type { Authorisation } from '../payments/card-payments.js';
import { confirmedMessage } from './booking-event.js';
import { BookingEvents } from './booking-events.js';
import { randomReference } from './booking-reference.js';
import { bookingSnapshot } from './booking-snapshot.js';
import { bookingToDto } from './booking-to-dto.js';
import { TicketSerials } from '../tickets/ticket-serials.js';
import { BookingsRepository, EVENT_PARAMETER, ReferenceTakenError } from './bookings.repository.js';
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

/** What is stored of it. */
interface BookingRecord {
  readonly snapshot: BookingSnapshot;
  readonly message: OutgoingMessage;
  readonly response: string;
}

/** Of 32⁶ references one is taken in a hundred once there are ten million bookings: six in a row, one in 10¹². */
const REFERENCE_TRIES = 6;
const FIRST_VERSION = 1;

/** Stores a booking, its tickets, its event and the answer to its request: all, or nothing. */
@Injectable()
export class BookingWriter {
  constructor(
    private readonly bookings: BookingsRepository,
    private readonly serials: TicketSerials,
    private readonly events: BookingEvents,
    private readonly address: PublicAddress,
  ) {}

  /** Resolves with the answer's body, without its tokens, once it is committed. @throws ClaimLostError. */
  async store(order: BookingOrder): Promise<string> {
    const ticketSerials = await this.serials.take(order.request.passengers.length);
    for (let tries = 1; ; tries++) {
      const record = this.record(order, ticketSerials);
      try {
        await this.insert(order, record);
      } catch (error) {
        if (error instanceof ReferenceTakenError && tries < REFERENCE_TRIES) continue;
        throw error;
      }
      this.events.published();
      return record.response;
    }
  }

  private record(order: BookingOrder, serials: readonly number[]): BookingRecord {
    const { claim, request, offer, authorisation, issuedAt, traceparent } = order;
    const snapshot = bookingSnapshot({
      id: claim.bookingId,
      reference: randomReference(),
      request,
      offer,
      payment: authorisation.formOfPayment,
      ticketSerials: serials,
      issuedAt,
      publicUrl: this.address.url,
    });
    const facts = { eventId: randomUUID(), version: FIRST_VERSION, occurredAt: issuedAt, traceparent };
    const state = { status: 'ticketed', version: FIRST_VERSION, mail: undefined } as const;
    const response = JSON.stringify({ data: bookingToDto(snapshot, state) });
    return { snapshot, message: confirmedMessage(snapshot, facts), response };
  }

  private async insert(
    { claim, request, offer, authorisation }: BookingOrder,
    { snapshot, message, response }: BookingRecord,
  ): Promise<void> {
    await this.bookings.insert({
      snapshot,
      version: FIRST_VERSION,
      tokenVersion: FIRST_VERSION,
      total: offer.price.total,
      passengers: request.passengers,
      authorisationId: authorisation.id,
      claim,
      response,
      event: await this.events.enqueueExpression(message, EVENT_PARAMETER),
    });
  }
}
