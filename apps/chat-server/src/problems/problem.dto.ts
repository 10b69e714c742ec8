import { ProblemBody } from '@eticket/service/problems';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PROBLEMS } from './problem.js';

/** RFC 9457 `application/problem+json`, as this API answers it. */
export class ProblemDto extends ProblemBody {
  @ApiProperty({ enum: Object.keys(PROBLEMS), example: 'username_taken' })
  readonly code!: string;

  @ApiPropertyOptional({ description: 'Where the same call may succeed later: after so many milliseconds.' })
  readonly retryAfterMs?: number;
}
