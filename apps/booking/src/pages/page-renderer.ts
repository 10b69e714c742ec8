import { readdirSync, readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { ISSUING_AGENT } from '../bookings/issuing-agent.js';
import type { ProblemError } from '../problems/problem.js';
import { LANGUAGES } from './language.js';
import { WORDS, type Words } from './words.js';

/** Beside `src` and `dist` alike. */
const VIEWS = new URL('../../views/', import.meta.url);
const PAGES = ['book', 'cancel', 'confirmation', 'lookup', 'pay', 'problem', 'results', 'search', 'start'] as const;
export type PageName = (typeof PAGES)[number];

export interface PageHead {
  readonly title: string;
  readonly scripts?: readonly string[];
  readonly refreshSeconds?: number | undefined;
  /** Path of the page, to come back to in another language. */
  readonly here?: string | undefined;
}

/** HTML of the pages, from Handlebars templates that are read once. Everything is escaped but the page's own content. */
@Injectable()
export class PageRenderer {
  private readonly handlebars = Handlebars.create();
  private readonly layout: HandlebarsTemplateDelegate<object>;
  private readonly docsPage: HandlebarsTemplateDelegate<object>;
  private readonly pages: ReadonlyMap<PageName, HandlebarsTemplateDelegate<object>>;

  constructor() {
    for (const file of readdirSync(new URL('partials/', VIEWS))) {
      this.handlebars.registerPartial(file.replace(/\.hbs$/, ''), this.template(`partials/${file}`));
    }
    this.layout = this.template('layout.hbs');
    this.docsPage = this.template('docs.hbs');
    this.pages = new Map(PAGES.map((name) => [name, this.template(`${name}.hbs`)]));
  }

  page(name: PageName, view: object, words: Words, head: PageHead): string {
    const helpers = { t: (path: string) => words.t(path) };
    const content = this.pages.get(name)?.(view, { helpers }) ?? '';
    const languages = LANGUAGES.filter((tag) => tag !== words.language).map((tag) => ({
      tag,
      name: WORDS[tag].t('language'),
      href: `/language/${tag}${head.here === undefined ? '' : `?to=${encodeURIComponent(head.here)}`}`,
    }));
    const agent = ISSUING_AGENT;
    // Read out first, so that who does not see the page knows that something is to be put right.
    const wrong = 'errors' in view && Array.isArray(view.errors) && view.errors.length > 0;
    const title = wrong ? words.t('errors.title', { title: head.title }) : head.title;
    return this.layout(
      { ...head, title, content, languages, lang: words.language, brand: agent.name, agent },
      { helpers },
    );
  }

  docs(): string {
    return this.docsPage({});
  }

  /** What a traveller is told, in place of the API's words. */
  problem(problem: ProblemError, requestId: string, words: Words, here?: string): string {
    const { status, code, again } = problem;
    const title = words.find(`problems.${code}Title`) ?? problem.title;
    const text = words.find(`problems.${code}`) ?? problem.message;
    return this.page('problem', { status, title, text, requestId, again }, words, { title, here });
  }

  private template(file: string): HandlebarsTemplateDelegate<object> {
    const source = readFileSync(new URL(file, VIEWS), 'utf8');
    return this.handlebars.compile<object>(source, { knownHelpersOnly: true, knownHelpers: { t: true } });
  }
}
