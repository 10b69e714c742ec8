import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'booking';
const MAX_AGE_SECONDS = 7 * 24 * 3600;

/** The cookie that opens one booking's page: out of reach of scripts, sent to that page alone. */
export function setBookingCookie(reply: FastifyReply, bookingId: string, accessToken: string, secure: boolean): void {
  void reply.setCookie(NAME, accessToken, {
    path: `/bookings/${bookingId}`,
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: MAX_AGE_SECONDS,
  });
}

export function bookingCookie(request: FastifyRequest): string | undefined {
  return request.cookies[NAME];
}
