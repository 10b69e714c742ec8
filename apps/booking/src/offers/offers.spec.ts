import 'reflect-metadata';
import fc from 'fast-check';
import { CABINS } from '@eticket/contracts';
import { AIRPORTS, type KnownAirport } from '../airports/airports.js';
import { CURRENCIES, currencyOf } from '../money/currency.js';
import { sum } from '../money/money.js';
import { addDays, dayChange } from '../times/local-time.js';
import { minimumConnectionMinutes } from '../timetable/connections.js';
import { arrivalOf, departureOf, firstFlight, lastFlight } from '../timetable/flight.js';
import { cabinOn } from './price-offer.js';
import { openOffer, sealOffer } from './offer-seal.js';
import type { Offer } from './offer.js';
import { searchOffers, type OfferSearch } from './search-offers.js';

const NOW = new Date('2026-11-30T18:00:00Z');
const KEY = Buffer.alloc(32, 7);
const airport = (code: string): KnownAirport => AIRPORTS.get(code) as KnownAirport;

function search(origin: string, destination: string, more: Partial<OfferSearch> = {}): readonly Offer[] {
  return searchOffers(
    {
      origin: airport(origin),
      destination: airport(destination),
      departureDate: '2027-03-14',
      returnDate: undefined,
      counts: { adults: 1, children: 0, infants: 0 },
      cabin: 'economy',
      currency: currencyOf('EUR'),
      ...more,
    },
    NOW,
  );
}

/** Popular pairs, so that most searches find something. */
const CODES =
  'MAD BCN LHR JFK ZRH SYD HND CTS KWI DXB DUB WAW DEL KTM HNL AKL LIS GRU CDG FCO LAX SIN DOH EZE YYZ CAI'.split(' ');
const anySearch = fc
  .record({
    pair: fc.uniqueArray(fc.constantFrom(...CODES), { minLength: 2, maxLength: 2 }),
    day: fc.integer({ min: 1, max: 300 }),
    stay: fc.option(fc.integer({ min: 0, max: 29 })),
    adults: fc.integer({ min: 1, max: 9 }),
    children: fc.integer({ min: 0, max: 8 }),
    infants: fc.integer({ min: 0, max: 9 }),
    cabin: fc.constantFrom(...CABINS),
    currency: fc.constantFrom(...CURRENCIES.values()),
  })
  .map(
    ({ pair: [origin = '', destination = ''], day, stay, adults, children, infants, cabin, currency }): OfferSearch => {
      const departureDate = addDays('2026-11-30', day);
      return {
        origin: airport(origin),
        destination: airport(destination),
        departureDate,
        returnDate: stay === null ? undefined : addDays(departureDate, stay),
        counts: { adults, children: Math.min(children, 9 - adults), infants: Math.min(infants, adults) },
        cabin,
        currency,
      };
    },
  );

describe('Offers', () => {
  it('are the same for the same search, ids and all', () => {
    const ids = (now: Date) =>
      searchOffers(
        {
          origin: airport('BCN'),
          destination: airport('JFK'),
          departureDate: '2027-02-18',
          returnDate: '2027-03-04',
          counts: { adults: 2, children: 1, infants: 1 },
          cabin: 'economy',
          currency: currencyOf('EUR'),
        },
        now,
      ).map((offer) => sealOffer({ selection: offer.selection, totalMinor: offer.price.total.minor }, KEY));
    expect(ids(NOW).length).toBeGreaterThan(5);
    expect(ids(NOW)).toEqual(ids(new Date(NOW.getTime() + 60_000)));
    expect(new Set(ids(NOW)).size).toBe(ids(NOW).length);
  });

  it('add up: fares, taxes and fees to the total, for every currency and company', () => {
    fc.assert(
      fc.property(anySearch, (wanted) => {
        for (const { passengers, price, selection } of searchOffers(wanted, NOW)) {
          const { currency, counts } = selection;
          expect(passengers).toHaveLength(counts.adults + counts.children + counts.infants);
          for (const { base, taxes, total } of passengers) {
            expect(sum([base, ...taxes.map((tax) => tax.amount)], currency)).toEqual(total);
            expect(base.minor > 0n).toBe(true);
          }
          expect(sum([...passengers.map((each) => each.total), price.fees], currency)).toEqual(price.total);
          expect(sum([price.base, ...price.taxes.map((tax) => tax.amount), price.fees], currency)).toEqual(price.total);
          expect(new Set(price.taxes.map((tax) => tax.code)).size).toBe(price.taxes.length);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('have flights that a traveller can take: in order, connecting, in the cabin asked for', () => {
    fc.assert(
      fc.property(anySearch, (wanted) => {
        for (const { slices, selection } of searchOffers(wanted, NOW)) {
          for (const [index, slice] of slices.entries()) {
            const [first, last] = [firstFlight(slice), lastFlight(slice)];
            const [from, to] = index === 0 ? [wanted.origin, wanted.destination] : [wanted.destination, wanted.origin];
            expect([first.origin, last.destination]).toEqual([from, to]);
            expect(departureOf(first).toISODate()).toBe(index === 0 ? wanted.departureDate : wanted.returnDate);
            expect(slice.flights.some((flight) => cabinOn(flight, selection.cabin) === selection.cabin)).toBe(true);
            for (const flight of slice.flights) {
              expect(flight.arrivesMs - flight.departsMs).toBe(flight.minutes * 60_000);
              const speed = flight.distanceKm / (flight.minutes / 60);
              expect(speed).toBeLessThan(960);
              expect(flight.minutes).toBeGreaterThan(30);
            }
            const second = slice.flights[1];
            if (!second) continue;
            expect(second.airline).toBe(first.airline);
            const waiting = (second.departsMs - first.arrivesMs) / 60_000;
            expect(waiting).toBeGreaterThanOrEqual(minimumConnectionMinutes(first, second));
            expect(waiting).toBeLessThanOrEqual(14 * 60);
          }
          const [out, back] = slices;
          if (out && back) {
            expect(firstFlight(back).departsMs).toBeGreaterThan(lastFlight(out).arrivesMs);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('are not for flights that have left, or are about to', () => {
    const now = new Date('2027-03-14T15:00:00Z');
    const later = searchOffers(
      {
        origin: airport('MAD'),
        destination: airport('LHR'),
        departureDate: '2027-03-14',
        returnDate: undefined,
        counts: { adults: 1, children: 0, infants: 0 },
        cabin: 'economy',
        currency: currencyOf('EUR'),
      },
      now,
    );
    expect(later.length).toBeGreaterThan(0);
    expect(
      later.every(({ slices }) => slices.every((slice) => firstFlight(slice).departsMs > now.getTime() + 3_600_000)),
    ).toBe(true);
  });

  it('cost children three quarters and infants a tenth, and infants on a lap less in taxes', () => {
    const [offer] = search('LIS', 'GRU', { counts: { adults: 1, children: 1, infants: 1 } });
    const [adult, child, infant] = offer?.passengers ?? [];
    expect(Number(child?.base.minor) / Number(adult?.base.minor)).toBeCloseTo(0.75, 1);
    expect(Number(infant?.base.minor) / Number(adult?.base.minor)).toBeCloseTo(0.1, 1);
    expect(infant?.taxes.some((tax) => tax.code === 'YQ')).toBe(false);
  });

  it('are believable: durations, zones and day changes of known pairs', () => {
    const direct = (from: string, to: string, cabin: OfferSearch['cabin'] = 'economy') =>
      search(from, to, { cabin }).find((offer) => offer.segments.length === 1)?.segments[0]?.flight;
    expect(direct('MAD', 'LHR')?.minutes).toBeGreaterThan(115);
    expect(direct('MAD', 'LHR')?.minutes).toBeLessThan(165);
    const kathmandu = direct('DEL', 'KTM');
    expect(kathmandu && arrivalOf(kathmandu).toFormat('ZZ')).toBe('+05:45');
    const pacific = direct('HNL', 'AKL', 'premium_economy');
    expect(pacific && dayChange(departureOf(pacific), arrivalOf(pacific))).toBeGreaterThanOrEqual(1);
    expect(search('ZRH', 'SYD', { cabin: 'business' }).every((offer) => offer.segments.length === 2)).toBe(true);
  });
});

describe('The id of an offer', () => {
  it('says what the offer follows from, in 100 characters or fewer', () => {
    fc.assert(
      fc.property(anySearch, (wanted) => {
        for (const { selection, price } of searchOffers(wanted, NOW).slice(0, 4)) {
          const sealed = { selection, totalMinor: price.total.minor };
          const id = sealOffer(sealed, KEY);
          expect(id).toMatch(/^off_[\w-]{40,96}$/);
          expect(openOffer(id, KEY)).toEqual(sealed);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('cannot be made up or changed', () => {
    const [offer] = search('MAD', 'LHR');
    if (!offer) throw new Error('no offer');
    const id = sealOffer({ selection: offer.selection, totalMinor: offer.price.total.minor }, KEY);
    for (let index = 4; index < id.length; index++) {
      const other = id[index] === 'A' ? 'B' : 'A';
      expect(openOffer(id.slice(0, index) + other + id.slice(index + 1), KEY)).toBeUndefined();
    }
    for (const wrong of [
      '',
      'off_',
      id.slice(0, -1),
      `${id}A`,
      `${id}=`,
      id.replace('off_', 'OFF_'),
      id.toLowerCase(),
    ]) {
      expect(openOffer(wrong, KEY)).toBeUndefined();
    }
    expect(openOffer(id, Buffer.alloc(32, 8))).toBeUndefined();
  });
});
