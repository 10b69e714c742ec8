/** Windows code page 1252 beyond Latin-1: what PDF's built-in fonts can print (ISO 32000-1 annex D.2, WinAnsiEncoding). */
const WIN_ANSI_EXTRAS = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

/** Whether the built-in fonts print the text as it is; pdfkit prints other letters as other ones, without a word. */
export function isWinAnsi(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isLatin1 = (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff);
    if (!isLatin1 && !WIN_ANSI_EXTRAS.has(character)) return false;
  }
  return true;
}

const RIGHT_TO_LEFT_WORD = /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u;

/**
 * The words in the order in which they stand on a left-to-right line. Inside a word the font's shaping puts
 * right-to-left letters in order; where several such words follow each other, the first stands rightmost.
 */
export function inVisualOrder(text: string): string {
  if (!/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(text)) return text;
  const line: string[] = [];
  let startOfRun = 0;
  for (const word of text.split(' ')) {
    if (RIGHT_TO_LEFT_WORD.test(word)) {
      line.splice(startOfRun, 0, word);
    } else {
      line.push(word);
      startOfRun = line.length;
    }
  }
  return line.join(' ');
}

/** Every string in a value, however deep. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (value !== null && typeof value === 'object') for (const item of Object.values(value)) yield* textsIn(item);
}
