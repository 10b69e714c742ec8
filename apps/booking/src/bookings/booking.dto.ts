import {
  CARD_BRANDS,
  MAIL_STATUSES,
  PASSENGER_TYPES,
  TITLES,
  type CardBrand,
  type MailStatus,
  type PassengerType,
  type Title,
} from '@eticket/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AirlineDto, ConditionsDto, MoneyDto, PassengerFareDto, PriceDto, SegmentDto } from '../offers/offer.dto.js';
import { BOOKING_STATES, type BookingState } from './booking-states.js';

export class BookedPassengerDto extends PassengerFareDto {
  @ApiProperty({ enum: PASSENGER_TYPES })
  declare readonly type: PassengerType;

  @ApiProperty({ enum: TITLES })
  readonly title!: Title;

  @ApiProperty({ description: 'As typed.', example: 'Lucía' })
  readonly givenName!: string;

  @ApiProperty({ description: 'As typed.', example: 'Fernández Ortiz' })
  readonly familyName!: string;

  @ApiProperty({ example: 'FERNANDEZORTIZ/LUCIA MS' })
  readonly ticketName!: string;

  @ApiProperty({ description: '13 digits, no check digit.', example: '0759900000042' })
  readonly ticketNumber!: string;

  @ApiPropertyOptional({ description: 'Of an infant: index of the adult on whose lap it travels.' })
  readonly infantOf?: number;
}

export class BookedSegmentDto extends SegmentDto {
  @ApiProperty({ enum: ['OK'], description: 'As the coupon prints it: confirmed.' })
  readonly status!: 'OK';
}

export class MailDto {
  @ApiProperty({ enum: MAIL_STATUSES })
  readonly status!: MailStatus;

  @ApiPropertyOptional({ description: 'UTC.', example: '2026-11-30T18:02:11.000Z' })
  readonly sentAt?: string;

  @ApiPropertyOptional({ description: 'RFC 5322 Message-ID, with its angle brackets.' })
  readonly messageId?: string;

  @ApiPropertyOptional({ description: 'UTC; while `delayed`.' })
  readonly nextTryAt?: string;

  @ApiPropertyOptional({ description: 'A code, e.g. `recipient_refused`.' })
  readonly reason?: string;
}

export class CardDto {
  @ApiProperty({ enum: CARD_BRANDS })
  readonly brand!: CardBrand;

  @ApiProperty({ example: '4242' })
  readonly last4!: string;

  @ApiProperty({ example: '7C21F0' })
  readonly approvalCode!: string;
}

export class BookingContactDto {
  @ApiProperty({ example: 'lucia.fernandez@example.com' })
  readonly email!: string;

  @ApiProperty({ description: 'E.164.', example: '+34911234567' })
  readonly phone!: string;
}

export class CancellationDto {
  @ApiProperty({ description: 'UTC.', example: '2026-12-02T09:15:00.000Z' })
  readonly cancelledAt!: string;

  @ApiProperty({ type: MoneyDto, description: 'What goes back to the card, by the fare’s conditions.' })
  readonly refund!: MoneyDto;

  @ApiProperty({ enum: ['none', 'due', 'paid'], description: '`due` until the payment provider has taken it on.' })
  readonly refundState!: 'none' | 'due' | 'paid';
}

export class BookingDto {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;

  @ApiProperty({ description: 'Six characters without 0, 1, I, O. Not a secret.', example: 'K7XQ4S' })
  readonly reference!: string;

  @ApiProperty({ enum: BOOKING_STATES })
  readonly status!: BookingState;

  @ApiProperty({ description: '1 when it was made, one more for every change.', example: 1 })
  readonly version!: number;

  @ApiProperty({ description: 'UTC.', example: '2026-11-30T18:02:09.412Z' })
  readonly issuedAt!: string;

  @ApiProperty({ example: 'es-ES' })
  readonly locale!: string;

  @ApiProperty({ type: AirlineDto })
  readonly validatingCarrier!: AirlineDto;

  @ApiProperty({ type: MoneyDto, description: 'What was paid.' })
  readonly total!: MoneyDto;

  @ApiProperty({ type: PriceDto })
  readonly price!: PriceDto;

  @ApiProperty({ type: [BookedPassengerDto], description: 'In the order of the request.' })
  readonly passengers!: readonly BookedPassengerDto[];

  @ApiProperty({ type: [BookedSegmentDto] })
  readonly segments!: readonly BookedSegmentDto[];

  @ApiProperty({ type: ConditionsDto })
  readonly conditions!: ConditionsDto;

  @ApiProperty({ type: CardDto, description: 'All that we know of the card.' })
  readonly payment!: CardDto;

  @ApiProperty({ type: BookingContactDto })
  readonly contact!: BookingContactDto;

  @ApiProperty({ type: MailDto, description: 'Where the e-ticket mail is.' })
  readonly mail!: MailDto;

  @ApiPropertyOptional({ type: CancellationDto, description: 'Of a booking that is cancelled.' })
  readonly cancellation?: CancellationDto;
}

export class CreatedBookingDto extends BookingDto {
  @ApiProperty({ description: 'Opens this booking: `Authorization: Bearer …`.', example: 'bat_…' })
  readonly accessToken!: string;

  @ApiProperty({
    description: 'The confirmation page, for a browser: good for 24 hours, then the page asks for the token’s cookie.',
    example: 'http://127.0.0.1:3000/bookings/0f8b…/open?token=…',
  })
  readonly confirmationUrl!: string;
}

export class BookingResponse {
  @ApiProperty({ type: BookingDto })
  readonly data!: BookingDto;
}

export class CreatedBookingResponse {
  @ApiProperty({ type: CreatedBookingDto })
  readonly data!: CreatedBookingDto;
}
