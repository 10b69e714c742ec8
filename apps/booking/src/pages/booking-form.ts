import { TITLES, type Money, type Title } from '@eticket/contracts';
import type { OfferDto } from '../offers/offer.dto.js';
import { NAME_LENGTH } from '../passengers/person-name.js';
import { Form, type Field, type FormValues } from './fields.js';
import type { Words } from './words.js';

/** Test cards of a gateway that has no card form. */
export const CARD_TOKENS = [
  'tok_visa',
  'tok_mastercard',
  'tok_amex',
  'tok_chargeDeclined',
  'tok_insufficientFunds',
  'tok_expiredCard',
] as const;

const ADULT_TITLES = TITLES.filter((title) => title !== 'mstr');

/** HTML's names for what browsers fill in (WCAG 2.2, 1.3.5). */
const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  title: 'honorific-prefix',
  givenName: 'given-name',
  familyName: 'family-name',
  bornOn: 'bday',
};

/** The fields for the passengers of an offer and for who gets the e-ticket. */
export function passengerFields(
  offer: OfferDto,
  values: FormValues,
  wrong: ReadonlyMap<string, string>,
  words: Words,
  today: string,
): { readonly errors: readonly object[]; readonly passengers: readonly object[]; readonly contact: readonly Field[] } {
  const form = new Form(values, wrong, words);
  const label = (name: string): string => words.t(`book.${name}`);
  const adults = offer.passengers.filter(({ type }) => type === 'adult').length;
  const passengers = offer.passengers.map(({ type }, index) => {
    const named = (field: string, text = label(field)) => ({
      name: `p${index}.${field}`,
      label: text,
      ...(offer.passengers.length > 1 && { fullLabel: words.t('book.of', { field: text, number: index + 1 }) }),
      required: true,
      // The first is who is at the keyboard, more often than not.
      autocomplete: index === 0 ? (AUTOCOMPLETE[field] ?? 'off') : 'off',
    });
    const text = (field: string): Field =>
      form.field({ ...named(field), maxlength: NAME_LENGTH, autocapitalize: 'words' });
    const fields = [
      form.field({
        ...named('title', label('titleField')),
        choices: titles(type === 'adult' ? ADULT_TITLES : TITLES, words),
      }),
      form.field({ ...named('bornOn'), type: 'date', max: today }),
      text('givenName'),
      text('familyName'),
      ...(type === 'infant' ? [form.field({ ...named('infantOf'), choices: laps(adults, words) })] : []),
    ];
    return { legend: words.t('book.passenger', { number: index + 1, kind: words.t(`passengers.${type}`) }), fields };
  });
  const contact = [
    form.field({
      name: 'email',
      label: label('email'),
      type: 'email',
      required: true,
      autocomplete: 'email',
      maxlength: 254,
    }),
    form.field({
      name: 'phone',
      label: label('phone'),
      type: 'tel',
      required: true,
      autocomplete: 'tel',
      hint: label('phoneHint'),
      maxlength: 40,
    }),
  ];
  return { errors: form.errors, passengers, contact };
}

/** None beforehand: a wrong one would be on the ticket. */
function titles(all: readonly Title[], words: Words): readonly (readonly [string, string])[] {
  return [['', '–'], ...all.map((title) => [title, words.t(`titles.${title}`)] as const)];
}

function laps(adults: number, words: Words): readonly (readonly [string, string])[] {
  return Array.from({ length: adults }, (_, index) => [
    String(index),
    words.t('book.passenger', { number: index + 1, kind: words.t('passengers.adult') }),
  ]);
}

/** Each infant on a lap of its own, until the traveller says otherwise. */
export function firstPassengers(offer: OfferDto): FormValues {
  const infants = offer.passengers.flatMap(({ type }, index) => (type === 'infant' ? [index] : []));
  return Object.fromEntries(infants.map((index, lap) => [`p${index}.infantOf`, String(lap)]));
}

/** Body of `POST /api/bookings` that a form stands for. */
export function bookingBody(offer: OfferDto, values: FormValues, locale: string): Record<string, unknown> {
  const typed = (name: string): string => (values[name] ?? '').trim();
  return {
    offerId: offer.id,
    passengers: offer.passengers.map(({ type }, index) => ({
      type,
      title: typed(`p${index}.title`),
      givenName: typed(`p${index}.givenName`),
      familyName: typed(`p${index}.familyName`),
      bornOn: typed(`p${index}.bornOn`),
      ...(type === 'infant' && { infantOf: Number(typed(`p${index}.infantOf`)) }),
    })),
    contact: { email: typed('email'), phone: typed('phone') },
    payment: { token: typed('token') || CARD_TOKENS[0] },
    locale,
  };
}

/** What a form passes on unseen: all that was typed, but the payment and the token of the form before. */
export function passedOn(
  offer: OfferDto,
  values: FormValues,
): readonly { readonly name: string; readonly value: string }[] {
  const names = [
    'key',
    'email',
    'phone',
    ...offer.passengers.flatMap((_, index) =>
      ['title', 'givenName', 'familyName', 'bornOn', 'infantOf'].map((field) => `p${index}.${field}`),
    ),
  ];
  return names.flatMap((name) => (values[name] === undefined ? [] : [{ name, value: values[name] }]));
}

const SEEN = 'seen';

/** The price that the page of a form shows: an offer is priced as of now, whatever was seen before. */
export function seenField({ total }: OfferDto): { readonly name: string; readonly value: string } {
  return { name: SEEN, value: total.amount };
}

/** The price that a traveller has seen; zero from a form without it. */
export function seenPrice(values: FormValues, currency: string): Money {
  const amount = values[SEEN] ?? '';
  return { amount: /^\d{1,15}(\.\d{1,4})?$/.test(amount) ? amount : '0', currency };
}
