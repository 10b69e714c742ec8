import { simpleParser } from 'mailparser';
import type { BookedTrip } from './booking-answer.js';
import { factsOfBooking, factsOfMail, missingInHtml } from './eticket-facts.js';

const trip: BookedTrip = {
  id: 'b-1',
  reference: 'BE5U45',
  accessToken: '',
  status: 'ticketed',
  total: { amount: '1112.23', currency: 'EUR' },
  passengers: [{ givenName: 'Zoë', familyName: 'O’Brien & Co', ticketNumber: '0759900000001' }],
  segments: [
    {
      marketingCarrier: { iataCode: 'IB' },
      flightNumber: '3170',
      origin: { iataCode: 'MAD' },
      destination: { iataCode: 'LHR' },
      departingAt: '2027-01-14T22:35:00+01:00',
      arrivingAt: '2027-01-15T00:05:00+00:00',
    },
  ],
};

const TEXT = `Booking reference: BE5U45

== Flights ==

IB 3170 Iberia
  Departure: Thu, 14 Jan 2027 22:35, Madrid (MAD), Barajas
  Arrival: Fri, 15 Jan 2027 00:05 (+1), London (LHR), Heathrow

== Passengers ==

Ms Zoë O’Brien & Co
  Ticket number: 075-9900000001
  Total: EUR 1,103.23

== Price ==
Fare: EUR 1,103.23
Total: EUR 1,112.23

== Payment ==
Changes: EUR 50.00
`;
const HTML = `<style>x</style><p>BE5U45 IB 3170 Zoë O’Brien &amp; Co 075-9900000001 <b>EUR&nbsp;1,112.23</b></p>`;

const parse = (text = TEXT, html = HTML, subject = 'E-ticket BE5U45') =>
  simpleParser(
    [
      'To: zoe@example.ie',
      `Subject: ${subject}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      text,
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      html,
      '--b--',
    ].join('\r\n'),
  );

describe('The comparison of a mail with its booking', () => {
  const expected = factsOfBooking(trip, 'Zoe@example.ie');

  it('finds nothing wrong with a right mail', async () => {
    const mail = await parse();
    expect(factsOfMail(mail, expected)).toEqual(expected);
    expect(missingInHtml(mail, expected)).toEqual([]);
  });

  it('reads a Spanish one as well', async () => {
    const spanish = TEXT.replaceAll('1,112.23', '1.112,23')
      .replace(/EUR ([\d.,]+)/g, '$1 EUR')
      .replace('Thu, 14 Jan', 'jue, 14 ene');
    expect(factsOfMail(await parse(spanish), expected)).toEqual(expected);
  });

  it.each([
    ['reference', 'BE5U45', 'BE5U46'],
    ['passengers', 'Zoë', 'Zoe'],
    ['passengers', '9900000001', '9900000002'],
    ['flights', 'IB 3170', 'IB 3171'],
    ['flights', '22:35', '22:30'],
    ['flights', '15 Jan', '14 Jan'],
    ['flights', '(LHR)', '(LGW)'],
    ['total', 'Total: EUR 1,112.23', 'Total: EUR 1,112.32'],
    ['total', 'Total: EUR 1,112.23', 'Total: GBP 1,112.23'],
  ] as const)('sees a wrong one of its %s', async (fact, right, wrong) => {
    const found = factsOfMail(await parse(TEXT.replace(right, wrong)), expected);
    expect({ ...found, [fact]: expected[fact] }).toEqual(expected);
    expect(found[fact]).not.toEqual(expected[fact]);
  });

  it.each(['BE5U45', 'IB 3170', 'O’Brien &amp;', '9900000001', '1,112.23'])(
    'sees that the HTML part lacks %s',
    async (fact) => {
      expect(missingInHtml(await parse(TEXT, HTML.replace(fact, '')), expected)).toHaveLength(1);
    },
  );
});
