import { Body, Controller, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MailStatusStreams } from '../mail-status/mail-status-streams.js';
import { ApiProblems } from '../problems/api-problems.decorator.js';
import { clientOf } from '../security/rate-limits.js';
import { BookingAccess, bearerToken } from './booking-access.js';
import { BookingAnswers } from './booking-answers.js';
import { BookingLookup } from './booking-lookup.js';
import { bookingToDto } from './booking-to-dto.js';
import { BookingResponse } from './booking.dto.js';
import { CancelBookingService } from './cancel-booking.service.js';
import { FoundBookingResponse, LookupDto } from './lookup.dto.js';
import { assertJson, traceparentOf } from './request-facts.js';
import { ResendEticketService } from './resend-eticket.service.js';

/** What can be done with a booking once it is there. */
@ApiTags('bookings')
@Controller('api/bookings')
export class ManageBookingController {
  constructor(
    private readonly access: BookingAccess,
    private readonly answers: BookingAnswers,
    private readonly bookings: BookingLookup,
    private readonly resending: ResendEticketService,
    private readonly cancelling: CancelBookingService,
    private readonly streams: MailStatusStreams,
  ) {}

  @Post('lookup')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Find a booking by reference and surname',
    description:
      'Gives an access token. A wrong reference and a wrong surname are answered alike; too many wrong ones are answered 429, by address and by reference.',
  })
  @ApiBody({ type: LookupDto })
  @ApiOkResponse({ type: FoundBookingResponse })
  @ApiProblems(
    'unreadable_json',
    'booking_not_found',
    'payload_too_large',
    'unsupported_media_type',
    'validation_error',
    'rate_limited',
    'service_unavailable',
    'internal_error',
  )
  async lookup(@Body() body: unknown, @Req() request: FastifyRequest): Promise<FoundBookingResponse> {
    assertJson(request.headers);
    const found = await this.bookings.find(body, clientOf(request.ip));
    return { data: await this.answers.found(found) };
  }

  @Get(':id/events')
  @ApiOperation({
    summary: 'Where the e-ticket mail is, as it changes',
    description:
      'Server-sent events: `event: mail` with the booking’s `mail` as JSON, first the status now, then each change. A comment every 15 s keeps the connection; it ends after ten minutes, and when the service stops: connect again.',
  })
  @ApiBearerAuth()
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    description: 'Events without end.',
    content: {
      'text/event-stream': {
        schema: { type: 'string', example: 'event: mail\nid: 1.1\ndata: {"status":"sending"}\n\n' },
      },
    },
  })
  @ApiProblems(
    'bad_url',
    'unauthorized',
    'booking_not_found',
    'too_many_streams',
    'service_unavailable',
    'internal_error',
  )
  async events(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const booking = await this.access.open(id, bearerToken(request.headers.authorization));
    await sendEvents(
      reply,
      this.streams.watch(booking.id, booking.mail, (mail) => mail),
    );
  }

  @Post(':id/eticket')
  @HttpCode(202)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Send the e-ticket again',
    description:
      'On purpose: each call is a new version of the booking’s mail, so that it is sent although one was sent before. Three at once, then one in five minutes.',
  })
  @ApiBearerAuth()
  @ApiAcceptedResponse({ type: BookingResponse, description: 'The booking, its mail queued again.' })
  @ApiProblems(
    'bad_url',
    'unauthorized',
    'booking_not_found',
    'booking_cancelled',
    'rate_limited',
    'unreadable_json',
    'payload_too_large',
    'unsupported_media_type',
    'service_unavailable',
    'internal_error',
  )
  async resend(@Param('id') id: string, @Req() request: FastifyRequest): Promise<BookingResponse> {
    const token = bearerToken(request.headers.authorization);
    const booking = await this.access.open(id, token);
    const traceparent = traceparentOf(request.headers.traceparent);
    await this.resending.resend({ bookingId: booking.id, traceparent });
    const changed = await this.access.open(id, token);
    return { data: bookingToDto(changed.snapshot, changed) };
  }

  @Post(':id/cancellation')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Cancel',
    description:
      'Refunds by the conditions of the fare and mails the traveller. Cancelling again changes nothing and is answered alike. Possible until the first flight leaves.',
  })
  @ApiBearerAuth()
  @ApiOkResponse({ type: BookingResponse, description: 'The booking, cancelled.' })
  @ApiProblems(
    'bad_url',
    'unauthorized',
    'booking_not_found',
    'booking_not_cancellable',
    'unreadable_json',
    'payload_too_large',
    'unsupported_media_type',
    'service_unavailable',
    'internal_error',
  )
  async cancel(@Param('id') id: string, @Req() request: FastifyRequest): Promise<BookingResponse> {
    const token = bearerToken(request.headers.authorization);
    const booking = await this.access.open(id, token);
    await this.cancelling.cancel(booking.id, traceparentOf(request.headers.traceparent));
    const changed = await this.access.open(id, token);
    return { data: bookingToDto(changed.snapshot, changed) };
  }
}

/** Sends events as they come; proxies must not gather them (nginx reads X-Accel-Buffering). */
export async function sendEvents(reply: FastifyReply, events: NodeJS.ReadableStream): Promise<void> {
  void reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  await reply.send(events);
}
