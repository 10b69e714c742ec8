import { describeFields, FieldRule, pointerTo, type FieldError } from '@eticket/service/problems';
import { ValidationPipe, type ValidationError } from '@nestjs/common';
import { ProblemError } from './problem.js';

/** Reads bodies as DTOs; a bad field or one that is not known is a 422 that names each. */
export function requestValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    exceptionFactory: (invalid) => {
      const errors = invalid.map(fieldError);
      return new ProblemError('validation_error', `${describeFields(errors)}.`, { errors });
    },
  });
}

const NOT_A_TEXT = 'must be a text';

/** A rule for a text that completes the sentence "this field …" when the value breaks it. */
export function TextRule(code: string, check: (text: string) => string | undefined): PropertyDecorator {
  return FieldRule(code, (value) => (typeof value === 'string' ? check(value) : NOT_A_TEXT));
}

function fieldError({ property, value, constraints = {} }: ValidationError): FieldError {
  const pointer = pointerTo('', property);
  if ('whitelistValidation' in constraints) {
    return { pointer, code: 'unknown_field', message: 'is not a field of this request' };
  }
  if (value === undefined) return { pointer, code: 'required', message: 'is required' };
  if (typeof value !== 'string') return { pointer, code: 'wrong_type', message: NOT_A_TEXT };
  const [[code, message] = ['invalid', 'is not valid']] = Object.entries(constraints);
  return { pointer, code: code === 'isUuid' ? 'invalid_id' : code, message };
}
