import { checkMessageText, checkUsername, nameKey } from './room-rules.js';

describe('a name', () => {
  it.each([
    ['ana'],
    ['Zoë'],
    ['李明'],
    ['🦊'],
    ['👍🏽'],
    ['สมชาย'],
    ['<b>'],
    ['x'.repeat(32)],
    ['🦊'.repeat(32)],
    ['e\u0301'.repeat(32)],
  ])('%s is one', (name) => {
    expect(checkUsername(name)).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['33 characters', 'x'.repeat(33)],
    ['33 characters of two code units', '🦊'.repeat(33)],
    ['a space', 'a b'],
    ['a no-break space', 'a\u00a0b'],
    ['a line break', 'a\nb'],
    ['an escape', '\x1b[2J'],
    ['a C1 control', 'a\x9bb'],
    ['a zero-width space', 'ana\u200b'],
    ['a zero-width joiner', 'an\u200da'],
    ['a direction override', 'ana\u202e'],
    ['a Hangul filler', '\u3164'],
    ['an empty Braille pattern', '\u2800'],
    ['half of a character', '\ud83e'],
    ['no letter before its mark', '\u0301a'],
    ['a pile of marks', `a${'\u0301'.repeat(5)}`],
    ['a private character', '\ue000'],
  ])('with %s is refused', (_what, name) => {
    expect(checkUsername(name)).toEqual(expect.stringMatching(/^(is needed|must)/));
  });

  it('is the same in upper and lower case and in wide letters', () => {
    expect(new Set(['Ana', 'ANA', 'ａｎａ'].map(nameKey)).size).toBe(1);
    expect(nameKey('ana')).not.toBe(nameKey('anna'));
  });
});

describe('the text of a message', () => {
  it.each([['hi'], ['x'.repeat(4_000)], ['🦊'.repeat(4_000)], ['👩‍👩‍👧 नमस्ते']])('may be %#', (text) => {
    expect(checkMessageText(text)).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['blank', '   '],
    ['4,001 characters long', 'x'.repeat(4_001)],
    ['4,001 characters of two code units long', '🦊'.repeat(4_001)],
    ['two lines', 'a\nb'],
    ['two lines by a separator', 'a\u2028b'],
    ['an escape sequence', '\x1b]0;owned\x07'],
    ['a C1 control', '\x9b2J'],
    ['turned round', 'a\u202egpj.exe'],
    ['broken Unicode', 'a\ud800'],
  ])('must not be %s', (_what, text) => {
    expect(checkMessageText(text)).toEqual(expect.stringMatching(/^must/));
  });
});
