import { FieldRule } from '@eticket/service/problems';
import { PASSENGER_TYPES, TITLES, type PassengerType, type Title } from '@eticket/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../problems/field-rules.js';
import { isCalendarDate } from '../times/local-time.js';
import { NAME_LENGTH, nameProblem } from './person-name.js';

const NAME_RULES =
  'As people write it, any letters and marks; refused only with control or bidirectional characters, or where no ticket name (A–Z) can be made of it.';

/** A passenger of `POST /api/bookings`. */
export class PassengerDto {
  @ApiProperty({ enum: PASSENGER_TYPES, description: 'As counted in the offer.' })
  @IsIn(PASSENGER_TYPES)
  readonly type!: PassengerType;

  @ApiProperty({ enum: TITLES })
  @IsIn(TITLES)
  readonly title!: Title;

  @ApiProperty({ description: NAME_RULES, minLength: 1, maxLength: NAME_LENGTH, example: 'Lucía' })
  @FieldRule('invalid_name', nameProblem)
  readonly givenName!: string;

  @ApiProperty({ description: NAME_RULES, minLength: 1, maxLength: NAME_LENGTH, example: 'Fernández Ortiz' })
  @FieldRule('invalid_name', nameProblem)
  readonly familyName!: string;

  @ApiProperty({
    description: 'Adults are 12 or older, children 2 to 11, infants under 2, on the day of each flight at its place.',
    format: 'date',
    example: '1988-04-17',
  })
  @FieldRule('invalid_date', (value) =>
    typeof value === 'string' && isCalendarDate(value) ? undefined : 'has to be a date of the calendar, YYYY-MM-DD',
  )
  readonly bornOn!: string;

  @ApiPropertyOptional({
    description: 'Of an infant: index of the adult on whose lap it travels.',
    minimum: 0,
    maximum: 17,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(17)
  readonly infantOf?: number;
}
