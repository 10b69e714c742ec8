/** RFC 5545 §3.1: a content line has at most so many bytes without its line break. */
const LINE_BYTES = 75;

/** A property whose value is text: commas, semicolons, backslashes and line breaks escaped (§3.3.11). */
export function textLine(name: string, value: string): string {
  return contentLine(name, value.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n'));
}

/** An instant, in UTC (§3.3.5, form 2). */
export function instantLine(name: string, at: Date): string {
  return contentLine(name, at.toISOString().replace(/[-:]|\.\d{3}/g, ''));
}

/**
 * A property with a value that is no text (an address, a number, a word), folded. Packages at hand encode every
 * character alone to count its bytes, and take as long for one calendar as the whole HTML of the mail does.
 */
export function contentLine(name: string, value: string | number): string {
  const line = `${name}:${value}`;
  if (Buffer.byteLength(line) <= LINE_BYTES) return line;
  const folded: string[] = [];
  let rest = Buffer.from(line);
  while (rest.length > 0) {
    // A continuation begins with a space, which counts.
    const most = folded.length === 0 ? LINE_BYTES : LINE_BYTES - 1;
    let end = Math.min(most, rest.length);
    while (end < rest.length && isInsideCharacter(rest[end])) end -= 1;
    folded.push(rest.toString('utf8', 0, end));
    rest = rest.subarray(end);
  }
  return folded.join('\r\n ');
}

/** UTF-8 bytes after the first of a character are 10xxxxxx. */
function isInsideCharacter(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
