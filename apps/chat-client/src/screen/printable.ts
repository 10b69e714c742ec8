/**
 * What must not reach a terminal from others: C0 and C1 controls with the escape character among them, which move the
 * cursor, change titles or answer in the reader's name; line and paragraph separators; bidirectional controls, which
 * turn the text that follows; and halves of characters.
 */
const HARMFUL = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

// #region printable
/** Others' text with every harmful character made visible as �. Servers refuse such text, but topics take anything. */
export function printable(text: string): string {
  return text.replace(HARMFUL, '\ufffd');
}

/** Others' names: one word, so that a line can be told apart where names stand before texts. */
export function printableName(name: string): string {
  return printable(name).replace(/\s/gu, '_').slice(0, LONGEST_NAME);
}
// #endregion

const LONGEST_NAME = 200;
