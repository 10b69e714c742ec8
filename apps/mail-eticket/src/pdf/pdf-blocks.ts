import type { ReceiptView } from '../receipt/receipt-view.js';
import type { ReceiptWords } from '../receipt/receipt-words.js';
import { INK } from './pdf-sheet.js';
import type { PdfSheet } from './pdf-sheet.js';

const BAND = { height: 74, fill: '#0c2d57', soft: '#bcd3f2' } as const;

/** The band on top of every page, and whose page it is where it goes on. Returns where the page's own content begins. */
export function drawPageTop(sheet: PdfSheet, view: ReceiptView, words: ReceiptWords, owner: string): number {
  const { left: x, width } = sheet;
  sheet.box({ x: 0, y: 0, width: width + 2 * x, height: BAND.height }, BAND.fill);
  sheet.line(view.agent.name, { x, y: 18, width: width * 0.68 }, { size: 9, color: BAND.soft });
  sheet.line(view.headline, { x, y: 33, width: width * 0.68 }, { size: 17, bold: true, color: '#ffffff' });
  const right = { x: x + width * 0.7, width: width * 0.3 };
  sheet.line(words.text('reference'), { ...right, y: 18 }, { size: 9, color: BAND.soft, align: 'right' });
  sheet.line(view.reference, { ...right, y: 32 }, { size: 19, bold: true, color: '#ffffff', align: 'right' });
  if (owner === '') return BAND.height + 24;
  sheet.line(owner, { x, y: BAND.height + 18, width }, { size: 9.5, bold: true });
  return BAND.height + 42;
}

export function drawHeading(sheet: PdfSheet, heading: string, note = ''): void {
  sheet.ensure(60);
  sheet.y += 10;
  sheet.line(heading, { x: sheet.left, y: sheet.y, width: sheet.width * 0.55 }, { size: 12.5, bold: true });
  if (note !== '') {
    const place = { x: sheet.left + sheet.width * 0.45, y: sheet.y + 4, width: sheet.width * 0.55 };
    sheet.line(note, place, { size: 8, color: INK.dim, align: 'right' });
  }
  sheet.y += 20;
}

/** What something is called, what it is, and whether it is what readers look for. */
export type Fact = readonly [label: string, value: string, weight?: 'strong'];

const FACT_HEIGHT = 26;

/** Facts in two columns, each below its name. */
export function drawFacts(sheet: PdfSheet, facts: readonly Fact[]): void {
  const column = sheet.width / 2;
  for (let at = 0; at < facts.length; at += 2) {
    sheet.ensure(FACT_HEIGHT);
    for (const [index, fact] of facts.slice(at, at + 2).entries()) {
      drawFact(sheet, fact, { x: sheet.left + index * column, y: sheet.y, width: column - 12 });
    }
    sheet.y += FACT_HEIGHT;
  }
}

export function drawFact(
  sheet: PdfSheet,
  [label, value, weight]: Fact,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): void {
  sheet.line(label, { x, y, width }, { size: 7.5, color: INK.dim });
  sheet.line(value, { x, y: y + 10, width }, { size: 9.5, bold: weight === 'strong' });
}

const AMOUNT_HEIGHT = 15;

/** A list of amounts under a heading, with its sum. */
export function drawAmounts(
  sheet: PdfSheet,
  heading: string,
  amounts: readonly (readonly [label: string, amount: string])[],
  [totalLabel, total]: readonly [label: string, amount: string],
): void {
  drawHeading(sheet, heading);
  const { left: x, width } = sheet;
  for (const [label, amount] of amounts) {
    sheet.ensure(AMOUNT_HEIGHT);
    sheet.line(label, { x, y: sheet.y, width: width * 0.66 });
    sheet.line(amount, { x: x + width * 0.68, y: sheet.y, width: width * 0.32 }, { align: 'right' });
    sheet.rule(sheet.y + 12.5, INK.line);
    sheet.y += AMOUNT_HEIGHT;
  }
  sheet.ensure(24);
  sheet.y += 4;
  sheet.line(totalLabel, { x, y: sheet.y, width: width * 0.5 }, { size: 11.5, bold: true });
  sheet.line(
    total,
    { x: x + width * 0.52, y: sheet.y, width: width * 0.48 },
    { size: 11.5, bold: true, align: 'right' },
  );
  sheet.y += 24;
}
