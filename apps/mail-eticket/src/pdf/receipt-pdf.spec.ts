import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import type { BookingSnapshot } from '@eticket/contracts';
import { BOOKING_SHAPE_NAMES, eticketEvent, eticketEventWithIds, localNameIn } from '../testing/eticket-fixtures.js';
import { inVisualOrder, isWinAnsi } from './pdf-text.js';
import { mailOccasion } from '../receipt/mail-occasion.js';
import type { EticketMailEvent } from '../receipt/mail-occasion.js';
import { receiptPdf } from './receipt-pdf.js';

const pdfOf = (event: EticketMailEvent) => receiptPdf(mailOccasion(event));

async function read(bytes: Buffer) {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text: pages } = await extractText(document, { mergePages: false });
  const { info } = await getMeta(document);
  // Letters that a font draws as one come back as one.
  const words = (page: string) => page.replace(/\s+/g, ' ').normalize('NFKC');
  return { pages: pages.map(words), text: words(pages.join(' ')), info: info as Readonly<Record<string, unknown>> };
}

const printed = (locale: string) => (amount: string) => {
  const digits = amount.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat(locale, { minimumFractionDigits: digits })
    .format(amount as Intl.StringNumericLiteral)
    .normalize('NFKC');
};

const flightFacts = (booking: BookingSnapshot) =>
  booking.segments.flatMap((segment) => [
    `${segment.marketingCarrier.iataCode} ${segment.flightNumber}`,
    `${segment.operatingCarrier.name} (${segment.operatingCarrier.iataCode})`,
    segment.fareBasis,
    segment.aircraft,
    segment.departingAt.slice(11, 16),
    segment.arrivingAt.slice(11, 16),
    ...[segment.origin, segment.destination].flatMap(({ cityName, iataCode, name, terminal }) => [
      `${localNameIn(booking)(cityName)} (${iataCode})`,
      name,
      ...(terminal ? [`Terminal ${terminal}`] : []),
    ]),
  ]);

describe.each(BOOKING_SHAPE_NAMES)('The PDF receipt of a booking with %s', (shape) => {
  const event = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', shape);
  const { booking } = event;
  const amount = printed(booking.locale.startsWith('e') ? booking.locale : 'en-GB');
  let pdf: Awaited<ReturnType<typeof read>>;
  beforeAll(async () => {
    pdf = await read(await pdfOf(event));
  });

  it('gives each passenger a receipt with the own ticket, every flight and the own fare', () => {
    const starts = booking.passengers.map(({ ticketNumber }) =>
      pdf.pages.findIndex((page) => page.includes(`${ticketNumber.slice(0, 3)}-${ticketNumber.slice(3)}`)),
    );
    expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
    booking.passengers.forEach((passenger, index) => {
      const own = pdf.pages.slice(starts[index], starts[index + 1] ?? -1).join(' ');
      const facts = [
        `${passenger.givenName} ${passenger.familyName}`,
        passenger.ticketName,
        ...flightFacts(booking),
        ...passenger.taxes.flatMap((tax) => [tax.code, localNameIn(booking)(tax.name), amount(tax.amount)]),
        amount(passenger.base.amount),
        amount(passenger.total.amount),
        booking.issuedBy.name,
        booking.issuedBy.iataNumber,
        `${booking.validatingCarrier.name} (${booking.validatingCarrier.iataCode})`,
        `************${booking.payment.last4}`,
        booking.conditions.endorsements,
      ].map((fact) => fact.normalize('NFKC'));
      expect(facts.filter((fact) => !own.includes(fact))).toEqual([]);
    });
  });

  it('names its passenger and ticket on every page but the last, which is everybody’s', () => {
    const numbers = booking.passengers.map(({ ticketNumber }) => ticketNumber.slice(3));
    const named = pdf.pages.map((page) => numbers.filter((number) => page.includes(number)).length);
    expect(named).toEqual([...pdf.pages.slice(1).map(() => 1), 0]);
  });

  it('ends with what the booking cost, how it was paid, the rules and the notices', () => {
    const last = pdf.pages.at(-1) ?? '';
    const { price, payment, conditions, issuedBy, manageUrl } = booking;
    const facts = [
      ...[price.base, price.fees, price.total, ...price.taxes].map((money) => amount(money.amount)),
      `************${payment.last4}`,
      payment.approvalCode,
      conditions.endorsements,
      issuedBy.supportEmail,
      issuedBy.supportPhone,
      manageUrl,
    ];
    expect(facts.filter((fact) => !last.includes(fact))).toEqual([]);
    expect(last).toMatch(/Montreal/);
  });

  it('has the reference and the page’s number on every page, and says that it boards nobody', () => {
    pdf.pages.forEach((page, index) => {
      expect(page).toContain(booking.reference);
      expect(page).toMatch(new RegExp(`(Page|Página) ${index + 1} (of|de) ${pdf.pages.length}`));
      expect(page).toMatch(/not a boarding pass|no es una tarjeta de embarque/);
    });
  });

  it('is the same, byte for byte, however often it is made', async () => {
    expect(await pdfOf(event)).toEqual(await pdfOf(structuredClone(event)));
    expect(pdf.info).toMatchObject({ CreationDate: 'D:20261130180405Z', ModDate: 'D:20261130180405Z' });
  });
});

describe('The PDF receipt', () => {
  const named = (givenName: string, familyName = 'Green') => {
    const { booking, ...event } = eticketEvent('one adult, one way');
    const [passenger] = booking.passengers;
    if (!passenger) throw new Error('the fixture has a passenger');
    return { ...event, booking: { ...booking, passengers: [{ ...passenger, givenName, familyName }] } };
  };
  const isEmbedded = (bytes: Buffer) => bytes.includes('/FontFile2');

  it('embeds a font only where a letter asks for it', async () => {
    expect(isEmbedded(await pdfOf(named('Zoë', 'Müller–Œuvre')))).toBe(false);
    expect(isEmbedded(await pdfOf(named('Łucja')))).toBe(true);
  });

  it.each(['Łódź', 'Đặng Thị', 'Ἀλέξανδρος', 'Александр', 'Ægir Þórsson', 'İpek Ş'])('prints %s', async (name) => {
    const { text } = await read(await pdfOf(named(name)));
    expect(text).toContain(`${name} Green`.normalize('NFKC'));
  });

  it.each(['李小龍', 'मोहन', '👩‍✈️ Amelia'])(
    'prints the name on the ticket where the font lacks letters of %s',
    async (name) => {
      const { pages, text } = await read(await pdfOf(named(name)));
      expect(pages[0]?.match(/FERNANDEZORTIZ\/LUCIA MS/g)).toHaveLength(2);
      expect(text.replace('?from=mail', '')).not.toContain('?');
    },
  );

  it('shows names of Arabic and Hebrew letters in the order in which they are read', () => {
    expect(inVisualOrder('محمد الأحمد')).toBe('الأحمد محمد');
    expect(inVisualOrder('Mr דוד בן גוריון Cohen')).toBe('Mr גוריון בן דוד Cohen');
    expect(inVisualOrder('Zoë Green')).toBe('Zoë Green');
  });

  it('takes markup and templates for text', async () => {
    const name = `O'Brien & <b>x</b> {{y}} (\\) "Q"`;
    expect((await read(await pdfOf(named(name)))).text).toContain(`${name} Green`);
  });

  it('fits the longest names and the largest booking on its pages', async () => {
    const { booking, ...event } = eticketEvent('nine seats');
    const segments = Array.from({ length: 16 }, (_, index) => ({
      ...booking.segments[index % 2]!,
      id: `seg-${index}`,
    }));
    const passengers = [{ ...booking.passengers[0]!, givenName: 'W'.repeat(60), familyName: 'M'.repeat(60) }];
    const { pages } = await read(await pdfOf({ ...event, booking: { ...booking, segments, passengers } }));
    expect(pages.join(' ').match(/TP 85/g)).toHaveLength(8);
    expect(pages[0]).toContain(`${'W'.repeat(60)} ${'M'.repeat(60)}`);
  });

  it('knows what built-in fonts print', () => {
    expect(isWinAnsi('Zürich–Łódź')).toBe(false);
    expect(isWinAnsi('Zürich – “Œuvre” n.º 1 × 23 €')).toBe(true);
    expect(isWinAnsi('a\u0301')).toBe(false);
  });
});
