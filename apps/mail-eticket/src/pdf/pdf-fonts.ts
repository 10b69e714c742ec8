import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create } from 'fontkit';
import type { Font, GlyphRun } from 'fontkit';
import { inVisualOrder, isWinAnsi } from './pdf-text.js';

const requireFromHere = createRequire(import.meta.url);

/** A pair of fonts, and what they can print. */
export interface PdfFonts {
  /** What pdfkit takes for a font: a built-in one's name, or an opened file. */
  readonly regular: string | Font;
  readonly bold: string | Font;
  readonly isEmbedded: boolean;
  /** Whether every letter of the text is in the fonts. */
  prints(this: void, text: string): boolean;
  /** The text ready for printing: in visual order, and a question mark for what the fonts do not have. */
  printed(this: void, text: string): string;
}

const BUILT_IN: PdfFonts = {
  regular: 'Helvetica',
  bold: 'Helvetica-Bold',
  isEmbedded: false,
  prints: isWinAnsi,
  printed: (text) => text,
};

/**
 * pdfkit unpacks all kerning pairs of a built-in font for each document that uses it, which is half of the time that a
 * receipt takes. It reads them from these modules; without the pairs letters stand apart as the font alone says.
 */
for (const name of ['Helvetica', 'HelveticaBold']) {
  const data = requireFromHere(`pdfkit/standard-fonts/${name}`) as { kernPairs: unknown };
  data.kernPairs = [];
}

let embedded: PdfFonts | undefined;

/**
 * Built-in fonts where they can print all the texts: they cost nothing and every viewer has them. Else DejaVu Sans:
 * Latin, Greek, Cyrillic, Armenian, Georgian, Arabic and Hebrew.
 */
export function fontsFor(texts: Iterable<string>): PdfFonts {
  for (const text of texts) if (!isWinAnsi(text)) return (embedded ??= openEmbedded());
  return BUILT_IN;
}

/** Opened once a process: to read the tables takes longer than to set a receipt. */
function openEmbedded(): PdfFonts {
  const [regular, bold] = [fontOf('DejaVuSans'), fontOf('DejaVuSans-Bold')];
  const has = (character: string): boolean => regular.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
  return {
    regular,
    bold,
    isEmbedded: true,
    prints: (text) => [...text].every(has),
    printed: (text) => inVisualOrder([...text].map((character) => (has(character) ? character : '?')).join('')),
  };
}

function fontOf(name: string): Font {
  const file = requireFromHere.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);
  const font = create(readFileSync(file));
  if (!('hasGlyphForCodePoint' in font)) throw new TypeError(`${file} is a collection of fonts, not one`);
  return rememberingWords(font);
}

/** About 2 MB of words that were laid out. */
const MOST_WORDS = 4_000;

/**
 * The font, with its layouts of words kept: labels and notices are the same in every receipt, and to apply an
 * OpenType font's rules to them takes most of the time.
 */
function rememberingWords(font: Font): Font {
  const known = new Map<string, GlyphRun>();
  const layout: Font['layout'] = (word, ...rules) => {
    if (rules.some((rule) => rule !== undefined)) return font.layout(word, ...rules);
    let run = known.get(word);
    if (!run) {
      if (known.size >= MOST_WORDS) known.clear();
      run = font.layout(word);
      known.set(word, run);
    }
    // pdfkit scales the positions that it is given, in place.
    const positions = run.positions.map((position) => ({ ...position }));
    return Object.create(run, { positions: { value: positions } }) as GlyphRun;
  };
  return Object.create(font, { layout: { value: layout } }) as Font;
}
