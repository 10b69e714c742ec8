import { readdirSync, readFileSync } from 'node:fs';
import type { IssuingAgent } from '@eticket/contracts';
import Handlebars from 'handlebars';
import { flightReservations, jsonForScript } from '../markup/flight-reservations.js';
import type { MailOccasion } from './mail-occasion.js';
import { receiptLocale } from './receipt-language.js';
import type { ReceiptLanguage } from './receipt-language.js';
import { receiptView } from './receipt-view.js';
import type { ReceiptView } from './receipt-view.js';
import { forgetWords, receiptWords } from './receipt-words.js';
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

/** What the HTML has beside the words that all parts share. */
interface HtmlView extends ReceiptView {
  /** JSON-LD, ready for its script element. */
  readonly reservations: string;
  readonly manageQr: string;
}

interface Templates {
  readonly html: (view: HtmlView) => string;
  readonly text: (view: ReceiptView) => string;
}

interface Renderer {
  readonly words: ReceiptWords;
  readonly eticket: Templates;
  readonly cancelled: Templates;
}

const renderers = new Map<ReceiptLanguage, Renderer>();

/** Gmail cuts a mail's HTML off at about 102 KB, and adds some of its own first. */
export const MOST_HTML_BYTES = 80 * 1024;

/**
 * Renders the receipt of a booking, or word of its cancellation. A pure function of its argument: the same
 * text in every process, so that a mail sent a second time is the same mail.
 * @param manageQr Content-ID of the picture that the HTML shows: the manage-booking link as a QR code
 */
export function renderReceipt(occasion: MailOccasion, manageQr: string): RenderedReceipt {
  const locale = receiptLocale(occasion.booking.locale);
  const renderer = rendererOf(locale.language);
  const { html, text } = occasion.kind === 'cancelled' ? renderer.cancelled : renderer.eticket;
  const view = receiptView(occasion, locale, renderer.words);
  return {
    subject: view.subject,
    text: text(view),
    html: htmlWithin(MOST_HTML_BYTES, occasion, (reservations) => html({ ...view, reservations, manageQr })),
    language: locale.format,
  };
}

/** Of a very large booking the mark-up of the first passengers alone: mail programs can do without, readers cannot. */
function htmlWithin(mostBytes: number, occasion: MailOccasion, render: (reservations: string) => string): string {
  const { passengers } = occasion.booking;
  for (let count = passengers.length; count > 0; count = Math.floor(count / 2)) {
    const booking = { ...occasion.booking, passengers: passengers.slice(0, count) };
    const html = render(jsonForScript(flightReservations({ ...occasion, booking })));
    if (Buffer.byteLength(html) < mostBytes) return html;
  }
  return render('[]');
}

/** Reads templates and words again from here on: for a preview, that shows a change at once. */
export function forgetTemplates(): void {
  renderers.clear();
  forgetWords();
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
  handlebars.registerHelper('amounts', unbrokenAmounts);
  handlebars.registerHelper('contact', (key: string, agent: IssuingAgent) => withLinks(words, key, agent));
  const partials = new URL('partials/', TEMPLATES);
  for (const file of readdirSync(partials)) {
    handlebars.registerPartial(file.replace(/\.hbs$/, ''), readFileSync(new URL(file, partials), 'utf8'));
  }
  const template = <View>(file: string, escape: boolean) =>
    handlebars.compile<View>(readFileSync(new URL(file, TEMPLATES), 'utf8'), {
      strict: true,
      noEscape: !escape,
    });
  const templates = (name: string): Templates => ({
    html: template<HtmlView>(`${name}.html.hbs`, true),
    text: template<ReceiptView>(`${name}.txt.hbs`, false),
  });
  return { words, eticket: templates('eticket'), cancelled: templates('cancelled') };
}

/** The words with the agent's address and number as links: a phone in a hand at an airport finds none by itself here. */
function withLinks(
  words: ReceiptWords,
  key: string,
  { supportEmail, supportPhone }: IssuingAgent,
): Handlebars.SafeString {
  const escape = Handlebars.escapeExpression;
  const link = (to: string, text: string): string =>
    `<a href="${escape(to)}" style="color:inherit;white-space:nowrap">${escape(text)}</a>`;
  // Letters that no words have stand for the links while the words are escaped.
  const html = escape(words.text(key, { email: '\ue000', phone: '\ue001' }))
    .replace('\ue000', () => link(`mailto:${supportEmail}`, supportEmail))
    .replace('\ue001', () => link(`tel:${supportPhone.replace(/[^\d+]/g, '')}`, supportPhone));
  return new Handlebars.SafeString(html);
}

/** A line may break beside `2 × 23 kg`, not in it. */
function unbrokenAmounts(text: string): Handlebars.SafeString {
  const html = Handlebars.escapeExpression(text).replace(/ (?=×|kg\b)|(?<=×) /g, '&nbsp;');
  return new Handlebars.SafeString(html);
}
