import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PROBLEMS } from './problem.js';

/** One field of {@link ProblemDto}. */
export class FieldErrorDto {
  @ApiProperty({ description: 'RFC 6901 pointer into the body.', example: '/username' })
  readonly pointer!: string;

  @ApiProperty({ example: 'invalid_username' })
  readonly code!: string;

  @ApiProperty({ example: 'must have at most 32 characters' })
  readonly message!: string;
}

/** RFC 9457 `application/problem+json`. */
export class ProblemDto {
  @ApiProperty({ example: '/docs#username_taken' })
  readonly type!: string;

  @ApiProperty({ example: 'The name is taken' })
  readonly title!: string;

  @ApiProperty({ example: 409 })
  readonly status!: number;

  @ApiProperty({ example: 'ana is in the room already: choose another name.' })
  readonly detail!: string;

  @ApiProperty({ description: 'The path asked for.', example: '/join' })
  readonly instance!: string;

  @ApiProperty({ enum: Object.keys(PROBLEMS), example: 'username_taken' })
  readonly code!: string;

  @ApiProperty({ description: 'As in the `x-request-id` header and in the server’s log.' })
  readonly requestId!: string;

  @ApiPropertyOptional({
    type: [FieldErrorDto],
    description: 'With `validation_error`: every field that is not valid.',
  })
  readonly errors?: readonly FieldErrorDto[];

  @ApiPropertyOptional({ description: 'Where the same call may succeed later: after so many milliseconds.' })
  readonly retryAfterMs?: number;
}
