import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OfferDto } from '../offers/offer.dto.js';
import { PROBLEMS } from './problem.js';

/** One field of {@link ProblemDto}. */
export class FieldErrorDto {
  @ApiProperty({
    description: 'RFC 6901 pointer into the body; of a query, `/` and the name.',
    example: '/contact/email',
  })
  readonly pointer!: string;

  @ApiProperty({ example: 'invalid_email' })
  readonly code!: string;

  @ApiProperty({ example: 'has to be one address, like name@example.com' })
  readonly message!: string;
}

/** RFC 9457 `application/problem+json`. */
export class ProblemDto {
  @ApiProperty({ example: '/docs#validation_error' })
  readonly type!: string;

  @ApiProperty({ example: 'Some fields are not valid' })
  readonly title!: string;

  @ApiProperty({ example: 422 })
  readonly status!: number;

  @ApiProperty({ example: '/contact/email has to be one address, like name@example.com' })
  readonly detail!: string;

  @ApiProperty({ description: 'The path asked for.', example: '/api/bookings' })
  readonly instance!: string;

  @ApiProperty({ enum: Object.keys(PROBLEMS), example: 'validation_error' })
  readonly code!: string;

  @ApiProperty({
    description: 'As in the `x-request-id` header and in our logs.',
    example: 'a3c7c7b0-3a43-4c0b-9d51-7f8f5f3c7f55',
  })
  readonly requestId!: string;

  @ApiPropertyOptional({
    type: [FieldErrorDto],
    description: 'With `validation_error`: every field that is not valid.',
  })
  readonly errors?: readonly FieldErrorDto[];

  @ApiPropertyOptional({
    description: 'With `payment_declined`: why.',
    enum: ['card_declined', 'insufficient_funds', 'expired_card'],
  })
  readonly declineCode?: string;

  @ApiPropertyOptional({
    type: OfferDto,
    description: 'With `price_changed`: the same journey at its new price, ready to be booked.',
  })
  readonly offer?: OfferDto;
}
