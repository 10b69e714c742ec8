import { readdirSync, readFileSync } from 'node:fs';
import type { BookingSnapshot } from '@eticket/contracts';
import Handlebars from 'handlebars';
import { receiptLocale } from './receipt-language.js';
import type { ReceiptLanguage } from './receipt-language.js';
import { receiptView } from './receipt-view.js';
import type { ReceiptView } from './receipt-view.js';
import { receiptWords } from './receipt-words.js';
import type { ReceiptWords } from './receipt-words.js';
import { TEMPLATES } from './templates-folder.js';

/** An e-ticket as it is read: subject, text and HTML say the same. */
export interface RenderedReceipt {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** BCP 47, for Content-Language. */
  readonly language: string;
}

interface Renderer {
  readonly words: ReceiptWords;
  readonly html: (view: ReceiptView) => string;
  readonly text: (view: ReceiptView) => string;
}

const renderers = new Map<ReceiptLanguage, Renderer>();

/**
 * Renders the receipt of a booking, of which every text must be `printable`. A pure function of the booking: the same text in every process, so that a mail
 * sent a second time is the same mail.
 */
export function renderReceipt(booking: BookingSnapshot): RenderedReceipt {
  const locale = receiptLocale(booking.locale);
  const renderer = rendererOf(locale.language);
  const view = receiptView(booking, locale, renderer.words);
  return { subject: view.subject, text: renderer.text(view), html: renderer.html(view), language: locale.format };
}

function rendererOf(language: ReceiptLanguage): Renderer {
  const known = renderers.get(language);
  if (known) return known;
  const renderer = compile(language);
  renderers.set(language, renderer);
  return renderer;
}

/** One Handlebars environment a language, since its `t` helper speaks that language. */
function compile(language: ReceiptLanguage): Renderer {
  const words = receiptWords(language);
  const handlebars = Handlebars.create();
  handlebars.registerHelper('t', (key: string, options: Handlebars.HelperOptions) =>
    words.text(key, options.hash as Record<string, string>),
  );
  const partials = new URL('partials/', TEMPLATES);
  for (const file of readdirSync(partials)) {
    handlebars.registerPartial(file.replace(/\.hbs$/, ''), readFileSync(new URL(file, partials), 'utf8'));
  }
  const template = (file: string, escape: boolean) =>
    handlebars.compile<ReceiptView>(readFileSync(new URL(file, TEMPLATES), 'utf8'), {
      strict: true,
      noEscape: !escape,
    });
  return { words, html: template('eticket.html.hbs', true), text: template('eticket.txt.hbs', false) };
}
