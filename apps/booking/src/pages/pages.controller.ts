import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BookingAccess } from '../bookings/booking-access.js';
import { bookingCookie, setBookingCookie } from '../bookings/booking-cookie.js';
import { mailToDto } from '../bookings/mail-to-dto.js';
import { sendEvents } from '../bookings/manage-booking.controller.js';
import { PublicAddress } from '../bookings/public-address.js';
import { MailStatusStreams } from '../mail-status/mail-status-streams.js';
import { Clock } from '../times/clock.js';
import { confirmationView } from './confirmation-view.js';
import { mailView, type MailView } from './mail-view.js';
import { PageRenderer } from './page-renderer.js';
import { startView } from './start-view.js';

/** Where the development inbox is, when there is one to link to. */
export class InboxLink {
  constructor(readonly url: string | undefined) {}
}

@ApiExcludeController()
@Controller()
export class PagesController {
  constructor(
    private readonly access: BookingAccess,
    private readonly renderer: PageRenderer,
    private readonly address: PublicAddress,
    private readonly inbox: InboxLink,
    private readonly clock: Clock,
    private readonly streams: MailStatusStreams,
  ) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  start(): string {
    return this.renderer.start(startView(this.address.url, this.inbox.url, this.clock.now()));
  }

  /** Exchanges the token of a link for a cookie, so that no address with a secret stays in the history. */
  @Get('bookings/:id/open')
  async open(@Param('id') id: string, @Query('token') token: unknown, @Res() reply: FastifyReply): Promise<void> {
    const accessToken = await this.access.exchangeLink(id, typeof token === 'string' ? token : '');
    setBookingCookie(reply, id.toLowerCase(), accessToken, this.address.isSecure);
    await reply.header('cache-control', 'no-store').redirect(`/bookings/${id.toLowerCase()}`, 303);
  }

  @Get('bookings/:id')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'private, no-store')
  async confirmation(@Param('id') id: string, @Req() request: FastifyRequest): Promise<string> {
    return this.renderer.confirmation(confirmationView(await this.access.open(id, bookingCookie(request))));
  }

  /** What the page's script asks for. */
  @Get('bookings/:id/mail')
  @Header('cache-control', 'private, no-store')
  async mail(@Param('id') id: string, @Req() request: FastifyRequest): Promise<{ readonly data: MailView }> {
    const { mail, snapshot } = await this.access.open(id, bookingCookie(request));
    return { data: mailView(mailToDto(mail), snapshot.contact.email) };
  }

  /** The same, as it changes. */
  @Get('bookings/:id/events')
  async events(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { mail, snapshot } = await this.access.open(id, bookingCookie(request));
    const { email } = snapshot.contact;
    await sendEvents(
      reply,
      this.streams.watch(id.toLowerCase(), mail, (now) => mailView(now, email)),
    );
  }
}
