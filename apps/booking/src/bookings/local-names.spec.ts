import type { BookingSnapshot } from '@eticket/contracts';
import { localNames } from './local-names.js';

describe('Names in the traveller’s language', () => {
  const booking = (locale: string, from: string, to: string, ...taxes: readonly string[]) => {
    const place = 'Dublin, Ireland';
    return {
      locale,
      issuedBy: { place },
      segments: [{ origin: { cityName: from }, destination: { cityName: to } }],
      price: { taxes: taxes.map((name) => ({ name })) },
    } as unknown as BookingSnapshot;
  };

  it('are given once each, and only where they are others', () => {
    const names = localNames(booking('es-MX', 'Madrid', 'London', 'Security charge', 'Security charge'));
    expect(names).toEqual({
      language: 'es',
      names: [
        { name: 'London', localName: 'Londres' },
        { name: 'Security charge', localName: 'Tasa de seguridad' },
        { name: 'Dublin, Ireland', localName: 'Dublín, Irlanda' },
      ],
    });
  });

  it.each(['en', 'de-CH', 'constructor', 'est'])('are not known in %s', (locale) => {
    expect(localNames(booking(locale, 'Madrid', 'London'))).toBeUndefined();
  });
});
