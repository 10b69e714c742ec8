import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { IsInt, IsString, validateSync, ValidateNested } from 'class-validator';
import fc from 'fast-check';
import { EticketCancelledEvent, EticketConfirmedEvent, isValid } from './index.js';

type Json = Record<string, unknown>;

const eur = (amount: string) => ({ amount, currency: 'EUR' });
const airline = { iataCode: 'BA', name: 'British Airways' };
const airport = { iataCode: 'LHR', name: 'Heathrow', cityName: 'London', countryCode: 'GB', timeZone: 'Europe/London' };
const taxes = [{ code: 'YQ', name: 'Carrier surcharge', ...eur('12.00') }];
const CONFIRMED: Json = {
  eventId: '0b03162f-5d2a-4e59-831b-31d81fb6b2bc',
  type: 'eticket-confirmed',
  version: 1,
  occurredAt: '2026-12-01T03:05:25.504Z',
  booking: {
    id: '733dbd28-0906-4724-b1bc-e8213b1cc539',
    reference: 'YW7NZT',
    locale: 'es-ES',
    issuedAt: '2026-12-01T03:05:25.504Z',
    issuedBy: {
      name: 'Meridian Travel',
      iataNumber: '99999992',
      place: 'Dublin, Ireland',
      supportEmail: 'support@meridian.example',
      supportPhone: '+353 1 555 0199',
    },
    validatingCarrier: airline,
    manageUrl: 'http://127.0.0.1:3000/bookings/733dbd28-0906-4724-b1bc-e8213b1cc539',
    contact: { email: 'lucia@example.com', phone: '+34911234567' },
    passengers: [
      {
        type: 'adult',
        title: 'ms',
        givenName: 'Lucía',
        familyName: 'Fernández',
        ticketName: 'FERNANDEZ/LUCIA MS',
        ticketNumber: '1259900000000',
        base: eur('75.00'),
        taxes,
        total: eur('87.00'),
      },
    ],
    segments: [
      {
        id: 'seg_1',
        slice: 0,
        marketingCarrier: airline,
        flightNumber: '7196',
        operatingCarrier: airline,
        cabin: 'economy',
        bookingClass: 'O',
        fareBasis: 'OSOESLT',
        origin: { ...airport, terminal: '5' },
        destination: airport,
        departingAt: '2026-12-31T07:05:00+01:00',
        arrivingAt: '2026-12-31T08:15:00+00:00',
        duration: 'PT2H10M',
        aircraft: 'Airbus A321neo',
        baggage: [{ passengerType: 'adult', carryOnPieces: 1, carryOnKg: 8, checkedPieces: 0, checkedKg: 0 }],
        status: 'OK',
      },
    ],
    price: { base: eur('75.00'), taxes, fees: eur('9.00'), total: eur('96.00') },
    payment: { brand: 'visa', last4: '4242', approvalCode: '8F004B' },
    conditions: {
      changeBeforeDeparture: { allowed: true, penalty: eur('30.00') },
      refundBeforeDeparture: { allowed: false },
      endorsements: 'NONREF/NO CHANGES',
    },
  },
};
const CANCELLED: Json = { ...CONFIRMED, type: 'eticket-cancelled', refund: eur('0.00') };

const byClassValidator = (type: new () => object, value: object): boolean =>
  validateSync(plainToInstance(type, value), {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
  }).length === 0;

/** Every place in the value, as the keys that lead there. */
function places(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...at, key]))];
}

function changed(value: Json, place: readonly string[], change: (owner: Json, key: string) => void): Json {
  const copy = structuredClone(value);
  let owner = copy;
  for (const key of place.slice(0, -1)) owner = owner[key] as Json;
  change(owner, place.at(-1)!);
  return copy;
}

describe('isValid', () => {
  it('says yes to the events of a booking', () => {
    expect(isValid(EticketConfirmedEvent, CONFIRMED)).toBe(true);
    expect(isValid(EticketCancelledEvent, CANCELLED)).toBe(true);
  });

  it('says what class-validator says, whatever is changed, taken away or added', () => {
    const values = [
      null,
      '',
      'x',
      '1',
      0,
      -1,
      1.5,
      41,
      true,
      {},
      [],
      [{}],
      [null],
      'GB',
      '2026-13-01',
      'a@b',
      eur('1'),
    ];
    const where = fc.constantFrom(...places(CONFIRMED).filter((place) => place.length > 0));
    const changes = fc.oneof(
      fc.constantFrom(...values).map((to) => (owner: Json, key: string) => void (owner[key] = to)),
      fc.string().map((to) => (owner: Json, key: string) => void (owner[key] = to)),
      fc.constant((owner: Json, key: string) =>
        Array.isArray(owner) ? void owner.splice(Number(key), 1) : void delete owner[key],
      ),
      fc.constant((owner: Json) => void (owner.extra = 1)),
    );
    let refused = 0;
    fc.assert(
      fc.property(where, changes, (place, change) => {
        const event = changed(CONFIRMED, place, change);
        const expected = byClassValidator(EticketConfirmedEvent, event);
        if (!expected) refused++;
        expect(isValid(EticketConfirmedEvent, event)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it.each([
    ['an event of another kind', EticketCancelledEvent, CONFIRMED],
    ['no object', EticketConfirmedEvent, 'event'],
    ['nothing', EticketConfirmedEvent, null],
  ])('says no to %s', (_what, type, value) => expect(isValid(type, value)).toBe(false));

  it('refuses to judge by rules that it does not know', () => {
    class Tagged {
      @IsString({ each: true })
      readonly tags!: readonly string[];
    }
    class Grouped {
      @IsInt({ groups: ['new'] })
      readonly count!: number;
    }
    class Untyped {
      @ValidateNested()
      readonly inner!: object;
    }
    for (const type of [Tagged, Grouped, Untyped]) {
      expect(() => isValid(type, {})).toThrow(`does not know all rules of ${type.name}`);
    }
  });
});
