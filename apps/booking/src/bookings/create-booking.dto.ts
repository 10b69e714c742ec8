import { FieldRule } from '@eticket/service/problems';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsDefined,
  IsObject,
  IsString,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { ContactDto } from '../contact/contact.dto.js';
import { PassengerDto } from '../passengers/passenger.dto.js';
import { PaymentDto } from '../payments/payment.dto.js';
import { MayBeAbsent } from '../problems/field-rules.js';

/** As events carry it: language, and up to three more subtags. */
const LOCALE = /^[a-zA-Z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

function localeProblem(value: unknown): string | undefined {
  const wrong = 'has to be a BCP 47 language tag, like es-ES';
  if (typeof value !== 'string' || !LOCALE.test(value)) return wrong;
  try {
    return Intl.getCanonicalLocales(value).length === 1 ? undefined : wrong;
  } catch {
    return wrong;
  }
}

/** Body of `POST /api/bookings`. */
export class CreateBookingDto {
  @ApiProperty({ description: 'Of an offer of a search, not expired.', maxLength: 200 })
  @IsString()
  @MaxLength(200)
  readonly offerId!: string;

  @ApiProperty({
    type: [PassengerDto],
    minItems: 1,
    maxItems: 18,
    description: 'As many of each type as the offer is for.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(18)
  // ValidateNested alone lets an empty list pass for an object.
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => PassengerDto)
  readonly passengers!: readonly PassengerDto[];

  @ApiProperty({ type: ContactDto })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => ContactDto)
  readonly contact!: ContactDto;

  @ApiProperty({ type: PaymentDto })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => PaymentDto)
  readonly payment!: PaymentDto;

  @ApiPropertyOptional({ description: 'BCP 47: the language of the e-ticket.', default: 'en', example: 'es-ES' })
  @MayBeAbsent()
  @FieldRule('invalid_locale', localeProblem)
  readonly locale?: string;
}
