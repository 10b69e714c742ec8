import PDFDocument from 'pdfkit';
import type { PdfFonts } from './pdf-fonts.js';

/** Colours of the mail's HTML. */
export const INK = { text: '#16202c', dim: '#526173', accent: '#0f5fae', line: '#d9e2ec', soft: '#f3f7fc' } as const;

export interface TextStyle {
  readonly size?: number;
  readonly bold?: boolean;
  readonly color?: string;
  readonly align?: 'left' | 'right';
}

/** Where a text stands: its left top corner and the width it may take, in points. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** A4 in points, with its margins. */
const PAGE = { size: 'A4', width: 595.28, height: 841.89, margin: 44, bottom: 60 } as const;
const SMALLEST_SIZE = 5;
/** Its types leave out that a document may begin without a font. */
const NO_FONT_YET = null as unknown as string;

/** A document that is written from top to bottom, over as many pages as it takes. */
export class PdfSheet {
  readonly left = PAGE.margin;
  readonly width = PAGE.width - 2 * PAGE.margin;
  y: number = PAGE.margin;
  readonly #doc: PDFKit.PDFDocument;
  readonly #bytes: Promise<Buffer>;
  readonly #regular: string;
  readonly #bold: string;

  constructor(
    private readonly fonts: PdfFonts,
    about: { readonly title: string; readonly author: string; readonly language: string; readonly createdAt: Date },
    /** Draws the top of a page and returns where the content below it begins. */
    private readonly pageTop: (sheet: PdfSheet) => number,
  ) {
    const { title, author, language, createdAt } = about;
    this.#doc = new PDFDocument({
      size: PAGE.size,
      margin: 0,
      lang: language,
      displayTitle: true,
      autoFirstPage: false,
      // Else it opens Helvetica first, whatever follows.
      font: NO_FONT_YET,
      bufferPages: true,
      // Everything that could tell one printing from the next is given: the file's id is made from these.
      info: {
        Title: title,
        Author: author,
        CreationDate: createdAt,
        ModDate: createdAt,
        Producer: 'pdfkit',
        Creator: 'mail-eticket',
      },
    });
    // By a name of its own only what is a file: a built-in font is opened again under each name.
    if (fonts.isEmbedded) {
      this.#doc.registerFont('regular', fonts.regular as string);
      this.#doc.registerFont('bold', fonts.bold as string);
    }
    this.#regular = fonts.isEmbedded ? 'regular' : (fonts.regular as string);
    this.#bold = fonts.isEmbedded ? 'bold' : (fonts.bold as string);
    this.#bytes = new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      this.#doc.on('data', (chunk: Buffer) => chunks.push(chunk));
      this.#doc.on('error', reject);
      this.#doc.on('end', () => resolve(Buffer.concat(chunks)));
    });
  }

  startPage(): void {
    this.#doc.addPage();
    this.y = this.pageTop(this);
  }

  /** Goes on on a new page where fewer than `height` points are left. */
  ensure(height: number): void {
    if (this.y + height > PAGE.height - PAGE.bottom) this.startPage();
  }

  box(place: Place & { readonly height: number }, fill: string, radius = 0): void {
    this.#doc.roundedRect(place.x, place.y, place.width, place.height, radius).fill(fill);
  }

  frame(place: Place & { readonly height: number }, color: string, radius = 0): void {
    this.#doc.roundedRect(place.x, place.y, place.width, place.height, radius).lineWidth(0.8).stroke(color);
  }

  rule(y: number, color: string, { x, width }: Pick<Place, 'x' | 'width'> = { x: this.left, width: this.width }): void {
    this.#doc
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.6)
      .stroke(color);
  }

  /** One line, in a smaller size where it would not fit. */
  line(
    text: string,
    { x, y, width }: Place,
    { size = 9.5, bold = false, color = INK.text, align = 'left' }: TextStyle = {},
  ): void {
    const printed = this.fonts.printed(text);
    this.#doc
      .font(bold ? this.#bold : this.#regular)
      .fontSize(size)
      .fillColor(color);
    const natural = this.#doc.widthOfString(printed);
    const fitting = natural <= width ? size : Math.max(SMALLEST_SIZE, (size * width) / natural);
    if (fitting !== size) this.#doc.fontSize(fitting);
    const start = align === 'left' ? x : x + width - Math.min(width, natural);
    this.#doc.text(printed, start, y + (size - fitting), { lineBreak: false });
  }

  /** A text over as many lines as it takes; returns its height. */
  paragraph(
    text: string,
    { x, y, width }: Place,
    { size = 8.5, bold = false, color = INK.text }: TextStyle = {},
  ): number {
    const printed = this.fonts.printed(text);
    this.#doc
      .font(bold ? this.#bold : this.#regular)
      .fontSize(size)
      .fillColor(color);
    this.#doc.text(printed, x, y, { width, lineGap: 1.5 });
    return this.#doc.y - y;
  }

  /** Height that `paragraph` would take. */
  heightOf(text: string, width: number, { size = 8.5, bold = false }: TextStyle = {}): number {
    this.#doc.font(bold ? this.#bold : this.#regular).fontSize(size);
    return this.#doc.heightOfString(this.fonts.printed(text), { width, lineGap: 1.5 });
  }

  /** Squares of a grid, `isDark` ones in black on white. */
  squares({ x, y, width }: Place, count: number, isDark: (column: number, row: number) => boolean): void {
    const side = width / count;
    this.#doc.rect(x, y, width, width).fill('#ffffff');
    for (let row = 0; row < count; row += 1) {
      for (let column = 0; column < count; column += 1) {
        let run = 0;
        while (column + run < count && isDark(column + run, row)) run += 1;
        if (run > 0) this.#doc.rect(x + column * side, y + row * side, run * side, side);
        column += run;
      }
    }
    this.#doc.fill('#000000');
  }

  link({ x, y, width }: Place, height: number, url: string): void {
    this.#doc.link(x, y, width, height, url);
  }

  /** Ends the document. `foot` says what stands below each page. */
  finish(foot: (page: number, pages: number) => readonly [left: string, right: string]): Promise<Buffer> {
    const { count } = this.#doc.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.#doc.switchToPage(page);
      const [left, right] = foot(page + 1, count);
      const y = PAGE.height - 38;
      this.rule(y - 8, INK.line);
      this.line(left, { x: this.left, y, width: this.width * 0.75 }, { size: 7.5, color: INK.dim });
      this.line(
        right,
        { x: this.left + this.width * 0.75, y, width: this.width * 0.25 },
        { size: 7.5, color: INK.dim, align: 'right' },
      );
    }
    this.#doc.end();
    return this.#bytes;
  }
}
