import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BookingSnapshot, Money } from '@eticket/contracts';
import ICAL from 'ical.js';
import jsqr from 'jsqr';
import { simpleParser, type ParsedMail } from 'mailparser';
import { PNG } from 'pngjs';
import { textOfHtml } from './text-of-html.js';

// A CommonJS module that calls itself a default export.
const readQr = jsqr as unknown as typeof jsqr.default;

/** A mail taken apart by readers that share no code with its writer. */
export interface GoldenMail {
  readonly mail: ParsedMail;
  readonly text: string;
  /** What a reader of the HTML sees. */
  readonly html: string;
  /** By poppler's pdftotext; undefined where no PDF came, or no pdftotext is installed. */
  readonly pdf: string | undefined;
  readonly calendar: { readonly method: unknown; readonly events: readonly CalendarEvent[] };
  readonly reservations: readonly Readonly<Record<string, unknown>>[];
  /** Content of the QR code; undefined where no picture came. */
  readonly qr: string | undefined;
}

export interface CalendarEvent {
  readonly uid: string;
  readonly sequence: number;
  readonly status: unknown;
  readonly start: string;
  readonly end: string;
  readonly summary: string;
}

export async function readGoldenMail(source: string): Promise<GoldenMail> {
  const mail = await simpleParser(source, { skipTextToHtml: true, keepCidLinks: true });
  const html = mail.html || '';
  const attached = (type: string) => mail.attachments.find(({ contentType }) => contentType === type)?.content;
  const [pdf, png] = [attached('application/pdf'), attached('image/png')];
  const [, json = '[]'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
  return {
    mail,
    text: mail.text ?? '',
    html: textOfHtml(html),
    pdf: pdf && (await textOfPdf(pdf)),
    calendar: readCalendar(attached('text/calendar')?.toString() ?? ''),
    reservations: JSON.parse(json) as GoldenMail['reservations'],
    qr: png && readPicture(png),
  };
}

/** Cities of the sample bookings that are called otherwise in Spanish. */
const SPANISH_CITIES: Readonly<Record<string, string>> = { London: 'Londres' };

const cityIn = ({ locale }: BookingSnapshot, city: string): string =>
  locale.startsWith('es') ? (SPANISH_CITIES[city] ?? city) : city;

/** All facts of a booking that a receipt prints, cities in the language of the mail and the rest in one form in every language; names apart, that a PDF may print as the ticket has them. */
export function receiptFacts(booking: BookingSnapshot): readonly string[] {
  const { segments, passengers, price, payment } = booking;
  return [
    booking.reference,
    booking.issuedBy.name,
    booking.issuedBy.iataNumber,
    `${booking.validatingCarrier.name} (${booking.validatingCarrier.iataCode})`,
    `************${payment.last4}`,
    payment.approvalCode,
    booking.conditions.endorsements,
    ...segments.flatMap((segment) => [
      `${segment.marketingCarrier.iataCode} ${segment.flightNumber}`,
      `${segment.operatingCarrier.name} (${segment.operatingCarrier.iataCode})`,
      segment.fareBasis,
      segment.aircraft,
      segment.departingAt.slice(11, 16),
      segment.arrivingAt.slice(11, 16),
      ...[segment.origin, segment.destination].flatMap(({ cityName, iataCode, name, terminal }) => [
        `${cityIn(booking, cityName)} (${iataCode})`,
        name,
        ...(terminal ? [`Terminal ${terminal}`] : []),
      ]),
      ...segment.baggage.flatMap(({ carryOnPieces, carryOnKg, checkedPieces, checkedKg }) => [
        ...(carryOnPieces === 0 ? [] : [`${carryOnPieces} × ${carryOnKg} kg`]),
        ...(checkedPieces === 0 ? [] : [`${checkedPieces} × ${checkedKg} kg`]),
      ]),
    ]),
    ...passengers.flatMap((passenger) => [
      passenger.ticketName,
      `${passenger.ticketNumber.slice(0, 3)}-${passenger.ticketNumber.slice(3)}`,
      ...[passenger.base, passenger.total, ...passenger.taxes].map(amountOf),
      ...passenger.taxes.map(({ code }) => code),
    ]),
    ...[price.base, price.fees, price.total, ...price.taxes].map(amountOf),
  ];
}

/** What the mail of a cancellation prints. */
export function cancellationFacts(booking: BookingSnapshot, refund: Money): readonly string[] {
  return [
    booking.reference,
    amountOf(refund),
    ...booking.segments.flatMap((segment) => [
      `${segment.marketingCarrier.iataCode} ${segment.flightNumber}`,
      `${cityIn(booking, segment.origin.cityName)} (${segment.origin.iataCode})`,
      segment.departingAt.slice(11, 16),
    ]),
    ...booking.passengers.flatMap(({ ticketName, ticketNumber }) => [
      ticketName,
      `${ticketNumber.slice(0, 3)}-${ticketNumber.slice(3)}`,
    ]),
  ];
}

/** Facts that a part does not say. White space, and how a language groups and points digits, make no difference. */
export function missingFacts(part: string, facts: readonly string[]): readonly string[] {
  const plain = (text: string) => text.replace(/\s/g, '').replace(/(?<=\d)[.,’](?=\d)/g, '');
  const said = plain(part);
  return facts.filter((fact) => !said.includes(plain(fact)));
}

/** The calendar that a booking’s mail has to bring. */
export function expectedEvents(
  booking: BookingSnapshot,
  { version, status }: { readonly version: number; readonly status: string },
): readonly Omit<CalendarEvent, 'summary'>[] {
  return booking.segments.map((segment) => ({
    uid: `${booking.id}-${segment.id}@meridian.example`,
    sequence: version,
    status,
    start: new Date(segment.departingAt).toISOString(),
    end: new Date(segment.arrivingAt).toISOString(),
  }));
}

/** Google's required properties of a FlightReservation, for each passenger and flight. */
export function expectedReservations(booking: BookingSnapshot, status: string): readonly object[] {
  return booking.passengers.flatMap((passenger) =>
    booking.segments.map((segment) => ({
      '@context': 'https://schema.org',
      '@type': 'FlightReservation',
      reservationNumber: booking.reference,
      reservationStatus: `https://schema.org/${status}`,
      underName: { '@type': 'Person', name: `${passenger.givenName} ${passenger.familyName}` },
      ticketNumber: passenger.ticketNumber,
      reservationFor: {
        '@type': 'Flight',
        flightNumber: segment.flightNumber,
        airline: { '@type': 'Airline', ...segment.marketingCarrier },
        departureAirport: { name: segment.origin.name, iataCode: segment.origin.iataCode },
        departureTime: segment.departingAt,
        arrivalAirport: { name: segment.destination.name, iataCode: segment.destination.iataCode },
        arrivalTime: segment.arrivingAt,
      },
    })),
  );
}

/** Without its currency, which the languages put on either side. */
function amountOf({ amount }: Money): string {
  return amount;
}

function readCalendar(content: string): GoldenMail['calendar'] {
  const calendar = new ICAL.Component(ICAL.parse(content) as unknown[]);
  const events = calendar.getAllSubcomponents('vevent').map((component) => {
    const { uid, sequence, summary, startDate, endDate } = new ICAL.Event(component);
    return {
      uid,
      sequence,
      status: component.getFirstPropertyValue('status'),
      start: startDate.toJSDate().toISOString(),
      end: endDate.toJSDate().toISOString(),
      summary,
    };
  });
  return { method: calendar.getFirstPropertyValue('method'), events };
}

function readPicture(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png);
  return readQr(new Uint8ClampedArray(data), width, height)?.data;
}

/** @throws in CI where poppler-utils are not installed: there nothing is skipped. */
async function textOfPdf(pdf: Buffer): Promise<string | undefined> {
  try {
    const running = promisify(execFile)('pdftotext', ['-layout', '-enc', 'UTF-8', '-', '-']);
    running.child.stdin?.end(pdf);
    return (await running).stdout;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT' && !process.env.CI) return undefined;
    throw error;
  }
}
