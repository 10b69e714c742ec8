import type { BaggageAllowance, Cabin, PassengerType } from '@eticket/contracts';

/** Fares of one flight differ by what may be changed and taken along. */
export const FARE_BRANDS = ['light', 'classic', 'flex'] as const;
export type FareBrand = (typeof FARE_BRANDS)[number];

/** Reservation booking designators by cabin and brand. */
const BOOKING_CLASSES: Readonly<Record<Cabin, Readonly<Record<FareBrand, string>>>> = {
  economy: { light: 'O', classic: 'M', flex: 'Y' },
  premium_economy: { light: 'P', classic: 'E', flex: 'W' },
  business: { light: 'I', classic: 'D', flex: 'J' },
  first: { light: 'A', classic: 'A', flex: 'F' },
};

export function bookingClassOf(cabin: Cabin, brand: FareBrand): string {
  return BOOKING_CLASSES[cabin][brand];
}

const BRAND_ENDINGS: Readonly<Record<FareBrand, string>> = { light: 'LT', classic: 'CL', flex: 'FX' };

/** E.g. `OLRESLT`: booking class, long or short, return or one way, country of the fare, brand. */
export function fareBasisOf(fare: {
  readonly bookingClass: string;
  readonly long: boolean;
  readonly isReturn: boolean;
  readonly countryCode: string;
  readonly brand: FareBrand;
}): string {
  const { bookingClass, long, isReturn, countryCode, brand } = fare;
  return `${bookingClass}${long ? 'L' : 'S'}${isReturn ? 'R' : 'O'}${countryCode}${BRAND_ENDINGS[brand]}`;
}

interface Checked {
  readonly pieces: number;
  readonly kg: number;
}

const CHECKED_BAGGAGE: Readonly<Record<Cabin, Readonly<Record<FareBrand, Checked>>>> = {
  economy: { light: { pieces: 0, kg: 0 }, classic: { pieces: 1, kg: 23 }, flex: { pieces: 2, kg: 23 } },
  premium_economy: { light: { pieces: 1, kg: 23 }, classic: { pieces: 2, kg: 23 }, flex: { pieces: 2, kg: 23 } },
  business: { light: { pieces: 1, kg: 32 }, classic: { pieces: 2, kg: 32 }, flex: { pieces: 2, kg: 32 } },
  first: { light: { pieces: 2, kg: 32 }, classic: { pieces: 3, kg: 32 }, flex: { pieces: 3, kg: 32 } },
};

/** What a passenger may take along. An infant on a lap has no place for a bag of its own, but a small one in the hold. */
export function baggageOf(passengerType: PassengerType, cabin: Cabin, brand: FareBrand): BaggageAllowance {
  if (passengerType === 'infant')
    return { passengerType, carryOnPieces: 0, carryOnKg: 0, checkedPieces: 1, checkedKg: 10 };
  const { pieces, kg } = CHECKED_BAGGAGE[cabin][brand];
  const carryOnPieces = cabin === 'business' || cabin === 'first' ? 2 : 1;
  return { passengerType, carryOnPieces, carryOnKg: 8, checkedPieces: pieces, checkedKg: kg };
}

/** In euro cents a passenger; undefined where it is not allowed. */
export interface Penalties {
  readonly changeCents: number | undefined;
  readonly refundCents: number | undefined;
  readonly endorsements: string;
}

export function penaltiesOf(brand: FareBrand, long: boolean): Penalties {
  switch (brand) {
    case 'light':
      return { changeCents: undefined, refundCents: undefined, endorsements: 'NONREF/NO CHANGES' };
    case 'classic':
      return { changeCents: long ? 15_000 : 6_000, refundCents: undefined, endorsements: 'NONREF/CHG FEE APPLIES' };
    case 'flex':
      return { changeCents: 0, refundCents: long ? 10_000 : 3_000, endorsements: 'REFUND FEE APPLIES' };
  }
}

/** Percent of the classic fare. */
export const BRAND_PERCENT: Readonly<Record<FareBrand, number>> = { light: 76, classic: 100, flex: 165 };

/** Percent of the economy fare, on short and on long journeys. */
export const CABIN_PERCENT: Readonly<Record<Cabin, { readonly short: number; readonly long: number }>> = {
  economy: { short: 100, long: 100 },
  premium_economy: { short: 170, long: 190 },
  business: { short: 260, long: 390 },
  first: { short: 420, long: 680 },
};

/** Percent of the adult's base fare. */
export const PASSENGER_PERCENT: Readonly<Record<PassengerType, number>> = { adult: 100, child: 75, infant: 10 };
