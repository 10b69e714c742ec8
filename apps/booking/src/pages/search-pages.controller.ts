import '@fastify/cookie';
import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublicAddress } from '../bookings/public-address.js';
import { offerToDto } from '../offers/offer-to-dto.js';
import { OffersService } from '../offers/offers.service.js';
import { ProblemError } from '../problems/problem.js';
import { clientOf, RateLimits } from '../security/rate-limits.js';
import { Clock } from '../times/clock.js';
import { byFieldName, formValues } from './fields.js';
import { HtmlPage } from './html-page.decorator.js';
import { routeText } from './itinerary-view.js';
import { isLanguage, LANGUAGE_COOKIE, languageOf } from './language.js';
import { PageRenderer } from './page-renderer.js';
import { resultsView } from './results-view.js';
import { firstSearch, searchFormView, searchQuery } from './search-form.js';
import { startView } from './start-view.js';
import { WORDS } from './words.js';

const YEAR_SECONDS = 365 * 24 * 3600;

/** Where the development inbox is, when there is one to link to. */
export class InboxLink {
  constructor(readonly url: string | undefined) {}
}

/** The start page, and what a search finds. */
@ApiExcludeController()
@Controller()
export class SearchPagesController {
  constructor(
    private readonly offers: OffersService,
    private readonly renderer: PageRenderer,
    private readonly address: PublicAddress,
    private readonly inbox: InboxLink,
    private readonly clock: Clock,
    private readonly limits: RateLimits,
  ) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('vary', 'accept-language, cookie')
  start(@Req() request: FastifyRequest): string {
    const [words, now] = [WORDS[languageOf(request)], this.clock.now()];
    const view = {
      ...startView(this.address.url, this.inbox.url, now),
      ...searchFormView(firstSearch(now), new Map(), words, now),
    };
    return this.renderer.page('start', view, words, {
      title: words.t('search.submit'),
      scripts: ['airports.js', 'demo.js'],
    });
  }

  @Get('flights')
  @HtmlPage('kept')
  async flights(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    this.limits.take('search', clientOf(request.ip));
    const [words, now] = [WORDS[languageOf(request)], this.clock.now()];
    const values = { ...firstSearch(now), ...formValues(query) };
    const title = words.t('results.title');
    try {
      const offers = (await this.offers.search(searchQuery(values))).offers.map(offerToDto);
      const segments = offers[0]?.slices.flatMap((slice) => slice.segments);
      const hidden = Object.entries(searchQuery(values)).map(([name, value]) => ({ name, value }));
      const view = {
        ...searchFormView(values, new Map(), words, now),
        ...resultsView(offers, values, words),
        hidden,
        route: segments ? routeText(segments, words) : `${values.origin} → ${values.destination}`,
        when: [values.departureDate, values.returnDate]
          .filter((date): date is string => Boolean(date))
          .map((date) => words.date(date))
          .join(' – '),
      };
      return this.renderer.page('results', view, words, { title, scripts: ['airports.js'] });
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'validation_error') throw error;
      void reply.status(422);
      const view = searchFormView(values, byFieldName(error.errors ?? []), words, now);
      return this.renderer.page('search', view, words, { title, scripts: ['airports.js'] });
    }
  }

  /** Keeps the reader's choice of language. */
  @Get('language/:tag')
  async language(@Param('tag') tag: string, @Res() reply: FastifyReply): Promise<void> {
    if (!isLanguage(tag)) throw new ProblemError('not_found', 'There is nothing at this address.');
    const secure = this.address.isSecure;
    void reply.setCookie(LANGUAGE_COOKIE, tag, {
      path: '/',
      sameSite: 'lax',
      httpOnly: true,
      secure,
      maxAge: YEAR_SECONDS,
    });
    await reply.header('cache-control', 'no-store').redirect('/', 303);
  }
}
