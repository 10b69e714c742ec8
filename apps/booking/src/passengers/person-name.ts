/** Longest given or family name, in characters (code points). */
export const NAME_LENGTH = 60;

/** C0, C1 and line separators: would break lines in a mail's header, a ticket or a log. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
/** Embeddings, overrides and isolates: would make text around the name read differently. */
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/u;

/** Letters that NFKD does not take apart, as ICAO Doc 9303 part 3 (section 6) and airlines spell them. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'SS',
  ẞ: 'SS',
  Æ: 'AE',
  Ǽ: 'AE',
  Œ: 'OE',
  Ø: 'OE',
  Ǿ: 'OE',
  Þ: 'TH',
  Ð: 'D',
  Đ: 'D',
  Ɖ: 'D',
  Ɗ: 'D',
  Ł: 'L',
  Ħ: 'H',
  Ŧ: 'T',
  Ŋ: 'N',
  Ɲ: 'N',
  ĸ: 'K',
  Ƙ: 'K',
  ı: 'I',
  Ə: 'E',
  Ɛ: 'E',
  Ɔ: 'O',
  Ɓ: 'B',
  Ƴ: 'Y',
};

/**
 * The letters A–Z that a ticket has for a name: accents off, special letters spelt out, all else left out. Undefined
 * when the name has a letter that this does not spell (汉, Ж) or none at all: then nobody but the traveller knows how
 * the passport's machine-readable zone spells it.
 */
export function ticketLetters(name: string): string | undefined {
  let letters = '';
  for (const character of name.normalize('NFC')) {
    const spelt = spell(character);
    if (spelt === undefined) return undefined;
    letters += spelt;
  }
  return letters === '' ? undefined : letters;
}

/** Undefined for a letter without a spelling; empty for what is no letter. */
function spell(character: string): string | undefined {
  const known = SPELLINGS[character] ?? SPELLINGS[character.toUpperCase()];
  if (known !== undefined) return known;
  const taken = character.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase();
  let letters = '';
  for (const part of taken) {
    if (/[A-Z]/.test(part)) letters += part;
    else if (SPELLINGS[part] !== undefined) letters += SPELLINGS[part];
    // Modifier letters (the Hawaiian ʻokina) are apostrophes on tickets; other letters have no spelling here.
    else if (/\p{L}/u.test(part) && !/\p{Lm}/u.test(part)) return undefined;
  }
  return letters;
}

/** What is wrong with a name as typed, completing "this field …"; undefined when it is good. Never repeats it. */
export function nameProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'has to be text';
  const { length } = [...value];
  if (length === 0 || length > NAME_LENGTH) return `has to have 1 to ${NAME_LENGTH} characters`;
  if (/\p{Cs}/u.test(value)) return 'holds half a character';
  // The replacement character: the client sent another encoding than UTF-8, and a ticket without the letter is no good.
  if (value.includes('\uFFFD')) return 'holds a letter that was lost on its way: it has to be sent as UTF-8';
  if (CONTROLS.test(value)) return 'must not hold line breaks or other control characters';
  if (BIDI_CONTROLS.test(value)) return 'must not hold characters that change the direction of writing';
  if (ticketLetters(value) === undefined) {
    return 'has to be written with Latin letters, as in the machine-readable zone of the passport';
  }
  return undefined;
}

/** `SURNAME/GIVENNAMES TITLE` of names that {@link nameProblem} found good. */
export function ticketName(person: {
  readonly title: string;
  readonly givenName: string;
  readonly familyName: string;
}): string {
  const [family, given] = [ticketLetters(person.familyName), ticketLetters(person.givenName)];
  if (family === undefined || given === undefined) throw new RangeError('A name has no ticket spelling');
  return `${family}/${given} ${person.title.toUpperCase()}`;
}
