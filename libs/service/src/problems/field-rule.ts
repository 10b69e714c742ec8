import { registerDecorator } from 'class-validator';
import type { FieldError } from './problem.js';

/**
 * A rule of our own on a field of a DTO. `check` gives what is wrong with the value, completing the sentence "this
 * field …", or undefined; it never repeats the value, which may be personal.
 */
export function FieldRule(code: string, check: (value: unknown) => string | undefined): PropertyDecorator {
  return (target, propertyKey) =>
    registerDecorator({
      name: code,
      target: target.constructor,
      propertyName: String(propertyKey),
      validator: {
        validate: (value: unknown) => check(value) === undefined,
        defaultMessage: (failure) => check(failure?.value) ?? '',
      },
    });
}

/** RFC 6901: the pointer to a member of what `parent` points to. */
export function pointerTo(parent: string, member: string): string {
  return `${parent}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The `detail` of a `validation_error`: the first field, and how many more there are. */
export function describeFields(errors: readonly FieldError[]): string {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${first?.pointer ?? ''} ${first?.message ?? ''}${more}`.trim();
}
