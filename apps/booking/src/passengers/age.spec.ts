import fc from 'fast-check';
import { addDays } from '../times/local-time.js';
import { ageOn, passengerTypeAt } from './age.js';

describe('Age', () => {
  it.each([
    ['2015-03-14', '2027-03-13', 11],
    ['2015-03-14', '2027-03-14', 12],
    ['2025-03-14', '2027-03-13', 1],
    ['2025-03-14', '2027-03-14', 2],
    // Born on a leap day: a year older on 1 March where there is none.
    ['2024-02-29', '2026-02-28', 1],
    ['2024-02-29', '2026-03-01', 2],
    ['2024-02-29', '2028-02-29', 4],
    ['2027-03-15', '2027-03-14', -1],
  ])('of one born on %s is on %s %i', (bornOn, date, age) => expect(ageOn(bornOn, date)).toBe(age));

  it('grows by one on one day a year', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 10_000 }), (born, lived) => {
        const bornOn = addDays('1970-01-01', born);
        const [before, after] = [ageOn(bornOn, addDays(bornOn, lived - 1)), ageOn(bornOn, addDays(bornOn, lived))];
        expect([0, 1]).toContain(after - before);
        expect(Math.abs(after - lived / 365.2425)).toBeLessThan(1.01);
      }),
    );
  });

  it('says what kind of passenger somebody is', () => {
    expect([0, 1, 2, 11, 12, 80].map(passengerTypeAt)).toEqual([
      'infant',
      'infant',
      'child',
      'child',
      'adult',
      'adult',
    ]);
  });
});
