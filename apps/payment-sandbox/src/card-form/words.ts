import { readFileSync } from 'node:fs';

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Beside `src` and `dist` alike. */
const WORDS = new URL('../../views/words/', import.meta.url);

/** The form's texts, read once. */
export const TEXTS = Object.fromEntries(
  LANGUAGES.map((language) => [
    language,
    JSON.parse(readFileSync(new URL(`${language}.json`, WORDS), 'utf8')) as Readonly<Record<string, string>>,
  ]),
) as Readonly<Record<Language, Readonly<Record<string, string>>>>;

export function languageOf(tag: unknown): Language {
  return LANGUAGES.find((language) => language === tag) ?? 'en';
}
