import { printable, printableName } from './printable.js';

describe('others’ text', () => {
  it.each([
    ['\x1b[2J', '�[2J'],
    ['\x1b]0;title\x07', '�]0;title�'],
    ['\x9b31m', '�31m'],
    ['a\r\nb', 'a��b'],
    ['a\bb\x7f', 'a�b�'],
    ['a\u202egpj', 'a�gpj'],
    ['a\u2028b', 'a�b'],
    ['\ud800', '�'],
    ['👩‍👩‍👧 नमस्ते, Zoë', '👩‍👩‍👧 नमस्ते, Zoë'],
  ])('%j is shown as %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('of a name is one word', () => {
    expect(printableName('a b\u00a0c\x1b')).toBe('a_b_c�');
    expect(printableName('x'.repeat(1_000))).toHaveLength(200);
  });
});
