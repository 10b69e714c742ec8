/** The languages that words exist for, `templates/words/<language>.json`. The first is the one others fall back to. */
export const RECEIPT_LANGUAGES = ['en', 'es'] as const;
export type ReceiptLanguage = (typeof RECEIPT_LANGUAGES)[number];

/** Which way a language is written. */
const DIRECTIONS: Readonly<Record<ReceiptLanguage, 'ltr' | 'rtl'>> = { en: 'ltr', es: 'ltr' };

/** In which words and in which formats a receipt is written. */
export interface ReceiptLocale {
  readonly language: ReceiptLanguage;
  readonly direction: 'ltr' | 'rtl';
  /** BCP 47, for Intl and for the mail's `lang` and Content-Language. One of a fixed set, so that output is repeatable. */
  readonly format: string;
}

/** Regions whose dates or grouping differ from the language's default. */
const FORMATS: Readonly<Record<ReceiptLanguage, readonly [fallback: string, ...others: string[]]>> = {
  en: ['en-GB', 'en-US', 'en-CA', 'en-AU', 'en-NZ', 'en-IE', 'en-IN'],
  es: ['es-ES', 'es-MX', 'es-AR', 'es-CO', 'es-CL', 'es-PE', 'es-US'],
};

/** The words and formats for a traveller's locale (BCP 47). A language without words is served in English as a whole. */
export function receiptLocale(locale: string): ReceiptLocale {
  const [language, ...subtags] = locale.split('-');
  const known = RECEIPT_LANGUAGES.find((candidate) => candidate === language?.toLowerCase()) ?? RECEIPT_LANGUAGES[0];
  const region = subtags.find((subtag) => /^[A-Za-z]{2}$/.test(subtag))?.toUpperCase();
  const [fallback, ...others] = FORMATS[known];
  return {
    language: known,
    direction: DIRECTIONS[known],
    format: others.find((format) => format === `${language?.toLowerCase()}-${region}`) ?? fallback,
  };
}
