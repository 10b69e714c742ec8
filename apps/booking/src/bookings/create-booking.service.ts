import { Injectable } from '@nestjs/common';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Claim } from '../idempotency/idempotency.repository.js';
import type { Offer } from '../offers/offer.js';
import { OffersService } from '../offers/offers.service.js';
import { passengerErrors } from '../passengers/match-passengers.js';
import { CardPayments, type Authorisation } from '../payments/card-payments.js';
import { PaymentSettlement } from '../payments/payment-settlement.js';
import { invalidFields, ProblemError } from '../problems/problem.js';
import { assertNotDeep, validateFields } from '../problems/validate-fields.js';
import { Clock } from '../times/clock.js';
import { BookingWriter } from './booking-writer.js';
import { CreateBookingDto } from './create-booking.dto.js';

/** What was answered, without its tokens. */
export interface BookingAnswer {
  /** The key's request had been carried out before. */
  readonly repeat: boolean;
  readonly response: string;
}

interface CheckedRequest {
  readonly request: CreateBookingDto;
  readonly offer: Offer;
}

/**
 * The use case behind `POST /api/bookings`. Check; take the key; reserve the money; store everything in one transaction;
 * take the money. Whatever fails before the commit leaves nothing stored and nothing charged.
 */
@Injectable()
export class CreateBookingService {
  constructor(
    private readonly offers: OffersService,
    private readonly idempotency: IdempotencyService,
    private readonly payments: CardPayments,
    private readonly writer: BookingWriter,
    private readonly settlement: PaymentSettlement,
    private readonly clock: Clock,
  ) {}

  async create(key: string, body: unknown, traceparent: string | undefined): Promise<BookingAnswer> {
    assertNotDeep(body);
    let checked: CheckedRequest;
    try {
      checked = await this.check(body);
    } catch (error) {
      // A repeat is answered as the first time, also when its offer has expired since.
      const response = await this.idempotency.earlierAnswer(key, body);
      if (response !== undefined) return { repeat: true, response };
      throw error;
    }
    const use = await this.idempotency.use(key, body);
    if (use.repeat) return { repeat: true, response: use.response };
    return { repeat: false, response: await this.book(use.claim, checked, traceparent) };
  }

  /** The request as it would be carried out. @throws ProblemError 409 or 422, with every field that is wrong. */
  async check(body: unknown): Promise<CheckedRequest> {
    const request = validateFields(CreateBookingDto, body);
    const offer = await this.offers.forBooking(request.offerId);
    const errors = passengerErrors(request.passengers, offer, this.clock.now());
    if (errors.length > 0) throw invalidFields(errors);
    return { request, offer };
  }

  private async book(
    claim: Claim,
    { request, offer }: CheckedRequest,
    traceparent: string | undefined,
  ): Promise<string> {
    const { bookingId } = claim;
    let response: string;
    let authorisation: Authorisation;
    try {
      authorisation = await this.payments.authorise(bookingId, offer.price.total, request.payment.token);
      const issuedAt = this.clock.now();
      response = await this.writer.store({ claim, request, offer, authorisation, issuedAt, traceparent });
    } catch (error) {
      // A connection that broke during the commit says nothing about it: ask. If that fails too, the key stays taken
      // and the money reserved, and the same request sent again finds out.
      const undo = () => (mayHaveReserved(error) ? this.payments.giveBack(bookingId) : Promise.resolve(true));
      const end = await this.idempotency.abandon(claim, undo);
      if (!end.released) return end.response;
      throw error;
    }
    await this.settlement.settleNew(authorisation);
    return response;
  }
}

/** A card that was declined, and a token of no card, reserve nothing; after anything else something may be reserved. */
function mayHaveReserved(error: unknown): boolean {
  return !(error instanceof ProblemError && (error.code === 'payment_declined' || error.code === 'validation_error'));
}
