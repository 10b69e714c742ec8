/** A birthday so many years ago, whatever day it is: nobody changes the kind of passenger in the next months. */
function born(yearsAgo: number, monthAndDay: string): string {
  return `${new Date().getUTCFullYear() - yearsAgo}-${monthAndDay}`;
}

/** Bodies of the OpenAPI document. `offerId` is that of a fresh search: put one in. */
export const BOOKING_EXAMPLES = {
  'one adult': {
    value: {
      offerId: 'off_…',
      passengers: [
        { type: 'adult', title: 'ms', givenName: 'Lucía', familyName: 'Fernández Ortiz', bornOn: '1988-04-17' },
      ],
      contact: { email: 'lucia.fernandez@example.com', phone: '+34911234567' },
      payment: { token: 'tok_visa' },
      locale: 'es-ES',
    },
  },
  'a family with an infant': {
    value: {
      offerId: 'off_…',
      passengers: [
        { type: 'adult', title: 'mr', givenName: 'Jordi', familyName: 'Puig', bornOn: '1985-01-09' },
        { type: 'adult', title: 'mrs', givenName: 'Anna', familyName: 'Puig Serra', bornOn: '1986-11-30' },
        { type: 'child', title: 'miss', givenName: 'Laia', familyName: 'Puig', bornOn: born(6, '06-18') },
        { type: 'infant', title: 'mstr', givenName: 'Pol', familyName: 'Puig', bornOn: born(1, '06-18'), infantOf: 1 },
      ],
      contact: { email: 'jordi.puig@example.cat', phone: '+34931234567' },
      payment: { token: 'tok_mastercard' },
      locale: 'ca-ES',
    },
  },
};
