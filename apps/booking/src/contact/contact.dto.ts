import { FieldRule } from '@eticket/service/problems';
import { ApiProperty } from '@nestjs/swagger';
import { readEmail } from './email-address.js';
import { readPhone } from './phone-number.js';

function emailProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'has to be text';
  const reading = readEmail(value);
  return reading.ok ? undefined : reading.why;
}

/** Who gets the e-ticket. */
export class ContactDto {
  @ApiProperty({
    description: 'Exactly one address (addr-spec, at most 254 characters). The domain may be international.',
    maxLength: 254,
    example: 'lucia.fernandez@example.com',
  })
  @FieldRule('invalid_email', emailProblem)
  readonly email!: string;

  @ApiProperty({ description: 'E.164: `+`, country code, number.', example: '+34911234567' })
  @FieldRule('invalid_phone', (value) =>
    typeof value === 'string' && readPhone(value) !== undefined
      ? undefined
      : 'has to be a phone number with its country code, like +34911234567',
  )
  readonly phone!: string;
}
