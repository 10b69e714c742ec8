import '@fastify/cookie';
import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findAirport } from '../airports/find-airport.js';
import { PublicAddress } from '../bookings/public-address.js';
import { offerToDto } from '../offers/offer-to-dto.js';
import { OffersService } from '../offers/offers.service.js';
import { ProblemError } from '../problems/problem.js';
import { clientOf, RateLimits } from '../security/rate-limits.js';
import { Clock } from '../times/clock.js';
import { byFieldName, formValues, type FormValues } from './fields.js';
import { HtmlPage } from './html-page.decorator.js';
import { routeText } from './itinerary-view.js';
import { isLanguage, LANGUAGE_COOKIE, languageOf, pageOf, pageToReturnTo } from './language.js';
import { PageRenderer } from './page-renderer.js';
import { resultsView } from './results-view.js';
import { firstSearch, searchFormView, searchQuery, unknownPlaces } from './search-form.js';
import { startView } from './start-view.js';
import { WORDS, type Words } from './words.js';

const YEAR_SECONDS = 365 * 24 * 3600;

/** Where the development inbox is, when there is one to link to. */
export class InboxLink {
  constructor(readonly url: string | undefined) {}
}

/** Of a search that has found nothing. */
function askedRoute({ origin = '', destination = '', returnDate }: FormValues, words: Words): string {
  const [from, to] = [origin, destination].map((typed) => words.city(findAirport(typed)?.cityName ?? typed));
  return `${from} ${returnDate ? '⇄' : '→'} ${to}`;
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
      here: pageOf(request),
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
      const passengers = offers[0]?.passengers.map(({ type }) => type);
      const view = {
        ...searchFormView(values, new Map(), words, now),
        ...resultsView(offers, values, words),
        hidden,
        route: segments ? routeText(segments, words) : askedRoute(values, words),
        when: [values.departureDate, values.returnDate]
          .filter((date): date is string => Boolean(date))
          .map((date) => words.date(date))
          .join(' – '),
        who: passengers && `${words.travellers(passengers)} · ${words.t(`cabins.${values.cabin ?? ''}`)}`,
      };
      const head = { title: `${view.route} · ${title}`, scripts: ['airports.js'], here: pageOf(request) };
      return this.renderer.page('results', view, words, head);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'validation_error') throw error;
      void reply.status(422);
      const wrong = new Map([...unknownPlaces(values), ...byFieldName(error.errors ?? [])]);
      const view = searchFormView(values, wrong, words, now);
      return this.renderer.page('search', view, words, { title, scripts: ['airports.js'], here: pageOf(request) });
    }
  }

  /** Keeps the reader's choice of language, and leads back to the page where it was made. */
  @Get('language/:tag')
  async language(@Param('tag') tag: string, @Query('to') to: unknown, @Res() reply: FastifyReply): Promise<void> {
    if (!isLanguage(tag)) throw new ProblemError('not_found', 'There is nothing at this address.');
    const secure = this.address.isSecure;
    void reply.setCookie(LANGUAGE_COOKIE, tag, {
      path: '/',
      sameSite: 'lax',
      httpOnly: true,
      secure,
      maxAge: YEAR_SECONDS,
    });
    await reply.header('cache-control', 'no-store').redirect(pageToReturnTo(to), 303);
  }
}
