import { FieldRule } from '@eticket/service/problems';
import { ApiProperty } from '@nestjs/swagger';

/** No card number passes: those have no letters and no underscore. */
const TOKEN = /^tok_[A-Za-z0-9]{1,64}$/;

export class PaymentDto {
  @ApiProperty({
    description:
      'Of the payment sandbox: `tok_visa`, `tok_mastercard`, `tok_amex`; declined: `tok_chargeDeclined`, `tok_insufficientFunds`, `tok_expiredCard`; no answer: `tok_timeout`.',
    example: 'tok_visa',
    pattern: TOKEN.source,
  })
  @FieldRule('invalid_payment_token', (value) =>
    typeof value === 'string' && TOKEN.test(value) ? undefined : 'has to be a payment token (never a card number)',
  )
  readonly token!: string;
}
