import { Injectable } from '@nestjs/common';
import { AccessTokens } from './access-tokens.js';
import type { BookingDto, CreatedBookingDto } from './booking.dto.js';
import { PublicAddress } from './public-address.js';

/** The token version of every new booking; the first answer is made with it, however often it is repeated. */
const FIRST_TOKEN_VERSION = 1;

/** Puts the tokens into a 201: they are made anew for each answer, the same each time, and stored nowhere. */
@Injectable()
export class BookingAnswers {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly address: PublicAddress,
  ) {}

  async created(response: string): Promise<CreatedBookingDto> {
    const { data } = JSON.parse(response) as { readonly data: BookingDto };
    const { id, reference, ...rest } = data;
    const subject = { id, tokenVersion: FIRST_TOKEN_VERSION };
    const accessToken = await this.tokens.accessToken(subject);
    const link = await this.tokens.linkToken(subject, new Date(data.issuedAt));
    const confirmationUrl = `${this.address.url}/bookings/${id}/open?token=${link}`;
    return { id, reference, accessToken, confirmationUrl, ...rest };
  }
}
