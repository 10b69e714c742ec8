import { simpleParser } from 'mailparser';
import { flowedText } from './flowed-text.js';
import { textPart } from './mime-part.js';

/** By a reader that shares no code with the writer. */
async function readBack(text: string): Promise<string> {
  const { raw } = textPart('text/plain; format=flowed', flowedText(text));
  return ((await simpleParser(Buffer.concat([Buffer.from('MIME-Version: 1.0\r\n'), raw]))).text ?? '').replace(
    /\n$/,
    '',
  );
}

describe('A text that flows', () => {
  const prose = 'Por su seguridad no está permitido transportar explosivos, gases comprimidos, líquidos ni sólidos. ';

  it.each([
    ['long lines', `${prose.repeat(5).trimEnd()}\n\nend`],
    ['an indent', `  Salida: ${prose.trimEnd()}`],
    ['two spaces where a line is wrapped', `${'x'.repeat(70)}  ${'y'.repeat(40)} z`],
    ['a link without a space', `see https://example.com/${'a'.repeat(120)} for more`],
    ['nothing to break', '飛'.repeat(100)],
    ['lines like a quotation, a mailbox and an indent', '> no\nFrom here\n   there\n>\n'.trimEnd()],
    ['a signature’s dashes', 'end\n--\nfoot'],
    ['emoji', `${'👩‍✈️ Amelia '.repeat(12)}end`],
  ])('is read back as it was: %s', async (_what, text) => {
    expect(await readBack(text)).toBe(text);
  });

  it('has no line too long for a narrow window, other than what cannot be wrapped', () => {
    const lines = flowedText(`${prose.repeat(9)}\n  ${prose}`).split('\n');
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(78);
    expect(flowedText('short')).toBe('short');
  });

  it('joins no line with the one below by a space that stood at its end', async () => {
    expect(await readBack('one \ntwo')).toBe('one\ntwo');
  });
});
