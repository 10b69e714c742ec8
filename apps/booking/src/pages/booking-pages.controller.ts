import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BookingAnswers } from '../bookings/booking-answers.js';
import { setBookingCookie } from '../bookings/booking-cookie.js';
import { BookingOutcomes } from '../bookings/booking-outcomes.js';
import { CreateBookingService } from '../bookings/create-booking.service.js';
import { PublicAddress } from '../bookings/public-address.js';
import { traceparentOf } from '../bookings/request-facts.js';
import { readIdempotencyKey } from '../idempotency/idempotency-key.js';
import type { OfferDto } from '../offers/offer.dto.js';
import { offerToDto } from '../offers/offer-to-dto.js';
import { OffersService } from '../offers/offers.service.js';
import { CardForm } from '../payments/card-form.js';
import { ProblemError } from '../problems/problem.js';
import { clientOf, RateLimits } from '../security/rate-limits.js';
import { Clock } from '../times/clock.js';
import {
  bookingBody,
  CARD_TOKENS,
  firstPassengers,
  passedOn,
  passengerFields,
  seenField,
  seenPrice,
} from './booking-form.js';
import { byFieldName, Form, type Field, type FormValues } from './fields.js';
import { HtmlPage } from './html-page.decorator.js';
import { baggageView, conditionsView, fareEach, flightsView, priceView, routeText } from './itinerary-view.js';
import { languageOf } from './language.js';
import { offeredAnew } from './offered-anew.js';
import { PageForms } from './page-forms.js';
import { PageRenderer } from './page-renderer.js';
import { WORDS, type Words } from './words.js';

/** A request for a page of the booking journey, and what it needs. */
interface Step {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly words: Words;
  readonly offer: OfferDto;
  readonly values: FormValues;
}

const STEPS = ['step1', 'step2', 'step3'] as const;
const NOTHING_WRONG: ReadonlyMap<string, string> = new Map();

/**
 * From an offer to a booking. What was typed goes from form to form, so that nothing personal is kept here, nor in an
 * address; the form holds the Idempotency-Key, so that a double click, a reload or the back button books once.
 */
@ApiExcludeController()
@Controller('book/:offerId')
export class BookingPagesController {
  constructor(
    private readonly offers: OffersService,
    private readonly creation: CreateBookingService,
    private readonly answers: BookingAnswers,
    private readonly outcomes: BookingOutcomes,
    private readonly renderer: PageRenderer,
    private readonly forms: PageForms,
    private readonly limits: RateLimits,
    private readonly address: PublicAddress,
    private readonly cardForm: CardForm,
    private readonly clock: Clock,
  ) {}

  @Get()
  @HtmlPage('kept')
  async begin(@Param('offerId') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    try {
      const offer = offerToDto(await this.offers.find(id));
      const step = { request, reply, offer, words: WORDS[languageOf(request)] };
      const values = { ...firstPassengers(offer), key: randomUUID() };
      await reply.send(await this.passengersPage({ ...step, values }, NOTHING_WRONG));
    } catch (error) {
      const anew = await this.anew(id, error, request);
      if (!anew) throw error;
      await reply.redirect(`/book/${anew.id}`, 303);
    }
  }

  /** Back from the review, with what was typed. */
  @Post('passengers')
  @HtmlPage('kept')
  async passengers(
    @Param('offerId') id: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.passengersPage(await this.step(id, body, request, reply), NOTHING_WRONG);
  }

  /** Passengers are given: review and pay, or what is wrong with them. */
  @Post('payment')
  @HtmlPage('kept')
  async payment(
    @Param('offerId') id: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const step = await this.step(id, body, request, reply);
    try {
      await this.creation.check(bookingBody(step.offer, step.values, step.words.language));
      return await this.payPage(step, {});
    } catch (error) {
      return this.wrongAgain(step, error);
    }
  }

  @Post('confirm')
  @HtmlPage('kept')
  async confirm(
    @Param('offerId') id: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const step = await this.step(id, body, request, reply);
    const { offer, values, words } = step;
    try {
      this.limits.take('booking', clientOf(request.ip));
      const key = readIdempotencyKey(values.key);
      const traceparent = traceparentOf(request.headers.traceparent);
      const answer = await this.creation.create(key, bookingBody(offer, values, words.language), traceparent);
      const created = await this.answers.created(answer.response);
      this.outcomes.succeeded(answer.repeat);
      setBookingCookie(reply, created.id, created.accessToken, this.address.isSecure);
      await reply.redirect(`/bookings/${created.id}`, 303);
    } catch (error) {
      this.outcomes.failed(error);
      await reply.send(await this.wrongAgain(step, error));
    }
  }

  /** @throws ProblemError 403, 404 or 409. */
  private async step(id: string, body: unknown, request: FastifyRequest, reply: FastifyReply): Promise<Step> {
    const typed = await this.forms.read(body, request);
    const key = typed.key ?? randomUUID();
    const token = this.cardForm.origin === undefined ? typed.token : await this.cardForm.token(key);
    const values = { ...typed, key, ...(token !== undefined && { token }) };
    // Of an offer that has expired since, too: a repeat is answered as the first time.
    const offer = offerToDto(await this.offers.whatever(id));
    return { request, reply, words: WORDS[languageOf(request)], values, offer };
  }

  /** The page at which a traveller can put right what is wrong. @throws the error, where there is none. */
  private async wrongAgain(step: Step, error: unknown): Promise<string> {
    const { reply, words, offer } = step;
    if (!(error instanceof ProblemError)) throw error;
    const anew = await this.anew(offer.id, error, step.request);
    if (anew) return this.offerAnew({ ...step, offer: anew });
    if (error.code === 'validation_error') {
      void reply.status(422);
      const wrong = byFieldName(error.errors ?? []);
      return wrong.has('token') ? this.payPage(step, { wrong: this.noCard(wrong) }) : this.passengersPage(step, wrong);
    }
    const why = paymentProblem(error, words);
    if (why === undefined) throw error;
    void reply.status(error.status);
    return this.payPage(step, { wrong: new Map([['token', why]]) });
  }

  /** What the offer of a page that was left for long has become. */
  private async anew(id: string, error: unknown, { ip }: FastifyRequest): Promise<OfferDto | undefined> {
    if (!(error instanceof ProblemError) || error.status !== 409) return undefined;
    this.limits.take('search', clientOf(ip));
    return offeredAnew(this.offers, offerToDto(await this.offers.whatever(id)), error);
  }

  private async offerAnew(step: Step): Promise<string> {
    const { reply, words, offer, values } = step;
    const [before, after] = [seenPrice(values, offer.total.currency), offer.total].map((price) => words.money(price));
    try {
      await this.creation.check(bookingBody(offer, values, words.language));
    } catch (error) {
      return this.wrongAgain(step, error);
    }
    void reply.status(409);
    const what = before === after ? 'pay.renewed' : 'pay.changed';
    return this.payPage(step, { notice: words.t(what, { before: before ?? '', after: after ?? '' }) });
  }

  /** Nothing was typed into the gateway's card form yet, or too long ago. */
  private noCard(wrong: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    return this.cardForm.origin === undefined ? wrong : new Map([...wrong, ['token', 'no_card']]);
  }

  private async passengersPage(step: Step, wrong: ReadonlyMap<string, string>): Promise<string> {
    const { request, reply, words, offer, values } = step;
    const view = {
      ...journeyView(offer, words),
      ...passengerFields(offer, values, wrong, words, this.clock.now().toISOString().slice(0, 10)),
      steps: stepsView(0, words),
      offerId: offer.id,
      hidden: await this.forms.hidden(request, reply, [{ name: 'key', value: values.key ?? '' }, seenField(offer)]),
    };
    return this.renderer.page('book', view, words, { title: words.t('book.title'), here: `/book/${offer.id}` });
  }

  private async payPage(
    step: Step,
    { wrong = NOTHING_WRONG, notice }: { readonly wrong?: ReadonlyMap<string, string>; readonly notice?: string },
  ): Promise<string> {
    const { request, reply, words, offer, values } = step;
    const form = new Form({ token: CARD_TOKENS[0], ...values }, wrong, words);
    const payment = paymentField(form, this.cardForm.origin !== undefined, words);
    const view = {
      ...journeyView(offer, words),
      steps: stepsView(1, words),
      offerId: offer.id,
      notice,
      people: offer.passengers.map(({ type }, index) => ({
        name: `${values[`p${index}.givenName`] ?? ''} ${values[`p${index}.familyName`] ?? ''}`,
        kind: words.t(`passengers.${type}`),
        bornOn: words.date(values[`p${index}.bornOn`] ?? ''),
      })),
      email: values.email,
      errors: form.errors,
      payment: [payment],
      frame: this.cardForm.origin && {
        ...payment,
        origin: this.cardForm.origin,
        url: this.cardForm.frameUrl(values.token ?? '', words.language),
      },
      submit: words.t('pay.submit', { amount: words.money(offer.total) }),
      hidden: await this.forms.hidden(request, reply, [...passedOn(offer, values), seenField(offer)]),
    };
    const here = `/book/${offer.id}`;
    const head = { title: words.t('pay.title'), here, ...(this.cardForm.origin && { scripts: ['payment.js'] }) };
    return this.renderer.page('pay', view, words, head);
  }
}

/** A choice of test cards, or what is said about the gateway's card form. */
function paymentField(form: Form, framed: boolean, words: Words): Field {
  const label = words.t('pay.payment');
  if (framed) return form.field({ name: 'token', label });
  const choices = CARD_TOKENS.map((token) => [token, words.t(`pay.cards.${token}`)] as const);
  return form.field({ name: 'token', label, hint: words.t('pay.paymentHint'), choices });
}

/** What went wrong with the payment, for its field; undefined when it was something else. */
function paymentProblem({ code, members }: ProblemError, words: Words): string | undefined {
  if (code === 'payment_declined') return words.t(`pay.declined.${String(members.declineCode)}`);
  return code === 'payment_unavailable' ? words.t('errors.payment_unavailable') : undefined;
}

function journeyView(offer: OfferDto, words: Words): object {
  const segments = offer.slices.flatMap((slice) => slice.segments);
  return {
    route: routeText(segments, words),
    fare: words.t('book.fare', { fare: words.t(`fares.${offer.fareBrand}`), cabin: words.t(`cabins.${offer.cabin}`) }),
    who: words.travellers(offer.passengers.map(({ type }) => type)),
    slices: flightsView(segments, words),
    price: priceView(offer.price, words),
    fareEach: fareEach(offer.passengers, words),
    baggage: baggageView(segments, words),
    conditions: conditionsView(offer.conditions, words),
  };
}

function stepsView(current: number, words: Words): readonly object[] {
  return STEPS.map((step, index) => ({ label: words.t(`book.${step}`), current: index === current }));
}
