/** RFC 3676 §4.2: a line is to be no longer than 78 characters; those that are wrapped leave room to be quoted. */
const LONGEST_LINE = 78;
const WRAPPED_LINE = 72;

/**
 * A text for `format=flowed` (RFC 3676): long lines are wrapped for readers that show them as they come, and a space at
 * the end of a line tells the others to join it with the next and to wrap for their own width. Read back, it is the text.
 */
export function flowedText(text: string): string {
  return text.split('\n').flatMap(flowedLines).join('\n');
}

function flowedLines(line: string): readonly string[] {
  // What ends in a space here would be joined with the line below.
  let rest = line.trimEnd();
  const lines: string[] = [];
  while (rest.length > LONGEST_LINE) {
    const end = breakIn(rest);
    if (end === rest.length) break;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  lines.push(rest);
  return lines.map(stuffed);
}

/** Behind the last space that fits, else behind the first: a link is not cut. */
function breakIn(line: string): number {
  const indent = /^ */.exec(line)?.[0].length ?? 0;
  const last = line.lastIndexOf(' ', WRAPPED_LINE - 1);
  const at = last > indent ? last : line.indexOf(' ', Math.max(indent, WRAPPED_LINE));
  return at < 0 ? line.length : at + 1;
}

/** §4.4: the space is taken off again, so that no line is taken for a quotation or for the start of another mail. */
function stuffed(line: string): string {
  return /^(?: |>|From )/.test(line) ? ` ${line}` : line;
}
