import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BookingSnapshot } from '@eticket/contracts';
import jsqr from 'jsqr';
import { simpleParser } from 'mailparser';
import type { AddressObject, ParsedMail } from 'mailparser';
import { PNG } from 'pngjs';
import {
  BOOKING_SHAPE_NAMES,
  localNameIn,
  cancelledEvent,
  eticketEvent,
  eticketEventWithIds,
} from '../testing/eticket-fixtures.js';
import { mailOccasion } from '../receipt/mail-occasion.js';
import type { EticketMailEvent } from '../receipt/mail-occasion.js';
import { flightReservations } from '../markup/flight-reservations.js';
import { mailBytes, TEST_MAIL } from '../testing/mail-bytes.js';

import { MOST_HTML_BYTES } from '../receipt/render-receipt.js';

// A CommonJS module that calls itself a default export.
const readQr = jsqr as unknown as typeof jsqr.default;

interface ReadMail {
  readonly raw: string;
  readonly mail: ParsedMail;
  readonly text: string;
  readonly html: string;
  /** What a reader of the HTML sees: no tags, entities resolved, white space as a browser shows it. */
  readonly seen: string;
}

const WITHOUT_PDF = { ...TEST_MAIL, attachPdf: false };

async function readMail(event: EticketMailEvent, settings = WITHOUT_PDF): Promise<ReadMail> {
  const bytes = await mailBytes(event, settings);
  const mail = await simpleParser(bytes, { skipTextToHtml: true, keepCidLinks: true });
  const html = mail.html || '';
  return { raw: bytes.toString('latin1'), mail, text: mail.text ?? '', html, seen: visibleText(html) };
}

function visibleText(html: string): string {
  return html
    .replace(/<style[\s\S]*?<\/style>|<!--[\s\S]*?-->|<head[\s\S]*?<\/head>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');
}

const one = (addresses: AddressObject | AddressObject[] | undefined) =>
  (Array.isArray(addresses) ? addresses : [addresses]).flatMap((list) => list?.value ?? []);

/** All facts of a booking, in the digits and letters that any language prints them in. */
function factsOf(booking: BookingSnapshot): readonly string[] {
  const printedAmounts = (locale: string) => (amount: string) => {
    const digits = amount.split('.')[1]?.length ?? 0;
    return new Intl.NumberFormat(locale, { minimumFractionDigits: digits }).format(amount as Intl.StringNumericLiteral);
  };
  const amount = printedAmounts(booking.locale.startsWith('e') ? booking.locale : 'en-GB');
  const day = (time: string) => String(Number(time.slice(8, 10)));
  const local = localNameIn(booking);
  return [
    booking.reference,
    booking.issuedBy.name,
    booking.issuedBy.iataNumber,
    local(booking.issuedBy.place),
    booking.issuedBy.supportEmail,
    booking.issuedBy.supportPhone,
    `${booking.validatingCarrier.name} (${booking.validatingCarrier.iataCode})`,
    `************${booking.payment.last4}`,
    booking.payment.approvalCode,
    booking.conditions.endorsements,
    ...booking.segments.flatMap((segment) => [
      `${segment.marketingCarrier.iataCode} ${segment.flightNumber}`,
      segment.marketingCarrier.name,
      `${segment.operatingCarrier.name} (${segment.operatingCarrier.iataCode})`,
      segment.fareBasis,
      segment.aircraft,
      ...[segment.origin, segment.destination].flatMap((airport) => [
        `${local(airport.cityName)} (${airport.iataCode})`,
        airport.name,
        ...(airport.terminal ? [`Terminal ${airport.terminal}`] : []),
      ]),
      segment.departingAt.slice(11, 16),
      segment.arrivingAt.slice(11, 16),
      day(segment.departingAt),
      day(segment.arrivingAt),
      ...segment.baggage.map((bag) => `${bag.carryOnPieces} × ${bag.carryOnKg} kg`),
    ]),
    ...booking.passengers.flatMap((passenger) => [
      `${passenger.givenName} ${passenger.familyName}`,
      passenger.ticketName,
      `${passenger.ticketNumber.slice(0, 3)}-${passenger.ticketNumber.slice(3)}`,
      amount(passenger.base.amount),
      amount(passenger.total.amount),
      ...passenger.taxes.map((tax) => amount(tax.amount)),
    ]),
    amount(booking.price.base.amount),
    amount(booking.price.fees.amount),
    amount(booking.price.total.amount),
    ...booking.price.taxes.flatMap((tax) => [tax.code, local(tax.name), amount(tax.amount)]),
  ];
}

describe.each(BOOKING_SHAPE_NAMES)('The mail of a booking with %s', (shape) => {
  const event = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', shape);
  const { booking } = event;
  let read: ReadMail;
  beforeAll(async () => {
    read = await readMail(event, TEST_MAIL);
  });

  it('says every fact of the booking in the text and in the HTML', () => {
    const missing = (part: string) => factsOf(booking).filter((fact) => !part.includes(fact));
    expect(missing(read.text)).toEqual([]);
    expect(missing(read.seen)).toEqual([]);
    expect(read.text).toContain(booking.manageUrl);
    expect(read.html).toContain(`href="${booking.manageUrl.replace('=', '&#x3D;')}"`);
  });

  it('marks an arrival on another day', () => {
    const changes = booking.segments.map(({ departingAt, arrivingAt }) =>
      Math.round((Date.parse(arrivingAt.slice(0, 10)) - Date.parse(departingAt.slice(0, 10))) / 86_400_000),
    );
    for (const change of changes.filter((days) => days !== 0)) {
      const mark = change > 0 ? `+${change}` : String(change);
      expect(read.text).toMatch(new RegExp(`\\((day|día) \\${mark}\\)`));
      expect(read.seen).toContain(` ${mark} `);
    }
  });

  it('is one mail to one recipient, from a machine, with a name of its own', () => {
    const { mail } = read;
    expect(one(mail.to).map(({ address }) => address)).toEqual([booking.contact.email]);
    expect(one(mail.from)).toMatchObject([{ name: 'Meridian Travel', address: 'tickets@meridian.example' }]);
    expect(one(mail.replyTo)).toMatchObject([{ address: 'support@meridian.example' }]);
    expect(mail.messageId).toBe(`<eticket.${booking.id}.v1@meridian.example>`);
    expect(mail.date?.toISOString()).toBe('2026-11-30T18:04:05.000Z');
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.headers.get('x-auto-response-suppress')).toBe('OOF, AutoReply');
    expect(mail.headers.get('content-language')).toMatch(shape === 'one adult, one way' ? /^es/ : /^en/);
  });

  it('has a subject with reference, route and date, and no ticket number or name', () => {
    const subject = read.mail.subject ?? '';
    const first = booking.segments[0];
    expect(subject).toContain(booking.reference);
    expect(subject).toContain(first?.origin.cityName);
    expect(subject).toContain(first?.departingAt.slice(0, 4));
    expect(subject).not.toMatch(/\d{9}/);
    for (const { familyName } of booking.passengers) expect(subject).not.toContain(familyName);
  });

  it('brings the flights as a calendar file, no invitation to answer', () => {
    const file = read.mail.attachments.find(({ contentType }) => contentType === 'text/calendar');
    expect(file).toMatchObject({ filename: `${booking.reference}.ics`, contentDisposition: 'attachment' });
    expect(read.raw).toMatch(/Content-Type: text\/calendar;[^]*?method=PUBLISH/);
    expect(file?.content.toString().match(/BEGIN:VEVENT/g)).toHaveLength(booking.segments.length);
    expect(read.raw).toMatch(/multipart\/mixed[^]*multipart\/alternative/);
  });

  it('brings the manage-booking link as a QR code that the HTML shows, and says that it boards nobody', () => {
    const picture = read.mail.attachments.find(({ contentType }) => contentType === 'image/png');
    expect(picture).toMatchObject({ contentDisposition: 'inline', related: true });
    expect(read.html).toContain(`<img src="cid:${picture?.cid}"`);
    const { data, width, height } = PNG.sync.read(picture?.content ?? Buffer.alloc(0));
    expect(readQr(new Uint8ClampedArray(data), width, height)?.data).toBe(booking.manageUrl);
    expect(read.seen).toMatch(/not a boarding pass|No es una tarjeta de embarque/);
  });

  it('brings the receipt as a PDF', () => {
    const file = read.mail.attachments.find(({ contentType }) => contentType === 'application/pdf');
    expect(file).toMatchObject({ filename: `${booking.reference}.pdf`, contentDisposition: 'attachment' });
    expect(file?.content.subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('tells mail programs each passenger’s reservation of each flight', () => {
    const [, json = ''] = /<script type="application\/ld\+json">(.*)<\/script>/.exec(read.html) ?? [];
    expect(JSON.parse(json)).toEqual(flightReservations(mailOccasion(event)));
  });

  it('stays below what Gmail clips', () => {
    expect(Buffer.byteLength(read.html)).toBeLessThan(MOST_HTML_BYTES);
  });

  it('is HTML that a screen reader and Outlook can read', () => {
    const { html } = read;
    expect(html).toMatch(/<html lang="e[ns]-[A-Z]{2}" dir="ltr">/);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).not.toMatch(/display:\s*(flex|grid)|<script(?! type="application\/ld\+json">)/);
    for (const [image] of html.matchAll(/<img[^>]*>/g)) expect(image).toMatch(/^<img src="cid:[^"]+" [^>]*alt="[^"]+"/);
    const tables = html.match(/<table[^>]*>/g) ?? [];
    const layout = tables.filter((table) => table.includes('role="presentation"'));
    expect(layout.length).toBeGreaterThan(5);
    // The others are data tables: each has headings that say what they head.
    expect((html.match(/<th /g) ?? []).length).toBe((html.match(/<th scope="(row|col)"/g) ?? []).length);
    for (const tag of ['table', 'tr', 'td', 'th', 'div', 'p']) {
      expect((html.match(new RegExp(`<${tag}[ >]`, 'g')) ?? []).length).toBe(
        (html.match(new RegExp(`</${tag}>`, 'g')) ?? []).length,
      );
    }
  });
});

describe('A traveller’s own text in a mail', () => {
  const withName = (givenName: string, familyName = 'Green') => {
    const event = eticketEvent('one adult, one way');
    const [passenger] = event.booking.passengers;
    if (!passenger) throw new Error('the fixture has a passenger');
    return { ...event, booking: { ...event.booking, passengers: [{ ...passenger, givenName, familyName }] } };
  };

  it('is shown as typed and is no markup (P15)', async () => {
    const name = `Zoë O'Brien & <a href="//evil.test">x</a> "Q"`;
    const { text, html, seen } = await readMail(withName(name));
    expect(text).toContain(`${name} Green`);
    expect(seen).toContain(`${name} Green`);
    expect(html).not.toContain('evil.test">');
    expect(html).not.toContain('&amp;amp;');
    expect(html).not.toContain('&amp;lt;');
  });

  it.each([
    'Ἀλέξανδρος',
    '李小龍',
    'שָׁלוֹם',
    'محمد\u200f',
    'मोहन',
    '👩‍✈️ Amelia',
    'Đặng Thị',
    '{{reference}}',
    '${7*7}',
    'a\u0301',
  ])('comes through exactly: %s', async (name) => {
    const { text, seen } = await readMail(withName(name));
    expect(text).toContain(`${name} Green`);
    expect(seen).toContain(`${name} Green`);
  });

  it('keeps its own direction, and turns nothing round beside it', async () => {
    const { booking, ...event } = eticketEvent('family with an infant, return');
    const passengers = booking.passengers.map((passenger) => ({
      ...passenger,
      givenName: 'محمد',
      familyName: 'الأحمد',
    }));
    for (const mail of [event, { ...event, version: 2 }]) {
      const { html } = await readMail({ ...mail, booking: { ...booking, passengers } });
      const named = html.slice(html.indexOf('<body')).match(/.{5}محمد الأحمد.{6}/g) ?? [];
      expect(named).toHaveLength(5);
      expect(named.filter((name) => name !== '<bdi>محمد الأحمد</bdi>')).toEqual([]);
    }
    const { html } = await readMail(cancelledEvent({ ...event, booking: { ...booking, passengers } }));
    expect(html.match(/<bdi>محمد الأحمد<\/bdi>/g)).toHaveLength(4);
  });

  it.each([
    '\r\nBcc: eve@evil.test',
    '\nX-Evil: 1',
    '\rX-Evil: 1',
    '\u0085X-Evil: 1',
    '\u2028X-Evil: 1',
    '\u0000X-Evil: 1',
    '\u202eX-Evil: 1',
  ])('writes no header, wherever it stands: %j (P14)', async (attack) => {
    const event = withName(`Ann${attack}`, `Lee${attack}`);
    const segments = event.booking.segments.map((segment) => ({
      ...segment,
      origin: { ...segment.origin, cityName: `Madrid${attack}` },
    }));
    const issuedBy = { ...event.booking.issuedBy, name: `Meridian${attack}` };
    const { raw, mail, text } = await readMail({ ...event, booking: { ...event.booking, segments, issuedBy } });
    const head = raw.slice(0, raw.indexOf('\r\n\r\n'));
    expect(head).not.toMatch(/^(bcc|x-evil)/im);
    expect(mail.headers.has('bcc')).toBe(false);
    expect(mail.headers.has('x-evil')).toBe(false);
    expect(mail.subject).toMatch(/Madrid ?(Bcc|X-Evil): /);
    expect(text).not.toContain(attack);
    expect(text).toMatch(/Ann ?(Bcc|X-Evil): /);
  });
});

describe('The mail of an event', () => {
  it('of the largest booking that the contract allows still stays below what Gmail clips', async () => {
    const { booking, ...event } = eticketEvent('nine seats');
    const segments = Array.from({ length: 16 }, (_, index) => ({
      ...booking.segments[index % 2]!,
      id: `seg-${index}`,
    }));
    const passengers = Array.from({ length: 18 }, (_, index) => booking.passengers[index % 9]!);
    const { html, seen } = await readMail({ ...event, booking: { ...booking, segments, passengers } });
    expect(seen.match(/125-9912345/g)).toHaveLength(18);
    expect(Buffer.byteLength(html)).toBeLessThan(MOST_HTML_BYTES);
  });

  it('leaves the PDF out where it is told to', async () => {
    const bytes = await mailBytes(eticketEvent(), WITHOUT_PDF);
    const { attachments } = await simpleParser(bytes);
    expect(attachments.map(({ contentType }) => contentType)).toEqual(['image/png', 'text/calendar']);
  });

  it('that is sent again says so, and refers to the first', async () => {
    const event = { ...eticketEvent('one adult, one way', { locale: 'en-GB' }), version: 3 };
    const { mail, text, seen } = await readMail(event, TEST_MAIL);
    expect(mail.messageId).toBe(`<eticket.${event.booking.id}.v3@meridian.example>`);
    expect(mail.references).toBe(`<eticket.${event.booking.id}.v1@meridian.example>`);
    expect(mail.inReplyTo).toBe(mail.references);
    expect(mail.subject).toBe('E-ticket K7XQ4S, sent again: Madrid – London, 14 Jan 2027');
    for (const part of [text, seen]) expect(part).toContain('Here is your e-ticket again');
    expect(factsOf({ ...event.booking, locale: 'en-GB' }).filter((fact) => !text.includes(fact))).toEqual([]);
    expect(mail.attachments.map(({ contentType }) => contentType)).toEqual([
      'image/png',
      'application/pdf',
      'text/calendar',
    ]);
  });

  it('calls cities, taxes and the agent’s place by their names in its own language, in every part', async () => {
    const spanish = eticketEvent('one adult, one way');
    const calendarOf = ({ mail }: ReadMail) =>
      mail.attachments
        .find(({ contentType }) => contentType === 'text/calendar')
        ?.content.toString()
        .replace(/\r\n /g, '') ?? '';
    const names = ['Londres', 'Recargo de la compañía', 'Madrid, España'];
    const english = ['London (', 'Carrier-imposed', 'Spain'];
    const own = await readMail(spanish);
    for (const part of [own.text, own.seen]) {
      expect(names.filter((name) => !part.includes(name))).toEqual([]);
      expect(english.filter((name) => part.includes(name))).toEqual([]);
    }
    expect(own.mail.subject).toContain('Madrid – Londres');
    expect(calendarOf(own)).toContain('SUMMARY:Vuelo IB 3166: Madrid (MAD) – Londres (LHR)');
    expect((await readMail(cancelledEvent(spanish))).text).toContain('Londres (LHR)');

    // Of another language, or none: a booking from before there were such names.
    const { localNames, ...before } = spanish.booking;
    for (const booking of [
      { ...before },
      { ...before, locale: 'de-CH', localNames: localNames! },
      { ...before, localNames: { language: 'fr', names: [{ name: 'London', localName: 'Londres' }] } },
    ]) {
      expect((await readMail({ ...spanish, booking })).text).toContain('London (LHR)');
    }
  });

  it('is the same, byte for byte, on every try', async () => {
    const event = eticketEvent('nine seats');
    expect(await mailBytes(event)).toEqual(await mailBytes(structuredClone(event)));
  });

  it('is the same whatever the time zone and the language of the process', async () => {
    const script = new URL('../../dist/testing/print-mail-bytes.js', import.meta.url).pathname;
    const run = async (TZ: string, LANG: string) =>
      (
        await promisify(execFile)(process.execPath, [script], {
          env: { PATH: process.env.PATH, TZ, LANG, LC_ALL: LANG },
        })
      ).stdout;
    const utc = await run('UTC', 'C');
    expect(utc.trim().split('\n')).toHaveLength(3 * BOOKING_SHAPE_NAMES.length);
    expect(await run('Asia/Tokyo', 'ja_JP.UTF-8')).toBe(utc);
    expect(await run('Pacific/Apia', 'es_ES.UTF-8')).toBe(utc);
    // Three programs that make every mail: some seconds on a machine that has nothing else to do.
  }, 240_000);
});

describe.each(BOOKING_SHAPE_NAMES)('The mail of a cancelled booking with %s', (shape) => {
  const confirmed = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', shape);
  const event = cancelledEvent(confirmed);
  const { booking } = event;
  const isSpanish = shape === 'one adult, one way';
  let read: ReadMail;
  beforeAll(async () => {
    read = await readMail(event, TEST_MAIL);
  });

  it('says what is cancelled, and that it is, in the text and in the HTML', () => {
    const { reference, passengers, segments } = booking;
    const facts = [
      isSpanish ? 'Su reserva está cancelada' : 'Your booking is cancelled',
      reference,
      ...passengers.flatMap(({ givenName, familyName, ticketName, ticketNumber }) => [
        `${givenName} ${familyName}`,
        ticketName,
        `${ticketNumber.slice(0, 3)}-${ticketNumber.slice(3)}`,
      ]),
      ...segments.flatMap((segment) => [
        `${segment.marketingCarrier.iataCode} ${segment.flightNumber}`,
        `${localNameIn(booking)(segment.origin.cityName)} (${segment.origin.iataCode})`,
        segment.departingAt.slice(11, 16),
      ]),
      isSpanish ? 'Cancelado' : 'Cancelled',
    ];
    for (const part of [read.text, read.seen]) {
      expect(facts.filter((fact) => !part.includes(fact))).toEqual([]);
      expect(part).not.toMatch(/OK \(confirm/);
    }
    expect(Buffer.byteLength(read.html)).toBeLessThan(MOST_HTML_BYTES);
  });

  it('says what goes back, and where to', () => {
    for (const part of [read.text, read.seen]) expect(part).toContain(`VISA ************${booking.payment.last4}`);
    const back = factsOf({ ...booking, price: { ...booking.price, total: event.refund } }).at(
      -1 - booking.price.taxes.length * 3,
    );
    for (const part of [read.text, read.seen]) expect(part).toContain(back);
  });

  it('takes the flights out of the calendar, refers to the e-ticket, and brings nothing to travel on', () => {
    const { mail } = read;
    expect(mail.references).toBe(`<eticket.${booking.id}.v1@meridian.example>`);
    expect(mail.messageId).toBe(`<eticket.${booking.id}.v2@meridian.example>`);
    expect(mail.attachments.map(({ contentType }) => contentType)).toEqual(['text/calendar']);
    expect(mail.attachments[0]?.content.toString()).toContain('METHOD:CANCEL');
    expect(read.raw).toMatch(/Content-Type: text\/calendar;[^]*?method=CANCEL/);
    expect(read.html).not.toContain('<img');
    expect(read.html).toContain('ReservationCancelled');
  });
});

it('The mail of a cancellation without a refund says so', async () => {
  const event = eticketEvent('yen, no decimals', { locale: 'en-GB' });
  const { text, seen } = await readMail(cancelledEvent(event, { refund: { amount: '0', currency: 'JPY' } }));
  for (const part of [text, seen]) {
    expect(part).toContain('JPY 0');
    expect(part).toContain('nothing is refunded');
    expect(part).not.toContain('goes back to');
  }
});
