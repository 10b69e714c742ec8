import { readFileSync } from 'node:fs';
import type { ReceiptLanguage } from './receipt-language.js';
import { TEMPLATES } from './templates-folder.js';

/** The words of one language, from `templates/words/<language>.json`; a spec keeps the files complete. */
export class ReceiptWords {
  readonly #texts: Readonly<Record<string, string>>;

  constructor(readonly language: ReceiptLanguage) {
    this.#texts = JSON.parse(readFileSync(new URL(`words/${language}.json`, TEMPLATES), 'utf8')) as Record<
      string,
      string
    >;
  }

  get keys(): readonly string[] {
    return Object.keys(this.#texts);
  }

  /**
   * The text with its `{placeholders}` filled in. Plain text: whoever prints it into HTML escapes it as a whole.
   * @throws RangeError where the key, or a value for a placeholder, is missing.
   */
  text(key: string, values: Readonly<Record<string, string>> = {}): string {
    const text = Object.hasOwn(this.#texts, key) ? this.#texts[key] : undefined;
    if (text === undefined) throw new RangeError(`templates/words/${this.language}.json has no "${key}"`);
    return text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined)
        throw new RangeError(`"${key}" of templates/words/${this.language}.json needs "${name}"`);
      return value;
    });
  }
}

const known = new Map<ReceiptLanguage, ReceiptWords>();

/** The words of a language, read once. */
export function receiptWords(language: ReceiptLanguage): ReceiptWords {
  let words = known.get(language);
  if (!words) {
    words = new ReceiptWords(language);
    known.set(language, words);
  }
  return words;
}

export function forgetWords(): void {
  known.clear();
}
