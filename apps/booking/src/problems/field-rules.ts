import { registerDecorator, ValidateIf } from 'class-validator';

/** May be left out; `null` is not the same and is refused by the field's other rules. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_dto, value) => value !== undefined);
}

/**
 * A rule of our own. `check` gives what is wrong with the value, completing the sentence "this field …", or undefined;
 * it never repeats the value, which may be personal.
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
