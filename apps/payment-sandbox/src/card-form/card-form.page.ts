import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { CARD_FIELDS, type CardErrors, type CardField, type TypedCard } from '../cards/read-card.js';
import { TEST_CARDS, type KeptCard, type TestCard } from '../cards/test-cards.js';
import { TEXTS, type Language } from './words.js';

const VIEWS = new URL('../../views/', import.meta.url);
const PAGES = ['about', 'form', 'message', 'saved'] as const;
type Page = (typeof PAGES)[number];

const BRAND_NAMES = { visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express' } as const;
const FIELD_DETAILS: Readonly<Record<CardField, object>> = {
  number: { autocomplete: 'cc-number', maxlength: 24 },
  expiry: { autocomplete: 'cc-exp', maxlength: 7 },
  cvc: { autocomplete: 'cc-csc', maxlength: 4 },
};

/** Origins of the pages that may frame the form. */
export class MerchantOrigins {
  constructor(readonly all: readonly string[]) {}
}

export interface FormRequest {
  /** What the card will be known by. */
  readonly token: string;
  readonly language: Language;
}

/** HTML of the card form, from templates that are read once; everything is escaped but the page's own content. */
@Injectable()
export class CardFormPage {
  private readonly handlebars = Handlebars.create();
  private readonly layout = this.template('layout');
  private readonly pages = new Map(PAGES.map((name) => [name, this.template(name)]));

  constructor(private readonly merchants: MerchantOrigins) {}

  /** Of what was typed all comes back but the security code, which is not sent more often than it must. */
  form({ token, language }: FormRequest, typed: TypedCard, errors: CardErrors): string {
    const t = TEXTS[language];
    const fields = CARD_FIELDS.map((id) => {
      const [code, hint] = [errors.get(id), t[`${id}Hint`]];
      const error = code && t[`error.${code}`];
      const describedBy = [...(hint === undefined ? [] : [`${id}-hint`]), ...(error ? [`${id}-error`] : [])].join(' ');
      const value = id === 'cvc' ? '' : typed[id];
      return { id, label: t[id], value, hint, error, describedBy, ...FIELD_DETAILS[id] };
    });
    const wrong = fields.filter(({ error }) => error !== undefined);
    return this.page('form', wrong.length > 0 ? 'wrong' : 'empty', language, {
      token,
      fields,
      errors: wrong,
      cards: testCards(language),
    });
  }

  saved({ token, language }: FormRequest, { brand, last4 }: KeptCard): string {
    const saved = (TEXTS[language].saved ?? '').replace('{card}', BRAND_NAMES[brand]).replace('{last4}', last4);
    const another = `/card-form?${new URLSearchParams({ card: token, lang: language, another: '1' }).toString()}`;
    return this.page('saved', 'saved', language, { saved, another });
  }

  message(text: 'elsewhere' | 'unavailable', language: Language): string {
    return this.page('message', text, language, { text: TEXTS[language][text] });
  }

  about(language: Language): string {
    const content = this.pages.get('about')?.({ t: TEXTS[language], cards: testCards(language) });
    return this.layout({ title: 'Payment sandbox', lang: language, content });
  }

  private page(name: Page, state: string, language: Language, view: object): string {
    const known = { t: TEXTS[language], lang: language };
    const content = this.pages.get(name)?.({ ...known, ...view });
    const title = state === 'wrong' ? `${known.t.error ?? ''}: ${known.t.title ?? ''}` : known.t.title;
    return this.layout({ ...known, title, content, state, origins: this.merchants.all.join(' ') });
  }

  private template(name: string): HandlebarsTemplateDelegate<object> {
    return this.handlebars.compile<object>(readFileSync(new URL(`${name}.hbs`, VIEWS), 'utf8'));
  }
}

function testCards(language: Language): readonly object[] {
  const t = TEXTS[language];
  return TEST_CARDS.map((card) => {
    const [name, number] = [BRAND_NAMES[card.brand], grouped(card)];
    const cvc = card.brand === 'amex' ? '1234' : '123';
    return { ...card, name, number, cvc, outcome: t[`outcome.${card.outcome}`], fill: `${t.fill} ${number}` };
  });
}

function grouped({ number, brand }: TestCard): string {
  return number.replace(brand === 'amex' ? /^(.{4})(.{6})(.{5})$/ : /^(.{4})(.{4})(.{4})(.{4})$/, (...parts) =>
    parts
      .slice(1, -2)
      .filter((part) => typeof part === 'string')
      .join(' '),
  );
}
