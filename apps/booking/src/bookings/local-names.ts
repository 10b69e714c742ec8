import type { BookingSnapshot, LocalNames } from '@eticket/contracts';
import { SPANISH_CITY_NAMES } from '../airports/city-names.es.data.js';
import { SPANISH_TAX_NAMES } from '../offers/tax-names.es.data.js';
import { SPANISH_PLACE } from './issuing-agent.js';

/** By language, what is called otherwise than in English. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  es: { ...SPANISH_CITY_NAMES, ...SPANISH_TAX_NAMES, ...SPANISH_PLACE },
};

/** What of a booking is called otherwise in the traveller's language; undefined where nothing is, or no names are known. */
export function localNames({
  locale,
  segments,
  price,
  issuedBy,
}: Pick<BookingSnapshot, 'locale' | 'segments' | 'price' | 'issuedBy'>): LocalNames | undefined {
  const [language = ''] = locale.split('-');
  const known = Object.hasOwn(NAMES, language) ? NAMES[language] : undefined;
  if (!known) return undefined;
  const all = new Set([
    ...segments.flatMap(({ origin, destination }) => [origin.cityName, destination.cityName]),
    ...price.taxes.map(({ name }) => name),
    issuedBy.place,
  ]);
  const names = [...all].flatMap((name) => {
    const localName = Object.hasOwn(known, name) ? known[name] : undefined;
    return localName === undefined ? [] : [{ name, localName }];
  });
  return names.length === 0 ? undefined : { language, names };
}
