import { readdirSync, readFileSync } from 'node:fs';
import { RECEIPT_LANGUAGES, receiptLocale } from './receipt-language.js';
import { ReceiptWords } from './receipt-words.js';
import { TEMPLATES } from './templates-folder.js';

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe('The words of a receipt', () => {
  const english = new ReceiptWords('en');

  it('has a file for each language and no other', () => {
    const files = readdirSync(new URL('words/', TEMPLATES)).map((file) => file.replace(/\.json$/, ''));
    expect(files.sort()).toEqual([...RECEIPT_LANGUAGES].sort());
  });

  it.each(RECEIPT_LANGUAGES)('are complete in %s, with the same placeholders', (language) => {
    const words = new ReceiptWords(language);
    expect([...words.keys].sort()).toEqual([...english.keys].sort());
    const texts = JSON.parse(readFileSync(new URL(`words/${language}.json`, TEMPLATES), 'utf8')) as Record<
      string,
      string
    >;
    const englishTexts = JSON.parse(readFileSync(new URL('words/en.json', TEMPLATES), 'utf8')) as Record<
      string,
      string
    >;
    for (const [key, text] of Object.entries(texts)) {
      expect([key, placeholders(text)]).toEqual([key, placeholders(englishTexts[key] ?? '')]);
      expect(text.trim()).not.toBe('');
    }
  });

  it('names the key or the placeholder that is missing', () => {
    expect(() => english.text('toString')).toThrow('en.json has no "toString"');
    expect(() => english.text('terminal')).toThrow('"terminal" of templates/words/en.json needs "terminal"');
  });

  it('stand in templates that no language would turn round: none names a side', () => {
    const templates = readdirSync(TEMPLATES, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.hbs'),
    );
    expect(templates.length).toBeGreaterThan(8);
    for (const file of templates) {
      const text = readFileSync(new URL(file, TEMPLATES), 'utf8');
      // Both sides alike are no side.
      const sides = text
        .replace(/padding-left:18px!important;padding-right:18px!important/g, '')
        .match(/\b(left|right|ltr|rtl)\b/g);
      expect([file, sides]).toEqual([file, null]);
    }
  });

  it('takes a value with braces in it as it is', () => {
    expect(english.text('terminal', { terminal: '{kg}' })).toBe('Terminal {kg}');
  });

  it.each([
    ['es-ES', 'es', 'es-ES'],
    ['es', 'es', 'es-ES'],
    ['es-MX', 'es', 'es-MX'],
    ['en-US', 'en', 'en-US'],
    ['en-Latn-IN', 'en', 'en-IN'],
    ['EN', 'en', 'en-GB'],
    ['en-ZZ', 'en', 'en-GB'],
    ['ca-ES', 'en', 'en-GB'],
    ['ja-JP', 'en', 'en-GB'],
    ['ar-KW', 'en', 'en-GB'],
  ])('for a traveller’s locale %s are those of %s, printed as in %s', (locale, language, format) => {
    expect(receiptLocale(locale)).toEqual({ language, format, direction: 'ltr' });
  });
});
