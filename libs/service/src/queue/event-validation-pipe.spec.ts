import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsInt, IsNotEmpty, IsString, ValidateNested } from 'class-validator';
import { RejectError } from 'ackline';
import { eventValidationPipe } from '../index.js';

class Traveller {
  @IsString()
  readonly name!: string;
}
class Event {
  @IsInt()
  readonly version!: number;

  @IsNotEmpty()
  @ValidateNested()
  @Type(() => Traveller)
  readonly traveller!: Traveller;
}
class AnyEvent {}

const transform = (value: unknown, metatype: new () => unknown = Event) =>
  eventValidationPipe().transform(value, { type: 'body', metatype }) as Promise<unknown>;

describe('The validation of an event’s payload', () => {
  it('gives an instance without the fields that only a newer producer knows', async () => {
    const event = await transform({ version: 1, traveller: { name: 'Ana', seat: '1A' }, added: true });
    expect(event).toBeInstanceOf(Event);
    expect(event).toEqual({ version: 1, traveller: { name: 'Ana' } });
  });

  it.each([
    { version: '1', traveller: { name: 'Ana' } },
    { version: 1 },
    { version: 1, traveller: { name: 4 } },
    { version: 1, traveller: 'Ana' },
    [],
    [{ version: 1, traveller: { name: 'Ana' } }],
    'text',
    7,
    true,
    null,
    undefined,
  ])('rejects %j', async (value) => {
    await expect(transform(value)).rejects.toMatchObject({ name: RejectError.name, errorCode: 'invalid_payload' });
  });

  it('rejects a payload for a class without a single rule rather than pass it unchecked', async () => {
    await expect(transform({ a: 1 }, AnyEvent)).rejects.toBeInstanceOf(RejectError);
  });

  it('names the failed fields and rules, not their values', async () => {
    const failure = await transform({ version: 'Ana', traveller: { name: 4711 } }).catch((error: unknown) => error);
    expect((failure as RejectError).cause).toMatchObject({ message: '/version: isInt; /traveller/name: isString' });
  });
});
