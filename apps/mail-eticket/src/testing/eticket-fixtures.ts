import type {
  BookingSnapshot,
  Cabin,
  EticketCancelledEvent,
  EticketConfirmedEvent,
  LocalName,
  PassengerType,
  TicketedPassenger,
  TicketedSegment,
  Title,
} from '@eticket/contracts';
import { AIRLINES, AIRPORTS } from './timetable-fixtures.js';

type FlightShape = readonly [
  flight: `${keyof typeof AIRLINES} ${string}`,
  from: `${keyof typeof AIRPORTS}${string}`,
  to: `${keyof typeof AIRPORTS}${string}`,
  departingAt: string,
  arrivingAt: string,
  duration: string,
  slice?: 0 | 1,
  operatedBy?: keyof typeof AIRLINES,
];

type PassengerShape = readonly [
  type: PassengerType,
  title: Title,
  givenName: string,
  familyName: string,
  ticketName: string,
  infantOf?: number,
];

export interface BookingShape {
  readonly locale: string;
  readonly email: string;
  readonly currency: string;
  /** Decimals of the currency by ISO 4217. */
  readonly digits: number;
  /** Minor units a passenger. */
  readonly fare: number;
  readonly tax: number;
  readonly cabin?: Cabin;
  readonly flights: readonly FlightShape[];
  readonly passengers: readonly PassengerShape[];
}

/** The shapes of bookings that every mail must hold, one for each thing that can go wrong in print. */
export const BOOKING_SHAPES = {
  'one adult, one way': {
    locale: 'es-ES',
    email: 'lucia.fernandez@example.com',
    currency: 'EUR',
    digits: 2,
    fare: 12900,
    tax: 3117,
    flights: [['IB 3166', 'MAD 4', 'LHR 5', '2027-01-14T07:15:00+01:00', '2027-01-14T08:40:00+00:00', 'PT2H25M']],
    passengers: [['adult', 'ms', 'Lucía', 'Fernández Ortiz', 'FERNANDEZORTIZ/LUCIA MS']],
  },
  'family with an infant, return': {
    locale: 'ca-ES',
    email: 'jordi.puig@example.cat',
    currency: 'EUR',
    digits: 2,
    fare: 41250,
    tax: 18463,
    flights: [
      ['IB 1901', 'BCN 1', 'MAD 4', '2027-02-18T09:00:00+01:00', '2027-02-18T10:25:00+01:00', 'PT1H25M'],
      ['IB 6251', 'MAD 4S', 'JFK 8', '2027-02-18T12:05:00+01:00', '2027-02-18T14:35:00-05:00', 'PT8H30M'],
      ['AA 94', 'JFK 8', 'MAD 4S', '2027-03-04T18:20:00-05:00', '2027-03-05T07:30:00+01:00', 'PT7H10M', 1, 'IB'],
      ['IB 1710', 'MAD 4', 'BCN 1', '2027-03-05T09:15:00+01:00', '2027-03-05T10:35:00+01:00', 'PT1H20M', 1],
    ],
    passengers: [
      ['adult', 'mr', 'Jordi', 'Puig', 'PUIG/JORDI MR'],
      ['adult', 'mrs', 'Anna', 'Puig Serra', 'PUIGSERRA/ANNA MRS'],
      ['child', 'miss', 'Laia', 'Puig', 'PUIG/LAIA MISS'],
      ['infant', 'mstr', 'Pol', 'Puig', 'PUIG/POL MSTR', 1],
    ],
  },
  'two flights to the other side': {
    locale: 'de-CH',
    email: 'j.mueller@bücher.example',
    currency: 'CHF',
    digits: 2,
    fare: 489000,
    tax: 31205,
    cabin: 'business',
    flights: [
      ['LX 176', 'ZRH', 'SIN 2', '2027-03-30T22:40:00+02:00', '2027-03-31T17:25:00+08:00', 'PT12H45M'],
      ['SQ 211', 'SIN 3', 'SYD 1', '2027-03-31T20:35:00+08:00', '2027-04-01T07:25:00+11:00', 'PT7H50M'],
    ],
    passengers: [['adult', 'dr', 'Jürg', 'Müller-Lüthi', 'MUELLERLUETHI/JUERG DR']],
  },
  'yen, no decimals': {
    locale: 'ja-JP',
    email: 'sato@example.jp',
    currency: 'JPY',
    digits: 0,
    fare: 21400,
    tax: 1290,
    flights: [['NH 57', 'HND 2', 'CTS', '2026-12-20T09:00:00+09:00', '2026-12-20T10:35:00+09:00', 'PT1H35M']],
    passengers: [
      ['adult', 'mr', 'Kenji', 'Sato', 'SATO/KENJI MR'],
      ['adult', 'ms', 'Yui', 'Sato', 'SATO/YUI MS'],
    ],
  },
  'dinar, three decimals': {
    locale: 'ar-KW',
    email: 'yousef@example.com',
    currency: 'KWD',
    digits: 3,
    fare: 31250,
    tax: 12375,
    flights: [['EK 854', 'KWI 1', 'DXB 3', '2026-12-15T04:05:00+03:00', '2026-12-15T06:50:00+04:00', 'PT1H45M']],
    passengers: [['adult', 'mr', 'Yousef', 'Al-Sabah', 'ALSABAH/YOUSEF MR']],
  },
  'names as people write them': {
    locale: 'en-IE',
    email: 'zoe+flights@example.ie',
    currency: 'PLN',
    digits: 2,
    fare: 31900,
    tax: 9940,
    flights: [['LO 282', 'DUB 2', 'WAW', '2027-01-02T18:25:00+00:00', '2027-01-02T22:05:00+01:00', 'PT2H40M']],
    passengers: [
      ['adult', 'ms', 'Zoë', 'O’Brien-Łukasik', 'OBRIENLUKASIK/ZOE MS'],
      ['adult', 'ms', 'Thị Hương', 'Đặng', 'DANG/THIHUONG MS'],
      ['adult', 'mr', 'Þór', 'Ægisson', 'AEGISSON/THOR MR'],
    ],
  },
  'half-hour and quarter-hour zones': {
    locale: 'en-IN',
    email: 'asha.raman@example.in',
    currency: 'INR',
    digits: 2,
    fare: 12500050,
    tax: 312900,
    flights: [['AI 213', 'DEL 3', 'KTM', '2027-01-29T13:00:00+05:30', '2027-01-29T15:00:00+05:45', 'PT1H45M']],
    passengers: [['adult', 'mrs', 'Asha', 'Raman', 'RAMAN/ASHA MRS']],
  },
  'across the date line': {
    locale: 'en-NZ',
    email: 'tama@example.nz',
    currency: 'NZD',
    digits: 2,
    fare: 185000,
    tax: 14210,
    cabin: 'premium_economy',
    flights: [
      ['NZ 9', 'HNL 2', 'AKL I', '2027-02-08T23:35:00-10:00', '2027-02-10T07:35:00+13:00', 'PT9H0M'],
      ['NZ 10', 'AKL I', 'HNL 2', '2027-02-20T23:55:00+13:00', '2027-02-20T09:45:00-10:00', 'PT8H50M', 1],
    ],
    passengers: [['adult', 'mr', 'Tama', 'Ngata', 'NGATA/TAMA MR']],
  },
  'nine seats': {
    locale: 'pt-PT',
    email: 'silva@example.pt',
    currency: 'EUR',
    digits: 2,
    fare: 61900,
    tax: 20715,
    flights: [
      ['TP 85', 'LIS 1', 'GRU 3', '2027-04-29T23:05:00+01:00', '2027-04-30T05:20:00-03:00', 'PT10H15M'],
      ['LA 8100', 'GRU 2', 'LIS 1', '2027-05-12T17:55:00-03:00', '2027-05-13T07:40:00+01:00', 'PT9H45M', 1, 'TP'],
    ],
    passengers: (['A', 'Bento', 'Caio', 'Dina', 'Eva', 'Flora', 'Gil', 'Hugo', 'Inês'] as const).map(
      (name): PassengerShape => [
        'adult',
        'mr',
        name,
        'Silva',
        `SILVA/${name === 'Inês' ? 'INES' : name.toUpperCase()} MR`,
      ],
    ),
  },
} as const satisfies Readonly<Record<string, BookingShape>>;

export type BookingShapeName = keyof typeof BOOKING_SHAPES;
export const BOOKING_SHAPE_NAMES = Object.keys(BOOKING_SHAPES) as readonly BookingShapeName[];

const SPANISH_NAMES: Readonly<Record<string, string>> = {
  London: 'Londres',
  'New York': 'Nueva York',
  Zürich: 'Zúrich',
  Singapore: 'Singapur',
  Sydney: 'Sídney',
  Tokyo: 'Tokio',
  'Kuwait City': 'Kuwait',
  Dubai: 'Dubái',
  Dublin: 'Dublín',
  Warsaw: 'Varsovia',
  Kathmandu: 'Katmandú',
  Honolulu: 'Honolulú',
  Lisbon: 'Lisboa',
  'Carrier-imposed charge': 'Recargo de la compañía',
  'Departure charge': 'Tasa de salida',
  'Madrid, Spain': 'Madrid, España',
};

/** What a city, a tax or a place is called in the mail of a booking, which is in English or in Spanish. */
export function localNameIn({ locale, localNames }: BookingSnapshot): (name: string) => string {
  const names = locale.startsWith('es') ? (localNames?.names ?? []) : [];
  return (name) => names.find((each) => each.name === name)?.localName ?? name;
}

let sequence = 0;

/** A valid event with ids of its own; `change` lays other values over the booking. */
export function eticketEvent(
  shape: BookingShapeName | BookingShape = 'names as people write them',
  change: Partial<BookingSnapshot> = {},
): EticketConfirmedEvent {
  sequence += 1;
  return eticketEventWithIds(fixtureId(1), shape, { id: fixtureId(2), ...change });
}

/** The same event on every call: for comparing bytes between processes. */
export function eticketEventWithIds(
  eventId: string,
  shape: BookingShapeName | BookingShape,
  change: Partial<BookingSnapshot> = {},
): EticketConfirmedEvent {
  return {
    eventId,
    type: 'eticket-confirmed',
    version: 1,
    occurredAt: '2026-11-30T18:04:05.678Z',
    booking: withSpanishNames({ ...bookingOf(typeof shape === 'string' ? BOOKING_SHAPES[shape] : shape), ...change }),
  };
}

/** As the booking service names them for a traveller who reads Spanish. */
function withSpanishNames(booking: BookingSnapshot): BookingSnapshot {
  if (!booking.locale.startsWith('es')) return booking;
  const cities = booking.segments.flatMap(({ origin, destination }) => [origin.cityName, destination.cityName]);
  const all = new Set([...cities, ...booking.price.taxes.map(({ name }) => name), booking.issuedBy.place]);
  const names = [...all].flatMap((name): LocalName[] => {
    const localName = SPANISH_NAMES[name];
    return localName === undefined ? [] : [{ name, localName }];
  });
  return { ...booking, localNames: { language: 'es', names } };
}

/** The booking of an event, cancelled later. */
export function cancelledEvent(
  { booking }: EticketConfirmedEvent,
  change: Partial<EticketCancelledEvent> = {},
): EticketCancelledEvent {
  sequence += 1;
  return {
    eventId: fixtureId(3),
    type: 'eticket-cancelled',
    version: 2,
    occurredAt: '2026-12-02T09:30:00.000Z',
    booking,
    refund: booking.price.base,
    ...change,
  };
}

function fixtureId(kind: number): string {
  const process = globalThis.process.pid.toString(16).padStart(8, '0').slice(-8);
  const tail = `${kind}${Date.now().toString(16).slice(-6)}${sequence.toString(16).padStart(5, '0')}`;
  return `${process}-0000-4000-8000-${tail.padStart(12, '0').slice(-12)}`;
}

function bookingOf(shape: BookingShape): BookingSnapshot {
  const money = (minorUnits: number) => ({ amount: decimal(minorUnits, shape.digits), currency: shape.currency });
  const taxes = (factor: number) => [
    { code: 'YQ', name: 'Carrier-imposed charge', ...money((shape.tax - (shape.tax % 3)) * factor) },
    { code: 'JD', name: 'Departure charge', ...money((shape.tax % 3) * factor) },
  ];
  const fee = 500;
  const count = shape.passengers.length;
  const passengers = shape.passengers.map(
    ([type, title, givenName, familyName, ticketName, infantOf], index): TicketedPassenger => ({
      type,
      title,
      givenName,
      familyName,
      ticketName,
      ticketNumber: `1259912345${String(600 + index)}`,
      ...(infantOf === undefined ? {} : { infantOf }),
      base: money(shape.fare),
      taxes: taxes(1),
      total: money(shape.fare + shape.tax),
    }),
  );
  return {
    id: '0198a000-0000-7000-8000-000000000001',
    reference: 'K7XQ4S',
    locale: shape.locale,
    issuedAt: '2026-11-30T18:04:05.000Z',
    issuedBy: {
      name: 'Meridian Travel',
      iataNumber: '99000001',
      place: 'Madrid, Spain',
      supportEmail: 'support@meridian.example',
      supportPhone: '+34 910 000 000',
    },
    validatingCarrier: AIRLINES[shape.flights[0]?.[0].slice(0, 2) as keyof typeof AIRLINES],
    manageUrl: 'http://127.0.0.1:3000/manage/K7XQ4S?from=mail',
    contact: { email: shape.email, phone: '+34911234567' },
    passengers,
    segments: shape.flights.map((flight, index) => segmentOf(flight, index, shape)),
    price: {
      base: money(shape.fare * count),
      taxes: taxes(count),
      fees: money(fee),
      total: money((shape.fare + shape.tax) * count + fee),
    },
    payment: { brand: 'visa', last4: '4242', approvalCode: 'A1B2C3' },
    conditions: {
      changeBeforeDeparture: { allowed: true, penalty: money(7500) },
      refundBeforeDeparture: { allowed: false },
      endorsements: 'NONREF/CHG FEE APPLIES',
    },
  };
}

function segmentOf(flight: FlightShape, index: number, shape: BookingShape): TicketedSegment {
  const [designator, from, to, departingAt, arrivingAt, duration, slice = 0, operatedBy] = flight;
  const marketing = AIRLINES[designator.slice(0, 2) as keyof typeof AIRLINES];
  const types = [...new Set(shape.passengers.map(([type]) => type))];
  return {
    id: `seg-${index + 1}`,
    slice,
    marketingCarrier: marketing,
    flightNumber: designator.slice(3),
    operatingCarrier: operatedBy ? AIRLINES[operatedBy] : marketing,
    cabin: shape.cabin ?? 'economy',
    bookingClass: shape.cabin === 'business' ? 'J' : 'Y',
    fareBasis: 'YLOWES',
    origin: airportOf(from),
    destination: airportOf(to),
    departingAt,
    arrivingAt,
    duration,
    aircraft: 'Airbus A321neo',
    status: 'OK',
    baggage: types.map((passengerType) => ({
      passengerType,
      carryOnPieces: 1,
      carryOnKg: passengerType === 'infant' ? 6 : 10,
      checkedPieces: passengerType === 'infant' ? 0 : 2,
      checkedKg: passengerType === 'infant' ? 0 : 23,
    })),
  };
}

function airportOf(place: string) {
  const airport = AIRPORTS[place.slice(0, 3) as keyof typeof AIRPORTS];
  const terminal = place.slice(4);
  return terminal === '' ? airport : { ...airport, terminal };
}

function decimal(minorUnits: number, digits: number): string {
  if (digits === 0) return String(minorUnits);
  const text = String(minorUnits).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
