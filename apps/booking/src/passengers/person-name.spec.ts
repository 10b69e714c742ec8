import fc from 'fast-check';
import { nameProblem, ticketName } from './person-name.js';

const onTicket = (familyName: string, givenName: string, title = 'ms') => ticketName({ familyName, givenName, title });

describe('A ticket name', () => {
  it.each([
    ['Fernández Ortiz', 'Lucía', 'FERNANDEZORTIZ/LUCIA MS'],
    ["O'Brien-Łukasik", 'Zoë', 'OBRIENLUKASIK/ZOE MS'],
    ['Đặng', 'Thị Hương', 'DANG/THIHUONG MS'],
    ['Ægisson', 'Þór', 'AEGISSON/THOR MS'],
    ['Groß', 'Jürgen', 'GROSS/JURGEN MS'],
    ['Øström', 'Bjørn', 'OESTROM/BJOERN MS'],
    ['Kaʻahumanu', 'Œuvre', 'KAAHUMANU/OEUVRE MS'],
    ['Yılmaz', 'İpek', 'YILMAZ/IPEK MS'],
    ['Əliyev', 'Ħamid', 'ELIYEV/HAMID MS'],
    ['Silva', 'A', 'SILVA/A MS'],
    ['e\u0301toile', 'Zoe\u0308', 'ETOILE/ZOE MS'],
    ['<a href="//evil.test">x</a>', 'Zoë O\'Brien & "Q"', 'AHREFEVILTESTXA/ZOEOBRIENQ MS'],
  ])('of %s, %s is %s', (family, given, expected) => expect(onTicket(family, given)).toBe(expected));

  it('has A to Z alone, whatever the name', () => {
    // Latin letters with and without marks, marks of their own, punctuation, a few pictures.
    const character = fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0x41, max: 0x24f }).map((code) => String.fromCodePoint(code)) },
      { weight: 1, arbitrary: fc.integer({ min: 0x1e00, max: 0x1eff }).map((code) => String.fromCodePoint(code)) },
      { weight: 1, arbitrary: fc.constantFrom('\u0301', '\u0327', "'", '’', '-', ' ', '.', '🌸', '&', 'ʻ') },
    );
    const name = fc
      .array(character, { minLength: 1, maxLength: 60 })
      .map((characters) => characters.join(''))
      .filter((text) => nameProblem(text) === undefined);
    fc.assert(
      fc.property(name, name, (family, given) => expect(onTicket(family, given)).toMatch(/^[A-Z]+\/[A-Z]+ MS$/)),
    );
  });
});

describe('A name', () => {
  it.each(['Zoë', "O'Brien", 'Jean-Luc', 'Dr. Smith, Jr.', 'a'.repeat(60), 'Ana 🌸', 'Zoë & <b>Q</b>'])(
    'may be %j',
    (name) => {
      expect(nameProblem(name)).toBeUndefined();
    },
  );

  it.each([
    ['CR', 'Ana\rBcc: x'],
    ['LF', 'Ana\nBcc: x'],
    ['NUL', 'Ana\0'],
    ['U+2028', 'Ana\u2028x'],
    ['U+2029', 'Ana\u2029x'],
    ['U+0085', 'Ana\u0085x'],
    ['DEL', 'Ana\u007f'],
    ['a tab', 'Ana\tx'],
    ['a right-to-left override', 'Ana\u202Ex'],
    ['an isolate', 'Ana\u2066x'],
    ['half a character', 'Ana\ud800'],
    ['a letter that came as Latin-1', Buffer.from('Fern\u00e1ndez', 'latin1').toString('utf8')],
    ['no letter', '🌸 123'],
    ['nothing', ''],
    ['blanks alone', '  '],
    ['61 characters', 'a'.repeat(61)],
    ['letters without a spelling', '佐藤'],
    ['some letters without a spelling', 'Anna 佐藤'],
    ['Cyrillic letters', 'Иван'],
    ['a number', 7],
    ['null', null],
    ['a list', ['Ana']],
  ])('with %s is refused', (_what, name) => {
    const problem = nameProblem(name);
    expect(problem).toBeDefined();
    if (typeof name === 'string' && name.length > 2) expect(problem).not.toContain(name);
  });

  it('has as many characters as people count, not as UTF-16 does', () => {
    expect(nameProblem('a'.repeat(59) + '𝒜')).toBeUndefined();
  });
});
