import { serveOpenApi } from '@eticket/service/problems';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { PROBLEMS } from '../problems/problem.js';

const DESCRIPTION = `Search, select and book flights of a made-up timetable.

Success bodies are \`{ "data": … }\`. Money is a decimal string plus ISO 4217 code; times carry the airport's own offset.`;

/** The OpenAPI document at `/docs-json`. */
export function addOpenApi(app: NestFastifyApplication): void {
  serveOpenApi(app, {
    title: 'Booking',
    description: DESCRIPTION,
    kinds: PROBLEMS,
    tags: { offers: 'What can be booked', bookings: 'What has been booked' },
    bearer: 'The `accessToken` of a booking.',
  });
}
