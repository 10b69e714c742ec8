import { apiProblems } from '@eticket/service/problems';
import { ProblemDto } from './problem.dto.js';
import { PROBLEMS } from './problem.js';

/** Documents the problems that a call can answer with, an example for each. */
export const ApiProblems = apiProblems({
  kinds: PROBLEMS,
  body: ProblemDto,
  example: (code) => ({
    ...(code === 'validation_error' && {
      errors: [
        { pointer: '/passengers/0/bornOn', code: 'wrong_age', message: 'an adult is 12 or older on every flight' },
      ],
    }),
    ...(code === 'payment_declined' && { declineCode: 'insufficient_funds' }),
  }),
});
