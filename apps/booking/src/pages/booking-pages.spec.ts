import { readFileSync } from 'node:fs';
import { eventually } from '@eticket/service/testing';
import { findAirport } from '../airports/find-airport.js';
import { openOffer, sealOffer } from '../offers/offer-seal.js';
import { PROBLEMS } from '../problems/problem.js';
import { SecretKeys } from '../security/secret-keys.js';
import { TestBooking } from '../testing/test-booking.js';
import { Visitor, type Page } from '../testing/visitor.js';
import { LANGUAGES, languageOf } from './language.js';
import { WORDS } from './words.js';

const SECRET = 'a secret of more than thirty-two characters';
const TRAVELLER = {
  'p0.title': 'ms',
  'p0.givenName': 'Lucía',
  'p0.familyName': 'Fernández Ortiz',
  'p0.bornOn': '1988-04-17',
  email: 'lucia@example.com',
  phone: '+34 911 234 567',
};
const PAYMENT = /\/payment$/;
const CONFIRM = /\/confirm$/;

describe('Booking without JavaScript', () => {
  let booking: TestBooking;
  let visitor: Visitor;
  beforeAll(async () => {
    booking = await TestBooking.start({ env: { BOOKING_SECRET: SECRET } });
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
  });
  beforeEach(() => {
    visitor = new Visitor(booking.service.url);
  });
  afterAll(() => booking.stop());

  const bookings = async () => (await booking.storedRows()).bookings;
  async function choose(fare = 'Flex'): Promise<Page> {
    const search = { origin: 'madrid', destination: 'London', departureDate: booking.dayIn(30) };
    const results = await visitor.get(`/flights?${new URLSearchParams(search).toString()}`);
    const [, id] = new RegExp(`href="(/book/[^"]+)"><span class="brand-name">${fare}`).exec(results.html) ?? [];
    return visitor.get(id ?? '');
  }
  const review = async (values: Record<string, string> = {}) =>
    visitor.submit(await choose(), PAYMENT, { ...TRAVELLER, ...values });

  it('goes from the search to the confirmation', async () => {
    const before = await bookings();
    const reviewed = await review();
    expect(reviewed.text).toContain('Lucía Fernández Ortiz');
    const confirmed = await visitor.submit(reviewed, CONFIRM);
    expect([confirmed.status, confirmed.path]).toEqual([200, expect.stringMatching(/^\/bookings\/[\w-]{36}$/)]);
    expect(confirmed.text).toContain('Booking confirmed and ticketed');
    expect(confirmed.text).toContain('FERNANDEZORTIZ/LUCIA MS');
    expect(await bookings()).toBe(before! + 1);
  });

  it('shows what is wrong at its field, and keeps what was typed', async () => {
    const page = await visitor.submit(await choose(), PAYMENT, {
      ...TRAVELLER,
      'p0.givenName': '汉字 "quoted"',
      email: 'nobody',
    });
    expect(page.status).toBe(422);
    expect(page.html).toMatch(
      /id="p0-givenName"[^>]*value="汉字 &quot;quoted&quot;"[^>]*aria-invalid="true"[^>]*aria-describedby="p0-givenName-error"/,
    );
    expect(page.text).toContain('Please enter one address');
    expect(page.html).toMatch(/id="phone"[^>]*value="\+34 911 234 567"/);
    const young = await visitor.submit(page, PAYMENT, { ...TRAVELLER, 'p0.bornOn': '2020-01-01' });
    expect(young.text).toContain('The age does not fit');
    expect((await visitor.submit(young, PAYMENT, TRAVELLER)).text).toContain('Check and pay');
  });

  it('says of which passenger something is wrong, shows what each pays, and lets browsers fill in the first', async () => {
    const family = { origin: 'MAD', destination: 'JFK', departureDate: booking.dayIn(30), adults: '2', children: '1' };
    const results = await visitor.get(`/flights?${new URLSearchParams(family).toString()}`);
    expect(results.text).toContain('2 adults, 1 child · Economy');
    const [, path = ''] = /href="(\/book\/[^"]+)"/.exec(results.html) ?? [];
    const empty = await visitor.get(path);
    expect(empty.text).toMatch(/Madrid → New York City · 2 adults, 1 child · Light fare, Economy · EUR [\d,.]+/);
    expect(empty.text).toMatch(/Each with taxes: Adult EUR [\d,.]+, Child EUR [\d,.]+; our service fee once a booking/);
    expect(empty.text).toContain('Refund before departure: not possible');
    expect(empty.html).toMatch(/id="p0-givenName"[^>]*autocomplete="given-name"/);
    expect(empty.html).toMatch(/id="p1-givenName"[^>]*autocomplete="off"/);
    const wrong = await visitor.submit(empty, PAYMENT, TRAVELLER);
    expect(wrong.html).toContain('<title>Error: Who is flying?');
    expect(wrong.html).toMatch(/<a href="#p2-bornOn">Date of birth, passenger 3<\/a>: Please fill this in/);
    expect(wrong.html).not.toContain('<a href="#p0-');
  });

  it('goes back to the passengers with what was typed', async () => {
    const page = await visitor.submit(await review(), /\/passengers$/);
    expect(page.html).toContain('value="Lucía"');
    expect(page.html).toContain('<option value="ms" selected>');
  });

  it('books once when the button is pressed twice, or the form sent again later', async () => {
    const before = await bookings();
    const reviewed = await review();
    const pages = await Promise.all([visitor.submit(reviewed, CONFIRM), visitor.submit(reviewed, CONFIRM)]);
    booking.clock.aheadMs = 3_600_000;
    const later = await visitor.submit(reviewed, CONFIRM);
    booking.clock.aheadMs = 0;
    expect(new Set([...pages, later].map(({ path }) => path)).size).toBe(1);
    expect(later.text).toContain('Booking confirmed and ticketed');
    expect(await bookings()).toBe(before! + 1);
  });

  it('says that a card was declined, charges nothing, and takes another', async () => {
    const before = await bookings();
    const declined = await visitor.submit(await review(), CONFIRM, { token: 'tok_insufficientFunds' });
    expect([declined.status, await bookings()]).toEqual([402, before]);
    expect(declined.text).toContain('The card has not enough funds; nothing was charged.');
    expect((await visitor.submit(declined, CONFIRM, { token: 'tok_visa' })).text).toContain('Booking confirmed');
  });

  it('has the same flights, and what was typed, after a pause of hours', async () => {
    const before = await bookings();
    const chosen = await choose();
    const reviewed = await visitor.submit(chosen, PAYMENT, TRAVELLER);
    booking.clock.aheadMs = 2 * 3_600_000;
    try {
      const late = await visitor.get(chosen.path);
      expect([late.status, late.path === chosen.path, late.text.includes('Who is flying?')]).toEqual([
        200,
        false,
        true,
      ]);
      const page = await visitor.submit(reviewed, CONFIRM);
      expect([page.status, await bookings()]).toEqual([409, before]);
      expect(page.text).toContain('The flights are still there at the same price, EUR');
      expect(page.text).toContain('Lucía Fernández Ortiz');
      const [typed, paid] = [await visitor.submit(chosen, PAYMENT, TRAVELLER), await visitor.submit(page, CONFIRM)];
      expect([typed.status, typed.text.includes('Check and pay')]).toEqual([409, true]);
      expect(paid.text).toContain('Booking confirmed');
    } finally {
      booking.clock.aheadMs = 0;
    }
  });

  it('offers another search when the flight has left meanwhile', async () => {
    const reviewed = await review();
    booking.clock.aheadMs = 40 * 86_400_000;
    const page = await visitor.submit(reviewed, CONFIRM);
    booking.clock.aheadMs = 0;
    expect([page.status, page.text.includes('This offer is no longer available')]).toEqual([409, true]);
    expect(page.html).toMatch(/href="\/flights\?origin&#x3D;MAD&amp;destination&#x3D;L/);
  });

  it('shows a changed price before anything is charged, and books it when it is taken', async () => {
    const reviewed = await review();
    const key = await new SecretKeys({ secret: () => Promise.resolve(SECRET) }).key('offer');
    const [, id = ''] = /action="\/book\/([^/]+)\/confirm"/.exec(reviewed.html) ?? [];
    const sealed = openOffer(id, key)!;
    const cheaper = sealOffer({ ...sealed, totalMinor: sealed.totalMinor - 100n }, key);
    const page = await visitor.submit({ ...reviewed, html: reviewed.html.replaceAll(id, cheaper) }, CONFIRM, {
      seen: '1.50',
    });
    expect(page.status).toBe(409);
    expect(page.text).toMatch(/The price has changed from EUR 1\.50 to EUR [\d,]+\.\d\d since/);
    expect((await visitor.submit(page, CONFIRM)).text).toContain('Booking confirmed');
  });

  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbouring site', { 'sec-fetch-site': 'same-site' }],
    ['from another origin', { origin: 'https://evil.test' }],
    ['without the cookie', { cookie: '' }],
  ])('refuses a form sent %s', async (_what, headers) => {
    const before = await bookings();
    const reviewed = await review();
    Object.assign(visitor.headers, headers);
    const page = await visitor.submit(reviewed, CONFIRM);
    expect([page.status, await bookings()]).toEqual([403, before]);
    expect(page.text).toContain('This form cannot be used any more');
  });

  it('refuses a form with the token of another visitor', async () => {
    const other = new Visitor(booking.service.url);
    await other.get('/manage');
    expect((await other.submit(await review(), CONFIRM)).status).toBe(403);
  });

  describe('and then', () => {
    let confirmed: Page;
    let reference: string;
    beforeEach(async () => {
      confirmed = await visitor.submit(await review(), CONFIRM);
      reference = /<dd class="code">(\w{6})</.exec(confirmed.html)?.[1] ?? '';
    });

    it('finds the booking again by reference and surname', async () => {
      const stranger = new Visitor(booking.service.url);
      const wrong = await stranger.submit(await stranger.get('/manage'), '/manage', { reference, surname: 'Nadie' });
      expect([wrong.status, wrong.text.includes('We found no booking')]).toEqual([404, true]);
      expect(wrong.html).toContain(`value="${reference}"`);
      const found = await stranger.submit(wrong, '/manage', { surname: 'fernandez ortiz' });
      expect([found.status, found.path]).toEqual([200, confirmed.path]);
    });

    it('has the e-ticket sent again, once for two clicks', async () => {
      await Promise.all([visitor.submit(confirmed, /\/resend$/), visitor.submit(confirmed, /\/resend$/)]);
      const page = await visitor.get(confirmed.path);
      expect(page.html).toContain('name="version" value="2"');
    });

    it('cancels, after having seen what comes back', async () => {
      const asked = await visitor.get(`${confirmed.path}/cancel`);
      expect(asked.text).toMatch(/You get back EUR [\d,.]+, to the card you paid with/);
      const cancelled = await visitor.submit(asked, /\/cancel$/);
      expect([cancelled.status, cancelled.path]).toEqual([200, confirmed.path]);
      expect(cancelled.text).toContain('Booking cancelled');
      expect(cancelled.text).toContain('paid to the card');
      expect(cancelled.html).not.toContain('/resend');
      const again = await visitor.get(`${confirmed.path}/cancel`);
      expect([again.path, again.text.includes('Booking cancelled')]).toEqual([confirmed.path, true]);
    });
  });

  it('speaks Spanish to who asks for it, and what was chosen to who chose', async () => {
    const spanish = new Visitor(booking.service.url, { 'accept-language': 'es-AR,es;q=0.9,en;q=0.8' });
    expect((await spanish.get('/')).text).toContain('¿Adónde quiere ir?');
    expect((await spanish.get('/language/en')).text).toContain('Where would you like to go?');
    expect((await spanish.get('/language/xx')).status).toBe(404);
  });

  it.each([
    ['/manage', '/manage', 'Gestione su reserva'],
    ['/flights?origin=MAD&destination=LHR', '/flights?origin=MAD&destination=LHR', 'Madrid → Londres'],
    ['/nowhere?token=secret', '/nowhere', 'Esta página no existe'],
  ])('changes the language of %s where it stands', async (path, stands, shown) => {
    const page = await visitor.get(path);
    const [, link = ''] = /href="(\/language\/es[^"]*)"/.exec(page.html) ?? [];
    const spanish = await visitor.get(link.replaceAll('&#x3D;', '='));
    expect(spanish.path).toBe(stands);
    expect(spanish.text).toContain(shown);
  });

  it.each([
    '//evil.test',
    '/\\evil.test',
    'https://evil.test/',
    '/.//evil.test',
    '/\t/evil.test',
    'javascript:alert(1)',
    '/language/es',
  ])('leads nowhere else with the language: %j', async (to) => {
    const answer = await booking.call(`/language/es?${new URLSearchParams({ to }).toString()}`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  });

  it('names a search that cannot be, at its fields', async () => {
    const page = await visitor.get(
      '/flights?origin=Nowhere&destination=MAD&departureDate=2020-01-01&adults=1&infants=2',
    );
    expect(page.status).toBe(422);
    expect(page.text).toContain('We know no airport of this name');
    expect(page.text).toContain('This day is over.');
    expect(page.html).toContain('value="Nowhere"');
    const half = await visitor.get('/flights?origin=Nowhere');
    expect([half.text.includes('We know no airport'), half.text.includes('Please fill this in')]).toEqual([true, true]);
  });

  it('says that nothing flies between two cities, by their names', async () => {
    const page = await visitor.get(`/flights?origin=SAN&destination=cracovia&departureDate=${booking.dayIn(30)}`);
    expect([page.status, page.text.includes('San Diego → Kraków')]).toEqual([200, true]);
    expect(page.text).toContain('Nothing flies that way on this day');
  });

  it('sorts and filters what was found', async () => {
    const query = `origin=MAD&destination=JFK&departureDate=${booking.dayIn(30)}`;
    const all = await visitor.get(`/flights?${query}`);
    const some = await visitor.get(`/flights?${query}&stops=nonstop&want=refundable&sort=departure`);
    const fares = (page: Page) => page.html.match(/class="fare"/g)?.length ?? 0;
    expect(fares(some)).toBeGreaterThan(0);
    expect(fares(some)).toBeLessThan(fares(all));
    const legs = [...some.html.matchAll(/class="times"><time datetime="([^"]+)"/g)].map(([, at = '']) =>
      Date.parse(at),
    );
    expect(legs).toEqual([...legs].sort((one, other) => one - other));
    expect(some.text).not.toContain('1 stop,');
  });
});

describe('Pages', () => {
  it.each(LANGUAGES)('have words of their own for every problem: %s', (language) => {
    const words = Object.keys(PROBLEMS).flatMap((code) => [`problems.${code}Title`, `problems.${code}`]);
    expect(words.filter((path) => WORDS[language].find(path) === undefined)).toEqual([]);
  });

  it('have the same words in every language', () => {
    const keysOf = (tag: string) => {
      const paths = (tree: object, at = ''): readonly string[] =>
        Object.entries(tree).flatMap(([name, inside]) =>
          typeof inside === 'object'
            ? paths(inside as object, `${at}${name}.`)
            : [
                `${at}${name} ${
                  String(inside)
                    .match(/\{\w+\}/g)
                    ?.sort()
                    .join() ?? ''
                }`,
              ],
        );
      const file = new URL(`../../views/words/${tag}.json`, import.meta.url);
      return paths(JSON.parse(readFileSync(file, 'utf8')) as object);
    };
    expect(keysOf('es')).toEqual(keysOf('en'));
  });

  it.each([
    ['MAD', 'MAD'],
    ['bogota', 'BOG'],
    ['BOGOTÁ', 'BOG'],
    ['Madrid (MAD)', 'MAD'],
    ['London', 'LHR'],
    ['kennedy', 'JFK'],
    ['new york', 'JFK'],
    ['int', undefined],
    ['x', undefined],
    ['Nowhere', undefined],
  ])('know the airport %s as %s', (typed, code) => {
    expect(findAirport(typed)?.iataCode).toBe(code);
  });

  it.each([
    [undefined, 'en'],
    ['es', 'es'],
    ['fr-FR, es;q=0.4, en;q=0.3', 'es'],
    ['es;q=0, en', 'en'],
    ['de', 'en'],
    [';;;,,,q', 'en'],
  ])('read Accept-Language %s as %s', (header, language) => {
    expect(languageOf({ cookies: {}, headers: { 'accept-language': header } })).toBe(language);
  });
});
