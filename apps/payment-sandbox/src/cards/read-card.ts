import { TEST_CARDS, type TestCard } from './test-cards.js';

export const CARD_FIELDS = ['number', 'expiry', 'cvc'] as const;
export type CardField = (typeof CARD_FIELDS)[number];
export type TypedCard = Readonly<Record<CardField, string>>;

export type CardErrorCode =
  | 'number_missing'
  | 'number_wrong'
  | 'number_real'
  | 'expiry_missing'
  | 'expiry_wrong'
  | 'expiry_past'
  | 'cvc_missing'
  | 'cvc_wrong';

export type CardErrors = ReadonlyMap<CardField, CardErrorCode>;

/** A calendar month is over for everybody when it is over twelve hours west of Greenwich. */
const WESTERNMOST_MS = 12 * 3_600_000;
/** No bank gives a card for longer. */
const LONGEST_YEARS = 20;
/** ISO/IEC 7812-1: the shortest and longest numbers in use. */
const NUMBER = /^\d{12,19}$/;

/** The test card that was typed, or what is wrong, each with its field. */
export function readCard(
  typed: TypedCard,
  now: Date,
): { readonly card: TestCard } | { readonly card?: undefined; readonly errors: CardErrors } {
  const number = typed.number.replace(/[\s-]/g, '');
  const card = TEST_CARDS.find((each) => each.number === number);
  const errors = new Map<CardField, CardErrorCode>();
  const wrong = (field: CardField, code: CardErrorCode | undefined): void => void (code && errors.set(field, code));
  wrong('number', numberError(number, card));
  wrong('expiry', expiryError(typed.expiry.replace(/\s/g, ''), now));
  wrong('cvc', cvcError(typed.cvc.trim(), /^3[47]/.test(number) ? 4 : 3));
  return card && errors.size === 0 ? { card } : { errors };
}

function numberError(number: string, card: TestCard | undefined): CardErrorCode | undefined {
  if (number === '') return 'number_missing';
  if (!NUMBER.test(number) || !hasRightCheckDigit(number)) return 'number_wrong';
  return card ? undefined : 'number_real';
}

/** `MM/YY`, `MM/YYYY`, with or without the slash; good until the end of its month. */
function expiryError(expiry: string, now: Date): CardErrorCode | undefined {
  if (expiry === '') return 'expiry_missing';
  const [, month, year] = /^(\d{1,2})\/(\d{2}|20\d{2})$/.exec(expiry) ?? /^(\d{2})(\d{2}|20\d{2})$/.exec(expiry) ?? [];
  if (month === undefined || year === undefined || Number(month) < 1 || Number(month) > 12) return 'expiry_wrong';
  const months = (2000 + (Number(year) % 2000)) * 12 + Number(month) - 1;
  const today = new Date(now.getTime() - WESTERNMOST_MS);
  const current = today.getUTCFullYear() * 12 + today.getUTCMonth();
  if (months < current) return 'expiry_past';
  return months > current + LONGEST_YEARS * 12 ? 'expiry_wrong' : undefined;
}

function cvcError(cvc: string, length: number): CardErrorCode | undefined {
  if (cvc === '') return 'cvc_missing';
  return cvc.length === length && /^\d+$/.test(cvc) ? undefined : 'cvc_wrong';
}

/** Luhn's formula (ISO/IEC 7812-1, annex B): finds each wrong digit and nearly every pair that was swapped. */
export function hasRightCheckDigit(number: string): boolean {
  const digits = [...number].reverse().map(Number);
  const sum = digits.reduce((all, digit, index) => {
    const value = index % 2 === 1 ? digit * 2 : digit;
    return all + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
