import { daysAfter, sampleBookings, type SampleBooking } from './sample-bookings.js';

const sample = (all: readonly SampleBooking[], name: string) => all.find((one) => one.name.startsWith(name));

function ageOn(bornOn: string, date: string): number {
  const years = Number(date.slice(0, 4)) - Number(bornOn.slice(0, 4));
  return bornOn.slice(5) <= date.slice(5) ? years : years - 1;
}

describe('The sample bookings', () => {
  it('count their days from today, by UTC', async () => {
    const all = await sampleBookings(new Date('2026-12-31T23:30:00-05:00'));
    expect(sample(all, 'one adult')?.search).toEqual({
      origin: 'MAD',
      destination: 'LHR',
      departureDate: '2027-02-15',
      adults: '1',
      cabin: 'economy',
      currency: 'EUR',
    });
    expect(sample(all, 'family')?.search).toMatchObject({
      departureDate: '2027-03-22',
      returnDate: '2027-04-05',
      infants: '1',
    });
    expect(daysAfter(new Date('2028-02-28T12:00:00Z'), 1)).toBe('2028-02-29');
  });

  it('have passengers of the right ages on the day of departure, whatever day that is', async () => {
    for (let day = 0; day < 366 * 4; day += 7) {
      const family = sample(await sampleBookings(new Date(Date.UTC(2026, 0, 1 + day))), 'family');
      const departure = family?.search.departureDate ?? '';
      const ages = family?.passengers.map(({ bornOn }) => ageOn(bornOn, departure)) ?? [];
      expect([departure, ages.slice(2)]).toEqual([departure, [7, 1]]);
    }
  });

  it('go to the booking service as it wants them', async () => {
    const family = sample(await sampleBookings(), 'family');
    expect(family?.body('off_1')).toEqual({
      offerId: 'off_1',
      passengers: family?.passengers,
      contact: { email: 'jordi.puig@example.cat', phone: '+34931234567' },
      payment: { token: 'tok_mastercard' },
      locale: 'ca-ES',
    });
    expect(family?.passengers[3]).toMatchObject({ type: 'infant', infantOf: 1 });
    expect(family?.passengers[3]).not.toHaveProperty('bornInYearsBeforeDeparture');
  });

  it('say which are to be refused', async () => {
    const all = await sampleBookings();
    expect(sample(all, 'card declined')?.expected).toEqual({ status: 402, code: 'payment_declined' });
    expect(all.filter(({ expected }) => expected.status === 201)).toHaveLength(all.length - 1);
  });
});
