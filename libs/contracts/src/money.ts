import { IsString, Matches } from 'class-validator';

/** An amount of money on the wire: a decimal string with as many decimals as ISO 4217 gives the currency. */
export class Money {
  /** For example `"189.90"` (EUR), `"25400"` (JPY), `"31.250"` (KWD). Never a float. */
  @IsString()
  @Matches(/^-?\d{1,15}(\.\d{1,4})?$/)
  readonly amount!: string;

  /** ISO 4217 alphabetic code. */
  @IsString()
  @Matches(/^[A-Z]{3}$/)
  readonly currency!: string;
}

/** One tax, fee or charge, by the two-character code that tickets print (`YQ`, `JD`, …). */
export class TaxAmount extends Money {
  @IsString()
  @Matches(/^[A-Z0-9]{2}$/)
  readonly code!: string;

  @IsString()
  readonly name!: string;
}
