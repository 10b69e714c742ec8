import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { ISSUING_AGENT } from '../bookings/issuing-agent.js';
import type { ProblemCode, ProblemError } from '../problems/problem.js';
import type { ConfirmationView } from './confirmation-view.js';
import type { StartView } from './start-view.js';

/** Beside `src` and `dist` alike. */
const VIEWS = new URL('../../views/', import.meta.url);

type Template = (view: object) => string;

/** What a traveller is told, in place of the API's words. */
const TEXTS: Partial<Readonly<Record<ProblemCode, string>>> = {
  unauthorized: 'This page shows personal data. Open it by the link that came with the booking.',
  booking_not_found: 'There is no such booking, or the link has expired. Links are good for a day.',
  not_found: 'There is nothing at this address.',
  service_unavailable: 'We cannot reach the bookings for the moment. Nothing is lost; please reload in a minute.',
};

const TITLES: typeof TEXTS = {
  unauthorized: 'Please open this page by its link',
};

/** HTML of the pages, from Handlebars templates that are read once. Everything is escaped but the page's own content. */
@Injectable()
export class PageRenderer {
  private readonly layout = template('layout');
  private readonly views = {
    confirmation: template('confirmation'),
    docs: template('docs'),
    start: template('start'),
    problem: template('problem'),
  };

  confirmation(view: ConfirmationView): string {
    return this.page(this.views.confirmation(view), {
      title: `Booking ${view.reference}`,
      script: 'confirmation.js',
      refreshSeconds: view.mail.final ? undefined : 10,
    });
  }

  start(view: StartView): string {
    return this.page(this.views.start(view), { title: 'E-tickets', script: 'demo.js' });
  }

  docs(): string {
    return this.views.docs({});
  }

  problem(problem: ProblemError, requestId: string): string {
    const { status, code } = problem;
    const title = TITLES[code] ?? problem.title;
    const text = TEXTS[code] ?? problem.message;
    return this.page(this.views.problem({ status, title, text, requestId }), { title });
  }

  private page(content: string, head: { title: string; script?: string; refreshSeconds?: number | undefined }): string {
    return this.layout({ ...head, content, brand: ISSUING_AGENT.name, agent: ISSUING_AGENT });
  }
}

function template(name: string): Template {
  return Handlebars.compile<object>(readFileSync(new URL(`${name}.hbs`, VIEWS), 'utf8'), { knownHelpersOnly: true });
}
