import { apiProblems } from '@eticket/service/problems';
import { ProblemDto } from './problem.dto.js';
import { PROBLEMS } from './problem.js';

/** Documents the problems that a call can answer with. */
export const ApiProblems = apiProblems({
  kinds: PROBLEMS,
  body: ProblemDto,
  example: (code) =>
    code === 'validation_error'
      ? { errors: [{ pointer: '/username', code: 'invalid_username', message: 'must have at most 32 characters' }] }
      : {},
});
