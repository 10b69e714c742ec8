/** Visible characters of a name, as a reader counts them. */
export const NAME_MAX = 32;
/** Characters (code points) of one message. */
export const TEXT_MAX = 4_000;

/** A character may be several code points: a letter and its marks. More marks than any script needs hide other lines. */
const MARKS_MAX = 4;
/** Controls, what has no glyph or no code point of its own, and spaces: nothing of it can be seen. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const MARK_PILE = new RegExp(`\\p{M}{${MARKS_MAX + 1},}`, 'u');
/**
 * What moves the cursor, breaks the line or turns the direction of what follows: C0, C1 and DEL, line and paragraph
 * separators, bidirectional controls (UAX #9), and halves of characters.
 */
const CONTROL = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What is wrong with a name, completing "the name …"; undefined when nothing is. The name is in NFC. */
export function checkUsername(name: string): string | undefined {
  if (name === '') return 'is needed';
  if (name.length > NAME_MAX * (1 + MARKS_MAX) * 2) return TOO_LONG;
  if (INVISIBLE.test(name)) return 'must have visible characters only: no spaces, no control characters';
  if (/^\p{M}/u.test(name)) return 'must not begin with a combining mark';
  if (MARK_PILE.test(name)) return `must not have more than ${MARKS_MAX} marks on one character`;
  return [...graphemes.segment(name)].length > NAME_MAX ? TOO_LONG : undefined;
}

const TOO_LONG = `must have at most ${NAME_MAX} characters`;

/** What is wrong with the text of a message, completing "the message …"; undefined when nothing is. */
export function checkMessageText(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > TEXT_MAX * 2 || [...text].length > TEXT_MAX) return `must have at most ${TEXT_MAX} characters`;
  return CONTROL.test(text) ? 'must not have control characters; line breaks and tabs are some' : undefined;
}

/** Two names with one key are the same name: `Ana`, `ana` and the full-width `ａｎａ`. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
