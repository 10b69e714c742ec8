import { pointerTo, type FieldError } from '@eticket/service/problems';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { invalidFields } from './problem.js';

/** class-validator's names of built-in rules, as this API's codes. Our own rules are named as their codes. */
const CODES: Readonly<Record<string, string>> = {
  whitelistValidation: 'unknown_field',
  unknownValue: 'wrong_type',
  nestedValidation: 'wrong_type',
  isString: 'wrong_type',
  isInt: 'wrong_type',
  isArray: 'wrong_type',
  isObject: 'wrong_type',
  isIn: 'unknown_value',
  isLength: 'wrong_length',
  maxLength: 'too_long',
  minLength: 'too_short',
  arrayMinSize: 'too_few',
  arrayMaxSize: 'too_many',
  min: 'out_of_range',
  max: 'out_of_range',
  matches: 'invalid_format',
};

/** A booking has three. class-transformer goes down by recursion, and its stack ends at a few thousand. */
const DEEPEST = 20;

/**
 * Reads a value of unknown shape as a DTO. Fields that the DTO does not have are errors too.
 * @throws ProblemError 422 that names every bad field.
 */
export function validateFields<T extends object>(dto: ClassConstructor<T>, value: unknown): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidFields([{ pointer: '', code: 'wrong_type', message: 'has to be a JSON object' }]);
  }
  assertNotDeep(value);
  const instance = plainToInstance(dto, value);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    validationError: { target: false, value: true },
  });
  if (errors.length > 0) throw invalidFields(errors.flatMap((error) => fieldErrors(error, '')));
  return instance;
}

/** Before anything goes down a body by recursion. @throws ProblemError 422. */
export function assertNotDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null || !isDeeperThan(value, DEEPEST)) return;
  const message = `must not have more than ${DEEPEST} levels of objects and lists`;
  throw invalidFields([{ pointer: '', code: 'too_deep', message }]);
}

function isDeeperThan(value: object, levels: number): boolean {
  let inside: readonly object[] = [value];
  for (let level = 0; level < levels && inside.length > 0; level++) {
    inside = inside
      .flatMap((each): readonly unknown[] => Object.values(each))
      .filter((each): each is object => typeof each === 'object' && each !== null);
  }
  return inside.length > 0;
}

function fieldErrors(error: ValidationError, parent: string): readonly FieldError[] {
  const pointer = pointerTo(parent, error.property);
  const children = (error.children ?? []).flatMap((child) => fieldErrors(child, pointer));
  const constraints = Object.entries(error.constraints ?? {});
  if (constraints.length === 0) return children;
  const unknown = constraints.some(([rule]) => rule === 'whitelistValidation');
  if (error.value === undefined && !unknown)
    return [{ pointer, code: 'required', message: 'is required' }, ...children];
  // Whether the type is right comes first: the other rules then say nothing of use.
  const [rule, message] =
    constraints.find(([name]) => CODES[name] === 'wrong_type' || name === 'whitelistValidation') ??
    constraints[0] ??
    [];
  if (rule === undefined) return children;
  // Of a value of the wrong type, what is inside says nothing.
  const inside = CODES[rule] === 'wrong_type' ? [] : children;
  return [{ pointer, code: CODES[rule] ?? rule, message: phrase(rule, message ?? '', error.property) }, ...inside];
}

/** Without the property's name, which the pointer says. */
function phrase(rule: string, message: string, property: string): string {
  if (rule === 'whitelistValidation') return 'is not a field of this request';
  if (rule === 'nestedValidation' || rule === 'unknownValue') return 'has to be a JSON object';
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
