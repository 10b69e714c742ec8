import type { FlightView } from '../receipt/receipt-view.js';
import type { ReceiptWords } from '../receipt/receipt-words.js';
import { drawFact } from './pdf-blocks.js';
import { INK } from './pdf-sheet.js';
import type { PdfSheet } from './pdf-sheet.js';

const HEIGHT = 166;
const HEADING_HEIGHT = 16;
const BAGGAGE_HEIGHT = 12;
const PADDING = 14;

/** A coupon: one flight in a box that no page break cuts. */
export function drawFlight(sheet: PdfSheet, flight: FlightView, heading: string, words: ReceiptWords): void {
  const height = HEIGHT + BAGGAGE_HEIGHT * Math.max(0, flight.baggage.length - 1);
  sheet.ensure(height + 10 + (heading === '' ? 0 : HEADING_HEIGHT));
  if (heading !== '') {
    sheet.line(heading, { x: sheet.left, y: sheet.y, width: sheet.width }, { size: 8.5, bold: true, color: INK.dim });
    sheet.y += HEADING_HEIGHT;
  }
  const { left, width, y } = sheet;
  sheet.frame({ x: left, y, width, height }, INK.line, 8);
  const x = left + PADDING;
  const inner = width - 2 * PADDING;
  sheet.line(
    `${flight.number}  ${flight.carrier}`,
    { x, y: y + 11, width: inner * 0.75 },
    { size: 11.5, bold: true, color: INK.accent },
  );
  const duration = `${words.text('duration')}: ${flight.duration}`;
  sheet.line(duration, { x: x + inner * 0.6, y: y + 13, width: inner * 0.4 }, { color: INK.dim, align: 'right' });
  const half = inner / 2;
  drawEnd(sheet, words.text('departure'), flight.departure, '', flight.from, { x, y: y + 32, width: half - 12 });
  const change = flight.arrival.dayChange === '' ? '' : ` (${flight.arrival.dayChangeText})`;
  drawEnd(sheet, words.text('arrival'), flight.arrival, change, flight.to, { x: x + half, y: y + 32, width: half });
  sheet.rule(y + 106, INK.line, { x, width: inner });
  drawDetails(sheet, flight, words, { x, y: y + 112, width: inner });
  sheet.y += height + 10;
}

interface At {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

function drawEnd(
  sheet: PdfSheet,
  label: string,
  when: { readonly date: string; readonly time: string },
  dayChange: string,
  place: FlightView['from'],
  { x, y, width }: At,
): void {
  sheet.line(label, { x, y, width }, { size: 7.5, color: INK.dim });
  sheet.line(when.time, { x, y: y + 9, width: 60 }, { size: 17, bold: true });
  sheet.line(`${when.date}${dayChange}`, { x: x + 64, y: y + 15, width: width - 64 });
  sheet.line(`${place.city} (${place.code})`, { x, y: y + 32, width }, { size: 10.5, bold: true });
  sheet.line(place.name, { x, y: y + 46, width }, { size: 8.5, color: INK.dim });
  if (place.terminal !== '') sheet.line(place.terminal, { x, y: y + 58, width }, { size: 8.5, color: INK.dim });
}

function drawDetails(sheet: PdfSheet, flight: FlightView, words: ReceiptWords, { x, y, width }: At): void {
  const facts = [
    [words.text('operatedBy'), flight.operatedBy, 0.27],
    [words.text('cabin'), flight.cabin, 0.21],
    [words.text('fareBasis'), flight.fareBasis, 0.16],
    [words.text('aircraft'), flight.aircraft, 0.2],
    [words.text('status'), words.text('statusOk'), 0.16],
  ] as const;
  let at = x;
  for (const [label, value, share] of facts) {
    drawFact(sheet, [label, value], { x: at, y, width: width * share - 8 });
    at += width * share;
  }
  sheet.line(words.text('baggage'), { x, y: y + 26, width }, { size: 7.5, color: INK.dim });
  for (const [index, { text }] of flight.baggage.entries()) {
    sheet.line(text, { x: x + width * 0.27, y: y + 25 + index * BAGGAGE_HEIGHT, width: width * 0.73 }, { size: 9 });
  }
}
