import { qrModules } from '../qr/link-qr.js';
import type { MailOccasion } from '../receipt/mail-occasion.js';
import { receiptLocale } from '../receipt/receipt-language.js';
import { receiptView } from '../receipt/receipt-view.js';
import type { FlightView, PassengerView, ReceiptView } from '../receipt/receipt-view.js';
import { receiptWords } from '../receipt/receipt-words.js';
import type { ReceiptWords } from '../receipt/receipt-words.js';
import { fontsFor } from './pdf-fonts.js';
import type { PdfFonts } from './pdf-fonts.js';
import { drawAmounts, drawFacts, drawHeading, drawPageTop } from './pdf-blocks.js';
import { drawFlight } from './pdf-flight.js';
import { INK, PdfSheet } from './pdf-sheet.js';
import { textsIn } from './pdf-text.js';

/**
 * The receipt for printing and for expenses: a page or more for each passenger with own ticket, flights and fare, then
 * what the booking as a whole cost. The same bytes for the same booking, whenever and wherever.
 */
export function receiptPdf(occasion: MailOccasion): Promise<Buffer> {
  const locale = receiptLocale(occasion.booking.locale);
  const words = receiptWords(locale.language);
  const complete = receiptView(occasion, locale, words);
  const fonts = fontsFor(textsIn(complete));
  const view = {
    ...complete,
    passengers: complete.passengers.map((passenger) => inLetters(passenger, fonts, complete)),
  };
  // Of a passenger's further pages: printed, they are loose sheets.
  let owner = '';
  const sheet = new PdfSheet(
    fonts,
    { title: view.subject, author: view.agent.name, language: view.lang, createdAt: new Date(occasion.occurredAt) },
    (page) => drawPageTop(page, view, words, owner),
  );
  for (const passenger of view.passengers) {
    sheet.startPage();
    owner = `${passenger.title} ${passenger.name}, ${passenger.ticketNumber}`;
    drawPassenger(sheet, passenger, view, words);
    owner = '';
  }
  drawBooking(sheet, view, words);
  return sheet.finish((page, pages) => [
    `${view.reference} · ${words.text('notBoardingPass')}`,
    words.text('page', { page: String(page), pages: String(pages) }),
  ]);
}

/** Names in letters that the fonts do not have give way to the one on the ticket, which is A to Z. */
function inLetters(passenger: PassengerView, fonts: PdfFonts, { passengers }: ReceiptView): PassengerView {
  const ticketNameOf = (name: string): string => passengers.find((other) => other.name === name)?.ticketName ?? name;
  const name = fonts.prints(passenger.name) ? passenger.name : passenger.ticketName;
  const { travellingWith } = passenger;
  return {
    ...passenger,
    name,
    travellingWith: fonts.prints(travellingWith) ? travellingWith : ticketNameOf(travellingWith),
  };
}

function drawPassenger(sheet: PdfSheet, passenger: PassengerView, view: ReceiptView, words: ReceiptWords): void {
  const { left: x, width } = sheet;
  sheet.line(words.text('passenger'), { x, y: sheet.y, width }, { size: 8.5, color: INK.dim });
  sheet.line(`${passenger.title} ${passenger.name}`, { x, y: sheet.y + 12, width }, { size: 17, bold: true });
  sheet.y += 42;
  const agentNumber = words.text('agentNumber', { number: view.agent.iataNumber });
  drawFacts(sheet, [
    [words.text('ticketNumber'), passenger.ticketNumber, 'strong'],
    [words.text('ticketName'), passenger.ticketName, 'strong'],
    [words.text('passengerType'), passenger.type],
    ...(passenger.travellingWith === '' ? [] : [[words.text('travellingWith'), passenger.travellingWith] as const]),
    [words.text('issuedOn'), view.issuedOn],
    [words.text('validatingCarrier'), view.validatingCarrier],
    [words.text('issuedBy'), `${view.agent.name}, ${view.agent.place} (${agentNumber})`],
    // On each ticket (IATA Resolution 722g): a passenger hands in the own receipt alone.
    [words.text('formOfPayment'), view.payment.card],
    ...(view.rules.endorsements === '' ? [] : [[words.text('endorsements'), view.rules.endorsements] as const]),
  ]);
  drawHeading(sheet, words.text('flights'), words.text('flightsNote'));
  for (const slice of view.slices) {
    for (const [index, flight] of slice.flights.entries()) {
      drawFlight(sheet, ofPassenger(flight, passenger), index === 0 ? slice.heading : '', words);
    }
  }
  drawAmounts(
    sheet,
    words.text('fare'),
    [
      [words.text('fare'), passenger.base],
      ...passenger.taxes.map(({ code, name, amount }) => [`${code}  ${name}`, amount] as const),
    ],
    [words.text('ticketTotal'), passenger.total],
  );
}

/** A passenger's own receipt names the passenger's own baggage. */
function ofPassenger(flight: FlightView, { passengerType }: PassengerView): FlightView {
  return { ...flight, baggage: flight.baggage.filter((allowance) => allowance.passengerType === passengerType) };
}

function drawBooking(sheet: PdfSheet, view: ReceiptView, words: ReceiptWords): void {
  sheet.startPage();
  const { price, payment, rules } = view;
  drawAmounts(
    sheet,
    words.text('price'),
    [
      [words.text('fare'), price.base],
      ...price.taxes.map(({ code, name, amount }) => [`${code}  ${name}`, amount] as const),
      [words.text('fees'), price.fees],
    ],
    [words.text('total'), price.total],
  );
  drawHeading(sheet, words.text('payment'));
  drawFacts(sheet, [
    [words.text('formOfPayment'), payment.card],
    [words.text('approvalCode'), payment.approvalCode],
  ]);
  drawHeading(sheet, words.text('rules'));
  drawFacts(sheet, [
    [words.text('changes'), rules.change],
    [words.text('refund'), rules.refund],
    ...(rules.endorsements === '' ? [] : [[words.text('endorsements'), rules.endorsements] as const]),
  ]);
  drawText(sheet, words.text('rulesNote'));
  drawHeading(sheet, words.text('notices'));
  for (const { heading, text } of view.notices) {
    sheet.ensure(14 + sheet.heightOf(text, sheet.width));
    sheet.line(heading, { x: sheet.left, y: sheet.y, width: sheet.width }, { size: 8.5, bold: true });
    sheet.y += 12;
    drawText(sheet, text);
  }
  drawManageLink(sheet, view, words);
}

function drawText(sheet: PdfSheet, text: string): void {
  sheet.y += sheet.paragraph(text, { x: sheet.left, y: sheet.y, width: sheet.width }, { color: INK.dim }) + 7;
}

function drawManageLink(sheet: PdfSheet, view: ReceiptView, words: ReceiptWords): void {
  const height = 96;
  sheet.ensure(height + 12);
  const { left: x, width, y } = sheet;
  const side = 76;
  sheet.box({ x, y, width, height }, INK.soft, 8);
  const qr = qrModules(view.manageUrl);
  const quiet = 4;
  sheet.squares({ x: x + 10, y: y + 10, width: side }, qr.size + 2 * quiet, (column, row) => {
    const [left, top] = [column - quiet, row - quiet];
    return left >= 0 && top >= 0 && left < qr.size && top < qr.size && qr.isDark(left, top);
  });
  const beside = { x: x + side + 24, width: width - side - 36 };
  sheet.line(words.text('manage'), { ...beside, y: y + 14 }, { size: 11, bold: true });
  sheet.line(view.manageUrl, { ...beside, y: y + 30 }, { color: INK.accent });
  sheet.link({ ...beside, y: y + 28 }, 14, view.manageUrl);
  const below = sheet.paragraph(words.text('manageQr'), { ...beside, y: y + 46 }, { color: INK.dim });
  const support = words.text('support', { email: view.agent.supportEmail, phone: view.agent.supportPhone });
  sheet.paragraph(support, { ...beside, y: y + 48 + below }, { color: INK.dim });
  sheet.y += height + 12;
}
