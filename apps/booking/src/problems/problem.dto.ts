import { ProblemBody } from '@eticket/service/problems';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OfferDto } from '../offers/offer.dto.js';
import { PROBLEMS } from './problem.js';

/** RFC 9457 `application/problem+json`, as this API answers it. */
export class ProblemDto extends ProblemBody {
  @ApiProperty({ enum: Object.keys(PROBLEMS), example: 'validation_error' })
  readonly code!: string;

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
