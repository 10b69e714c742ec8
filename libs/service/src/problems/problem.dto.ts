import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** One field of {@link ProblemBody}. */
export class FieldErrorDto {
  @ApiProperty({ description: 'RFC 6901 pointer into the body; of a query, `/` and the name.', example: '/name' })
  readonly pointer!: string;

  @ApiProperty({ example: 'too_long' })
  readonly code!: string;

  @ApiProperty({ example: 'must have at most 32 characters' })
  readonly message!: string;
}

/** RFC 9457 `application/problem+json`. An app derives its own, with `code`, which lists its codes, and further members. */
export class ProblemBody {
  @ApiProperty({ example: '/docs#validation_error' })
  readonly type!: string;

  @ApiProperty({ example: 'Some fields are not valid' })
  readonly title!: string;

  @ApiProperty({ example: 422 })
  readonly status!: number;

  @ApiProperty({ example: '/name must have at most 32 characters' })
  readonly detail!: string;

  @ApiProperty({ description: 'The path asked for.', example: '/api/…' })
  readonly instance!: string;

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
}
