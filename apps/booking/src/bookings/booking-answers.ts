import { Injectable } from '@nestjs/common';
import { Clock } from '../times/clock.js';
import { AccessTokens, type TokenSubject } from './access-tokens.js';
import type { BookingDto, CreatedBookingDto } from './booking.dto.js';
import type { FoundBooking } from './booking-lookup.js';
import type { FoundBookingDto } from './lookup.dto.js';
import { PublicAddress } from './public-address.js';

/** The token version of every new booking; the first answer is made with it, however often it is repeated. */
const FIRST_TOKEN_VERSION = 1;

/** Puts the tokens into a 201: they are made anew for each answer, the same each time, and stored nowhere. */
@Injectable()
export class BookingAnswers {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
  ) {}

  async created(response: string): Promise<CreatedBookingDto> {
    const { data } = JSON.parse(response) as { readonly data: BookingDto };
    const { id, reference, ...rest } = data;
    const subject = { id, tokenVersion: FIRST_TOKEN_VERSION };
    return { id, reference, ...(await this.access(subject, new Date(data.issuedAt))), ...rest };
  }

  async found({ reference, ...subject }: FoundBooking): Promise<FoundBookingDto> {
    return { id: subject.id, reference, ...(await this.access(subject, this.clock.now())) };
  }

  private async access(subject: TokenSubject, issuedAt: Date) {
    const accessToken = await this.tokens.accessToken(subject);
    const link = await this.tokens.linkToken(subject, issuedAt);
    return { accessToken, confirmationUrl: `${this.address.url}/bookings/${subject.id}/open?token=${link}` };
  }
}
