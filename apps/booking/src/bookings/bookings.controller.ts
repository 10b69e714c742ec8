import { Body, Controller, Get, Header, Headers, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiCreatedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readIdempotencyKey } from '../idempotency/idempotency-key.js';
import { ApiProblems } from '../problems/api-problems.decorator.js';
import { clientOf, RateLimits } from '../security/rate-limits.js';
import { BookingAccess, bearerToken } from './booking-access.js';
import { BookingAnswers } from './booking-answers.js';
import { setBookingCookie } from './booking-cookie.js';
import { BOOKING_EXAMPLES } from './booking-examples.js';
import { BookingOutcomes } from './booking-outcomes.js';
import { bookingToDto } from './booking-to-dto.js';
import { BookingResponse, CreatedBookingResponse } from './booking.dto.js';
import { CreateBookingDto } from './create-booking.dto.js';
import { CreateBookingService } from './create-booking.service.js';
import { PublicAddress } from './public-address.js';
import { assertJson, traceparentOf } from './request-facts.js';

@ApiTags('bookings')
@Controller('api/bookings')
export class BookingsController {
  constructor(
    private readonly creation: CreateBookingService,
    private readonly answers: BookingAnswers,
    private readonly access: BookingAccess,
    private readonly outcomes: BookingOutcomes,
    private readonly address: PublicAddress,
    private readonly limits: RateLimits,
  ) {}

  @Post()
  @HttpCode(201)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Book',
    description:
      'Checks the passengers against the offer, charges the card and issues one ticket a passenger. Answers before the e-ticket is mailed. The same request with the same Idempotency-Key is carried out once and answered alike; a request that failed has stored nothing and may be sent again with its key. A key is remembered for 24 hours unless the service is set otherwise.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: true,
    description: '1 to 255 printable ASCII characters, for example a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  })
  @ApiBody({ type: CreateBookingDto, examples: BOOKING_EXAMPLES })
  @ApiCreatedResponse({
    type: CreatedBookingResponse,
    headers: {
      Location: { description: 'Of the booking.', schema: { type: 'string' } },
      'Set-Cookie': { description: 'Opens the confirmation page.', schema: { type: 'string' } },
    },
  })
  @ApiProblems(
    'idempotency_key_missing',
    'unreadable_json',
    'payment_declined',
    'offer_no_longer_available',
    'price_changed',
    'request_in_progress',
    'payload_too_large',
    'unsupported_media_type',
    'validation_error',
    'idempotency_key_reused',
    'rate_limited',
    'service_unavailable',
    'payment_unavailable',
    'internal_error',
  )
  async create(
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedBookingResponse> {
    try {
      assertJson(headers);
      const key = readIdempotencyKey(headers['idempotency-key']);
      const client = clientOf(request.ip);
      this.limits.take('booking', client);
      const { repeat, response } = await this.creation.create(key, body, traceparentOf(headers.traceparent));
      if (repeat) this.limits.giveBack('booking', client);
      const data = await this.answers.created(response);
      void reply.header('location', `/api/bookings/${data.id}`);
      setBookingCookie(reply, data.id, data.accessToken, this.address.isSecure);
      this.outcomes.succeeded(repeat);
      return { data };
    } catch (error) {
      this.outcomes.failed(error);
      throw error;
    }
  }

  @Get(':id')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Show a booking, and where its e-ticket mail is' })
  @ApiBearerAuth()
  @ApiOkResponse({ type: BookingResponse })
  @ApiProblems('bad_url', 'unauthorized', 'booking_not_found', 'service_unavailable', 'internal_error')
  async show(@Param('id') id: string, @Req() request: FastifyRequest): Promise<BookingResponse> {
    const booking = await this.access.open(id, bearerToken(request.headers.authorization));
    return { data: bookingToDto(booking.snapshot, booking) };
  }
}
