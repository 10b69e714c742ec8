import { ValidateIf } from 'class-validator';

/** May be left out; `null` is not the same and is refused by the field's other rules. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_dto, value) => value !== undefined);
}
