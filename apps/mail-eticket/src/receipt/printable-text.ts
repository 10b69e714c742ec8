/** Line ends of every kind: CR, LF, vertical tab, form feed, NEL and Unicode's own two. */
// eslint-disable-next-line no-control-regex
const LINE_BREAKS = /[\r\n\u000b\u000c\u0085\u2028\u2029]+/g;

/** What remains of C0 and C1, and the characters that turn the direction of the text after them. */
// eslint-disable-next-line no-control-regex
const INVISIBLE_CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The same value with every string in it on one line and free of control characters (pitfall P14). The API refuses
 * such input; a worker that trusted that would let one mistake there write mail headers here. Left-to-right and
 * right-to-left marks stay, names in Arabic and Hebrew need them.
 */
export function printable<T>(value: T): T {
  if (typeof value === 'string') return onOneLine(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => printable(item)) as T;
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]: [string, unknown]) => [name, printable(item)]),
    ) as T;
  }
  return value;
}

function onOneLine(text: string): string {
  return text.replace(LINE_BREAKS, ' ').replace(INVISIBLE_CONTROLS, '');
}
