import { ValidationPipe, type ValidationError } from '@nestjs/common';
import { registerDecorator } from 'class-validator';
import { ProblemError, type FieldError } from './problem.js';

/** Reads bodies as DTOs; a bad field or one that is not known is a 422 that names each. */
export function requestValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    exceptionFactory: (errors) => {
      const fields = errors.map(fieldError);
      const [first] = fields;
      return new ProblemError(
        'validation_error',
        `${first?.pointer ?? 'The body'} ${first?.message ?? ''}`.trim() + '.',
        {
          errors: fields,
        },
      );
    },
  });
}

/** A rule that completes the sentence "this field …" when the value breaks it. */
export function TextRule(code: string, check: (text: string) => string | undefined): PropertyDecorator {
  return (target, propertyKey) =>
    registerDecorator({
      name: code,
      target: target.constructor,
      propertyName: String(propertyKey),
      validator: {
        validate: (value: unknown) => typeof value === 'string' && check(value) === undefined,
        defaultMessage: (failure) => check(String(failure?.value)) ?? '',
      },
    });
}

function fieldError({ property, value, constraints = {} }: ValidationError): FieldError {
  const pointer = `/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if ('whitelistValidation' in constraints) {
    return { pointer, code: 'unknown_field', message: 'is not a field of this request' };
  }
  if (value === undefined) return { pointer, code: 'required', message: 'is required' };
  if (typeof value !== 'string') return { pointer, code: 'wrong_type', message: 'must be a text' };
  const [[code, message] = ['invalid', 'is not valid']] = Object.entries(constraints);
  return { pointer, code: code === 'isUuid' ? 'invalid_id' : code, message };
}
