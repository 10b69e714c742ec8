import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BookingAccess } from '../bookings/booking-access.js';
import { BookingAnswers } from '../bookings/booking-answers.js';
import { bookingCookie, setBookingCookie } from '../bookings/booking-cookie.js';
import { BookingLookup } from '../bookings/booking-lookup.js';
import type { StoredBooking } from '../bookings/bookings.repository.js';
import { CancelBookingService } from '../bookings/cancel-booking.service.js';
import { sendEvents } from '../bookings/manage-booking.controller.js';
import { PublicAddress } from '../bookings/public-address.js';
import { mayStillCancel, refundOf } from '../bookings/refund-of.js';
import { traceparentOf } from '../bookings/request-facts.js';
import { ResendEticketService } from '../bookings/resend-eticket.service.js';
import { MailStatusStreams } from '../mail-status/mail-status-streams.js';
import { toWire } from '../money/money.js';
import { ProblemError } from '../problems/problem.js';
import { clientOf } from '../security/rate-limits.js';
import { Clock } from '../times/clock.js';
import { confirmationView, mailViewOf } from './confirmation-view.js';
import { byFieldName, Form, type FormValues } from './fields.js';
import { HtmlPage } from './html-page.decorator.js';
import { languageOf, pageOf } from './language.js';
import { mailView, type MailView } from './mail-view.js';
import { PageForms } from './page-forms.js';
import { PageRenderer } from './page-renderer.js';
import { WORDS, type Words } from './words.js';

const REFRESH_SECONDS = 10;

/** The page of one booking, and what can be done there. */
@ApiExcludeController()
@Controller()
export class BookingPageController {
  constructor(
    private readonly access: BookingAccess,
    private readonly renderer: PageRenderer,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    private readonly streams: MailStatusStreams,
    private readonly forms: PageForms,
    private readonly resending: ResendEticketService,
    private readonly cancelling: CancelBookingService,
  ) {}

  /** Exchanges the token of a link for a cookie, so that no address with a secret stays in the history. */
  @Get('bookings/:id/open')
  async open(@Param('id') id: string, @Query('token') token: unknown, @Res() reply: FastifyReply): Promise<void> {
    const accessToken = await this.access.exchangeLink(id, typeof token === 'string' ? token : '');
    setBookingCookie(reply, id.toLowerCase(), accessToken, this.address.isSecure);
    await reply.header('cache-control', 'no-store').redirect(`/bookings/${id.toLowerCase()}`, 303);
  }

  @Get('bookings/:id')
  @HtmlPage('secret')
  async confirmation(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const booking = await this.access.open(id, bookingCookie(request));
    return this.confirmationPage(booking, request, reply);
  }

  /** What the page's script asks for. */
  @Get('bookings/:id/mail')
  @Header('cache-control', 'private, no-store')
  async mail(@Param('id') id: string, @Req() request: FastifyRequest): Promise<{ readonly data: MailView }> {
    const booking = await this.access.open(id, bookingCookie(request));
    return { data: mailViewOf(booking, WORDS[languageOf(request)]) };
  }

  /** The same, as it changes. */
  @Get('bookings/:id/events')
  async events(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { mail, snapshot, status } = await this.access.open(id, bookingCookie(request));
    const [{ email }, words] = [snapshot.contact, WORDS[languageOf(request)]];
    const render = (now: Parameters<typeof mailView>[0]): MailView => mailView(now, { email, status }, words);
    await sendEvents(reply, this.streams.watch(snapshot.id, mail, render));
  }

  /** Of two clicks on one page only the first sends: the form holds the version that the page shows. */
  @Post('bookings/:id/resend')
  async resend(
    @Param('id') id: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [booking, values] = await this.formOf(id, body, request);
    const [bookingId, ifVersion] = [booking.id, Number(values.version)];
    try {
      const traceparent = traceparentOf(request.headers.traceparent);
      if (booking.status !== 'cancelled') await this.resending.resend({ bookingId, ifVersion, traceparent });
      await reply.redirect(`/bookings/${bookingId}`, 303);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'rate_limited') throw error;
      const notice = WORDS[languageOf(request)].t('booking.tooOften', { minutes: minutesOf(error) });
      void reply.status(429).type('text/html; charset=utf-8').header('cache-control', 'private, no-store');
      await reply.send(await this.confirmationPage(booking, request, reply, notice));
    }
  }

  @Get('bookings/:id/cancel')
  @HtmlPage('secret')
  async askToCancel(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { snapshot, status } = await this.access.open(id, bookingCookie(request));
    if (status === 'cancelled') return reply.redirect(`/bookings/${snapshot.id}`, 303);
    const words = WORDS[languageOf(request)];
    const view = {
      ...cancelView(snapshot, words, this.clock.now()),
      hidden: await this.forms.hidden(request, reply),
    };
    const head = { title: words.t('cancel.title'), here: pageOf(request) };
    await reply.send(this.renderer.page('cancel', view, words, head));
  }

  @Post('bookings/:id/cancel')
  async cancel(
    @Param('id') id: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [booking] = await this.formOf(id, body, request);
    await this.cancelling.cancel(booking.id, traceparentOf(request.headers.traceparent));
    await reply.redirect(`/bookings/${booking.id}`, 303);
  }

  private async formOf(id: string, body: unknown, request: FastifyRequest): Promise<[StoredBooking, FormValues]> {
    const values = await this.forms.read(body, request);
    return [await this.access.open(id, bookingCookie(request)), values];
  }

  private async confirmationPage(
    booking: StoredBooking,
    request: FastifyRequest,
    reply: FastifyReply,
    notice?: string,
  ): Promise<string> {
    const words = WORDS[languageOf(request)];
    const view = confirmationView(booking, words);
    const hidden = await this.forms.hidden(request, reply, [{ name: 'version', value: String(booking.version) }]);
    const waits = !view.mail.final;
    // Only without a script; who reads slowly can stop it (WCAG 2.2, 2.2.1).
    const reloads = waits && (request.query as { readonly reload?: unknown }).reload !== 'off';
    return this.renderer.page('confirmation', { ...view, hidden, notice, waits, reloads }, words, {
      title: `${words.t('booking.reference')} ${view.reference}`,
      scripts: ['confirmation.js'],
      refreshSeconds: reloads ? REFRESH_SECONDS : undefined,
      here: `/bookings/${view.id}`,
    });
  }
}

/** Finds a booking by reference and surname. */
@ApiExcludeController()
@Controller('manage')
export class LookupPageController {
  constructor(
    private readonly bookings: BookingLookup,
    private readonly answers: BookingAnswers,
    private readonly renderer: PageRenderer,
    private readonly forms: PageForms,
    private readonly address: PublicAddress,
  ) {}

  @Get()
  @HtmlPage('kept')
  async ask(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.page(request, reply, {}, new Map());
  }

  @Post()
  @HttpCode(303)
  @Header('cache-control', 'private, no-store')
  async find(@Body() body: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const values = await this.forms.read(body, request);
    try {
      const { reference = '', surname = '' } = values;
      const found = await this.answers.found(
        await this.bookings.find({ reference, surname: surname.trim() }, clientOf(request.ip)),
      );
      setBookingCookie(reply, found.id, found.accessToken, this.address.isSecure);
      await reply.redirect(`/bookings/${found.id}`, 303);
    } catch (error) {
      const wrong = wrongLookup(error, WORDS[languageOf(request)]);
      const { status } = error as ProblemError;
      void reply.status(status).type('text/html; charset=utf-8');
      await reply.send(await this.page(request, reply, values, wrong));
    }
  }

  private async page(
    request: FastifyRequest,
    reply: FastifyReply,
    values: FormValues,
    wrong: ReadonlyMap<string, string>,
  ): Promise<string> {
    const words = WORDS[languageOf(request)];
    const form = new Form(values, wrong, words);
    const field = (name: 'reference' | 'surname', maxlength: number, autocapitalize: 'characters' | 'words') =>
      form.field({
        name,
        label: words.t(`lookup.${name}`),
        autocomplete: name === 'surname' ? 'family-name' : 'off',
        autocapitalize,
        required: true,
        maxlength,
      });
    const fields = [field('reference', 10, 'characters'), field('surname', 60, 'words')];
    const hidden = await this.forms.hidden(request, reply);
    return this.renderer.page('lookup', { fields, hidden, errors: form.errors }, words, {
      title: words.t('lookup.title'),
      here: '/manage',
    });
  }
}

/** @throws the error, when the form cannot show it. */
function wrongLookup(error: unknown, words: Words): ReadonlyMap<string, string> {
  if (!(error instanceof ProblemError)) throw error;
  if (error.code === 'validation_error') return byFieldName(error.errors ?? []);
  if (error.code === 'booking_not_found') return new Map([['reference', 'not_found']]);
  if (error.code !== 'rate_limited') throw error;
  return new Map([['reference', words.t('errors.rate_limited', { minutes: minutesOf(error) })]]);
}

function minutesOf({ retryAfter }: ProblemError): number {
  return Math.max(1, Math.ceil((retryAfter ?? 0) / 60));
}

function cancelView(snapshot: StoredBooking['snapshot'], words: Words, now: Date): object {
  const { id, reference } = snapshot;
  const [possible, refund] = [mayStillCancel(snapshot, now), refundOf(snapshot)];
  const amount = words.money(toWire(refund));
  const text = refund.minor > 0n ? words.t('cancel.refund', { amount }) : words.t('cancel.none');
  return {
    id,
    possible,
    lead: words.t('cancel.lead', { reference }),
    refund: possible ? text : words.t('cancel.late'),
  };
}
