import { randomUUID } from 'node:crypto';
import { eventually } from '@eticket/service/testing';
import type { CreatedBookingDto } from '../bookings/booking.dto.js';
import { findAirport } from '../airports/find-airport.js';
import { TAX_TABLE } from '../offers/taxes.data.js';
import { EXAMPLES, TestBooking } from '../testing/test-booking.js';
import { plusView } from './itinerary-view.js';
import { WORDS } from './words.js';

describe('Pages', () => {
  let booking: TestBooking;
  let created: CreatedBookingDto;
  let cookie: string;
  beforeAll(async () => {
    booking = await TestBooking.start();
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
    const body = await booking.bodyFor(EXAMPLES[1]!);
    // P15
    body.passengers[0]!.givenName = 'Zoë O\'Brien & <a href="//evil.test">x</a> "Q"';
    const answer = await booking.post<{ data: CreatedBookingDto }>(body);
    created = answer.body.data;
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  });
  afterAll(() => booking.stop());

  const html = (path: string, headers: Record<string, string> = {}) =>
    booking.call<string>(path, { headers: { accept: 'text/html', ...headers } });

  it('name every tax in Spanish too', () => {
    const names = TAX_TABLE.trim()
      .split('\n')
      .map((row) => row.split('|')[2] ?? '');
    expect(names.filter((name) => WORDS.es.tax(name) === name)).toEqual([]);
  });

  it.each([
    ['lhr', 'LHR'],
    ['Londres', 'LHR'],
    ['nueva york', 'JFK'],
    ['cracov', 'KRK'],
    ['MUNICH', 'MUC'],
    ['múnich', 'MUC'],
    ['sao paulo', 'GRU'],
    ['barajas', 'MAD'],
    ['Estambul (SAW)', 'SAW'],
    ['xx', undefined],
    ['san', 'SAN'],
    ['ber', 'BER'],
  ])('take “%s” for an airport: %s', (typed, code) => expect(findAirport(typed)?.iataCode).toBe(code));

  it.each([
    ['2027-03-14T22:10:00+01:00', '2027-03-15T06:00:00+00:00', { plusDays: '+1', plusDaysTitle: '1 day later' }],
    ['2027-03-14T22:10:00-08:00', '2027-03-16T06:00:00+12:00', { plusDays: '+2', plusDaysTitle: '2 days later' }],
    // Over the date line to the east a flight lands before it left.
    ['2027-03-14T01:00:00+13:00', '2027-03-13T14:00:00-08:00', { plusDays: '−1' }],
    // Forty minutes over midnight of Greenwich, and one day on both calendars.
    ['2027-03-14T17:00:00-07:00', '2027-03-14T17:40:00-07:00', {}],
  ])('tell the day of an arrival: %s to %s', (departingAt, arrivingAt, shown) => {
    const view = plusView(departingAt, arrivingAt, WORDS.en);
    if (Object.keys(shown).length === 0) expect(view).toEqual({});
    else expect(view).toMatchObject(shown);
  });

  describe('confirmation', () => {
    it('shows reference, tickets, flights, price, baggage and conditions to the browser that booked', async () => {
      const { status, headers, body } = await html(`/bookings/${created.id}`, { cookie });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('cache-control')).toContain('no-store');
      const text = body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
      expect(text).toContain(created.reference);
      for (const { ticketNumber, ticketName } of created.passengers) {
        expect(text).toContain(`${ticketNumber.slice(0, 3)}-${ticketNumber.slice(3)}`);
        expect(text).toContain(ticketName);
      }
      for (const segment of created.segments) {
        expect(text).toContain(segment.departingAt.slice(11, 16));
        expect(text).toContain(`${segment.marketingCarrier.iataCode} ${segment.flightNumber}`);
        expect(text).toContain(segment.fareBasis);
      }
      const overnight = created.segments.some((each) => each.departingAt.slice(0, 10) < each.arrivingAt.slice(0, 10));
      expect(text.includes(' +1 ')).toBe(overnight);
      for (const tax of created.price.taxes) expect(text).toContain(`${tax.code} ${tax.name}`);
      expect(text).toContain(WORDS.en.money(created.total).replace('\u00a0', ' '));
      expect(text).toContain('1 cabin bag of up to 8 kg, no checked bag');
      expect(text).toContain('Changes before departure: not possible');
      expect(text).toContain('ending in 4444');
      expect(text).toContain('We are sending your e-ticket to j***@example.cat.');
      expect(body).not.toContain('jordi.puig@example.cat');
    });

    it('reloads itself without a script until the mail is sent, unless it is told not to', async () => {
      const reload = '<noscript><meta http-equiv="refresh"';
      const { body } = await html(`/bookings/${created.id}`, { cookie });
      expect([body.includes(reload), body.includes('href="?reload=off"')]).toEqual([true, true]);
      expect((await html(`/bookings/${created.id}?reload=off`, { cookie })).body).not.toContain(reload);
    });

    it('shows a name with markup literally, and has no script or style inline', async () => {
      const { body, headers } = await html(`/bookings/${created.id}`, { cookie });
      expect(body).not.toContain('<a href="//evil.test">');
      expect(body).toContain('&lt;a href&#x3D;&quot;//evil.test&quot;&gt;x&lt;/a&gt;');
      expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|javascript:/);
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    });

    it('opens by the link of the answer, which leaves no secret in the address', async () => {
      const link = new URL(created.confirmationUrl);
      const opened = await html(link.pathname + link.search);
      expect([opened.status, opened.headers.get('location')]).toEqual([303, `/bookings/${created.id}`]);
      const set = opened.headers.get('set-cookie') ?? '';
      expect(set).toMatch(/HttpOnly/i);
      expect(set).toMatch(/SameSite=Lax/i);
      expect(set).toContain(`Path=/bookings/${created.id}`);
      expect((await html(`/bookings/${created.id}`, { cookie: set.split(';')[0] ?? '' })).status).toBe(200);
    });

    it('does not open by a link that is changed, of another booking, or a day old', async () => {
      const { search } = new URL(created.confirmationUrl);
      for (const path of [
        `/bookings/${created.id}/open${search}x`,
        `/bookings/${created.id}/open${search.replace('=', '=z')}`,
        `/bookings/${created.id}/open`,
        `/bookings/${randomUUID()}/open${search}`,
      ]) {
        const answer = await html(path);
        expect([path, answer.status, answer.headers.get('set-cookie')]).toEqual([path, 404, null]);
      }
      booking.clock.aheadMs = 25 * 3_600_000;
      expect((await html(`/bookings/${created.id}/open${search}`)).status).toBe(404);
      booking.clock.aheadMs = 0;
    });

    it('says kindly what to do without access, as a page to browsers and a problem to programs', async () => {
      const closed = await html(`/bookings/${created.id}`);
      expect([closed.status, closed.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
      expect(closed.body).toContain('Open it by the link that came with the booking');
      expect(closed.body).not.toContain(created.reference);
      const wrong = await html(`/bookings/${created.id}`, { cookie: 'booking=bat_x' });
      expect([wrong.status, wrong.body.includes('There is no such booking')]).toEqual([404, true]);
      expect(await booking.call(`/bookings/${created.id}`)).toMatchObject({
        status: 401,
        body: { code: 'unauthorized' },
      });
    });
  });

  it('start says what this is, and gives commands that can be pasted', async () => {
    const { status, body } = await html('/');
    expect(status).toBe(200);
    expect(body).toContain(`${booking.service.url}/api/offers?origin&#x3D;MAD`);
    expect(body).toMatch(/^<!doctype html>/);
    expect(body).toContain('href="/docs"');
  });

  it.each([
    ['pages.css', 'text/css'],
    ['confirmation.js', 'text/javascript'],
    ['demo.js', 'text/javascript'],
    ['docs.js', 'text/javascript'],
    ['icon.svg', 'image/svg+xml'],
  ])('come with %s', async (name, type) => {
    const answer = await html(`/assets/${name}`);
    expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
  });

  it.each(['/nowhere', '/assets/..%2fpackage.json', '/assets/constructor', '/docs/package.json'])(
    'at %s are none',
    async (path) => {
      const answer = await html(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    },
  );
});
