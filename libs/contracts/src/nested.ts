import { Type, type ClassConstructor } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsNotEmpty, ValidateNested } from 'class-validator';

type TypeOf = () => ClassConstructor<object>;

/** Of a list whose length nothing else limits. */
const MOST = 1_000;

const TYPES = new Map<object, Map<string, TypeOf>>();

/** A field that is an object of another class, checked as such. */
export function Nested(type: TypeOf): PropertyDecorator {
  return all(typed(type), ValidateNested(), IsNotEmpty());
}

/** A field that is an array of at least `min` and at most `max` objects of another class, each checked as such. */
export function NestedList(type: TypeOf, { min = 0, max = MOST } = {}): PropertyDecorator {
  return all(typed(type), ValidateNested({ each: true }), IsArray(), ArrayMinSize(min), ArrayMaxSize(max));
}

/** The class of a field of `owner` that is {@link Nested} or a {@link NestedList}. */
export function nestedTypeOf(owner: ClassConstructor<object>, field: string): ClassConstructor<object> | undefined {
  for (let of: ClassConstructor<object> | null = owner; of?.prototype; of = Object.getPrototypeOf(of) as typeof of) {
    const type = TYPES.get(of.prototype as object)?.get(field);
    if (type) return type();
  }
  return undefined;
}

function typed(type: TypeOf): PropertyDecorator {
  return (prototype, field) => {
    const types = TYPES.get(prototype) ?? new Map<string, TypeOf>();
    TYPES.set(prototype, types.set(String(field), type));
    Type(type)(prototype, field);
  };
}

function all(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (prototype, field) => {
    for (const decorate of decorators) decorate(prototype, field);
  };
}
