#!/usr/bin/env node
/**
 * What a booking costs at the least: Fastify and pg alone. For each `POST /` it writes the rows that the booking service
 * writes, in as many commits (the key; booking, passengers, tickets, payment, event and answer; the payment taken), and
 * answers with as many bytes. It checks, prices and seals nothing. The first argument is the database, whose tables are
 * there; standard input is the rows of one real booking.
 */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import pg from 'pg';

const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const pool = new pg.Pool({ connectionString: process.argv[2], max: Number(process.argv[3]) });
const sample = JSON.parse(await text(process.stdin));
const fingerprint = Buffer.from(sample.fingerprint, 'base64');
const payload = Buffer.from(sample.payload);

const app = fastify();
app.post('/', async (request, reply) => {
  const key = request.headers['idempotency-key'];
  const id = randomUUID();
  const claim = randomUUID();
  await pool.query(
    `insert into booking.idempotency_keys (key, fingerprint, booking_id, claim, claimed_until)
     values ($1, $2, $3, $4, now() + interval '45 seconds')`,
    [key, fingerprint, id, claim],
  );
  await inTransaction(async (client) => {
    const { passengers, booking } = sample;
    const { rows } = await client.query(
      `select nextval('booking.ticket_serials') as serial from generate_series(1, $1)`,
      [passengers.length],
    );
    const issuedAt = new Date();
    await client.query(
      `insert into booking.bookings (id, reference, status, version, token_version, currency, total_minor, snapshot, created_at)
       values ($1, $2, 'ticketed', 1, 1, $3, $4, $5, $6)`,
      [id, reference(), booking.currency, booking.total_minor, sample.snapshot, issuedAt],
    );
    for (const [position, { type, family_name, ticket_name, born_on }] of passengers.entries()) {
      await client.query(
        `insert into booking.passengers (booking_id, position, type, family_name, ticket_name, born_on)
         values ($1, $2, $3, $4, $5, $6)`,
        [id, position, type, family_name, ticket_name, born_on],
      );
      await client.query(
        `insert into booking.tickets (number, booking_id, passenger_position, status, issued_at)
         values ($1, $2, $3, 'issued', $4)`,
        [`99999${String(rows[position].serial).padStart(8, '0')}`, id, position, issuedAt],
      );
    }
    await client.query(
      `insert into booking.payments (booking_id, authorisation_id, state, amount_minor, currency)
       values ($1, $2, 'authorised', $3, $4)`,
      [id, `auth_${randomUUID()}`, booking.total_minor, booking.currency],
    );
    await client.query(
      `insert into ackline.outbox (queue, id, key, headers, payload) values ('eticket-confirmed', $1, $2, $3, $4)`,
      [randomUUID(), id, sample.headers, payload],
    );
    await client.query('update booking.idempotency_keys set response = $1 where key = $2 and claim = $3', [
      sample.response,
      key,
      claim,
    ]);
  });
  await pool.query(`update booking.payments set state = 'captured' where booking_id = $1`, [id]);
  return reply.status(201).type('application/json').send(sample.answer);
});

const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
process.stdout.write(`${address}\n`);

async function inTransaction(work) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
  } finally {
    client.release();
  }
}

function reference() {
  return Array.from({ length: 6 }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');
}
