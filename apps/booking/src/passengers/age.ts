import type { PassengerType } from '@eticket/contracts';

/**
 * Age in full years on a date, both `YYYY-MM-DD`. Who was born on 29 February is a year older on 1 March where there is
 * no such day. Negative before birth.
 */
export function ageOn(bornOn: string, date: string): number {
  const years = Number(date.slice(0, 4)) - Number(bornOn.slice(0, 4));
  return date.slice(5) >= bornOn.slice(5) ? years : years - 1;
}

/** The kind of passenger that somebody of this age is. */
export function passengerTypeAt(age: number): PassengerType {
  if (age < 2) return 'infant';
  return age < 12 ? 'child' : 'adult';
}

/** As the messages say it. */
export const AGE_RULES: Readonly<Record<PassengerType, string>> = {
  adult: 'an adult is 12 or older on every flight',
  child: 'a child is 2 to 11 years old on every flight',
  infant: 'an infant is under 2 years old on every flight',
};
