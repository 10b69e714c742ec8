import { ValidationPipe, type ValidationError } from '@nestjs/common';
import { RejectError } from 'ackline';

/**
 * Validates an event's payload against the class of the handler's `@Payload()` parameter. Fields that the class does
 * not know are left out rather than refused: producers may be newer than this consumer. A payload of the wrong shape
 * is hopeless and becomes a dead letter.
 */
export function eventValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidUnknownValues: true,
    exceptionFactory: (errors) =>
      new RejectError('invalid_payload', { cause: new TypeError(failedFields(errors).slice(0, 20).join('; ')) }),
  });
}

/** Fields and rules, without the values: they may be personal. */
function failedFields(errors: readonly ValidationError[], parent = ''): readonly string[] {
  return errors.flatMap((error) => {
    const field = `${parent}/${error.property}`;
    const rules = Object.keys(error.constraints ?? {});
    return [
      ...(rules.length > 0 ? [`${field}: ${rules.join(', ')}`] : []),
      ...failedFields(error.children ?? [], field),
    ];
  });
}
