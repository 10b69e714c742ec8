import { FieldRule } from '@eticket/service/problems';
import { ApiProperty } from '@nestjs/swagger';
import { NAME_LENGTH, nameProblem } from '../passengers/person-name.js';

/** Small letters and spaces around are no mistake. */
const REFERENCE = /^\s*[2-9A-HJ-NP-Za-hj-np-z]{6}\s*$/;

/** Body of `POST /api/bookings/lookup`. */
export class LookupDto {
  @ApiProperty({ description: 'Six characters, in capitals or not.', example: 'K7XQ4S' })
  @FieldRule('invalid_reference', (value) =>
    typeof value === 'string' && REFERENCE.test(value)
      ? undefined
      : 'has to be the six letters and digits of a booking reference, without 0, 1, I and O',
  )
  readonly reference!: string;

  @ApiProperty({
    description:
      'Family name of one of the passengers, as typed when booking; accents, capitals and spaces may differ.',
    maxLength: NAME_LENGTH,
    example: 'Fernández Ortiz',
  })
  @FieldRule('invalid_name', nameProblem)
  readonly surname!: string;
}

export class FoundBookingDto {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;

  @ApiProperty({ example: 'K7XQ4S' })
  readonly reference!: string;

  @ApiProperty({ description: 'Opens this booking: `Authorization: Bearer …`.', example: 'bat_…' })
  readonly accessToken!: string;

  @ApiProperty({ description: 'The booking’s page, for a browser: good for 24 hours.' })
  readonly confirmationUrl!: string;
}

export class FoundBookingResponse {
  @ApiProperty({ type: FoundBookingDto })
  readonly data!: FoundBookingDto;
}
