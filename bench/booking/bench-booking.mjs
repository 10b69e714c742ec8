#!/usr/bin/env node
/**
 * What a booking costs: how many `POST /api/bookings` a second the real service takes, beside a bare program that writes
 * the same rows in as many commits; how long one takes while mail or Kafka is away; how long a search takes.
 *
 * Everything is measured in turns, in short slices of one run, because this machine may be busy with something else in
 * the next minute; a figure is the median of its slices. Times are taken at a steady rate of requests, from when each was
 * due. `Mail away` is a relay that refuses connections, under a worker that has its mails to send; `Kafka away` is a
 * booking service with a database of its own whose brokers refuse connections, so that its outbox grows.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { asManyAsGo, atRate, get, median, post, quantile } from './load.mjs';
import { freePort, main, startKafka, startProgram, startRelay, startYardstick } from './places.mjs';

const USAGE = `npm run bench:booking -- [options]

  --rounds N       slices of each kind (5)
  --seconds N      that a slice lasts (4)
  --connections N  that ask for bookings at once where as many as go are measured (16)
  --rate N         bookings a second where their times are measured (40)
  --searches N     searches a second (200)
  --json FILE      write { bookingsPerSecond, yardstickPerSecond, p99Ms, p99MailDownMs, p99KafkaDownMs, searchP99Ms } there
  --cpu-prof DIR   profile the CPU of the booking service and of the yardstick into DIR

PostgreSQL is an embedded one that is thrown away. So is Kafka (tools/kafka-local: Docker, or Java), unless
TEST_KAFKA_BROKERS names brokers, whose topics of the product are then used.
`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '16' },
    rate: { type: 'string', default: '40' },
    searches: { type: 'string', default: '200' },
    json: { type: 'string' },
    'cpu-prof': { type: 'string' },
    help: { type: 'boolean' },
  },
});

const SECONDS = Number(values.seconds);
const LOAD = { connections: Number(values.connections), seconds: SECONDS };
const STEADY = { perSecond: Number(values.rate), seconds: SECONDS };
const SEARCHES = { perSecond: Number(values.searches), seconds: SECONDS };
const DATABASE_CONNECTIONS = 10;
const DRAIN_MS = 300_000;
const WARM_UP_SECONDS = 3;
const AIRPORTS = ['MAD', 'LHR', 'BCN', 'JFK', 'ZRH', 'SYD', 'DUB', 'FRA', 'CDG', 'LIS', 'SIN', 'FCO', 'GRU', 'OSL'];

if (values.help) process.stdout.write(USAGE);
else await bench();

async function bench() {
  const dir = await mkdtemp(join(tmpdir(), 'bench-booking-'));
  const started = [];
  const start = async (what) => {
    const running = await what;
    started.push(running);
    return running;
  };
  try {
    say(`cores ${availableParallelism()}, load ${loadavg()[0].toFixed(1)}, node ${process.version}; starting`);
    const scene = await setUp(dir, start);
    await warmUp(scene);
    const slices = {
      bookings: [],
      yardstick: [],
      bookingCpu: [],
      yardstickCpu: [],
      up: [],
      mailDown: [],
      kafkaDown: [],
      search: [],
    };
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      await turn(scene, slices);
      say(`round ${round}: ${lineOf((kind) => slices[kind].at(-1))}`);
    }
    say(`median:  ${lineOf((kind) => median(slices[kind]))}`);
    say(
      `bookings at ${(median(slices.bookings) / median(slices.yardstick)).toFixed(2)} of the yardstick; CPU of the ` +
        `process a booking ${median(slices.bookingCpu).toFixed(1)} ms, yardstick ${median(slices.yardstickCpu).toFixed(1)} ms`,
    );
    if (values.json) await writeFile(values.json, `${JSON.stringify(reportOf(slices), null, 2)}\n`);
  } finally {
    for (const running of started.reverse()) await running.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function setUp(dir, start) {
  const { createLogger, createPool, migrateSchema, startEmbeddedPostgres } = await import('@eticket/service');
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const postgres = await start(startEmbeddedPostgres({ dataDir: dir, logger }));
  const pool = createPool({ connectionString: postgres.connectionString, applicationName: 'bench', logger });
  await start({ stop: () => pool.end() });
  const databaseUrls = {};
  for (const name of ['up', 'kafka_down', 'yardstick']) {
    await pool.query(`create database ${name}`);
    const url = new URL(postgres.connectionString);
    url.pathname = `/${name}`;
    databaseUrls[name] = url.href;
  }
  const kafka = await start(startKafka(dir));
  const relay = await start(startRelay());
  const env = (database, brokers) => ({
    DATABASE_URL: databaseUrls[database],
    DATABASE_CONNECTIONS: String(DATABASE_CONNECTIONS),
    KAFKA_BROKERS: brokers,
    SEARCHES_PER_MINUTE: '0',
    BOOKINGS_PER_MINUTE: '0',
  });
  const booking = await start(startProgram(main('booking'), env('up', kafka.brokers), { cpuProf: values['cpu-prof'] }));
  const nobody = `127.0.0.1:${await freePort()}`;
  const lonely = await start(
    startProgram(main('booking'), env('kafka_down', nobody), { away: 'mail-status-consumer' }),
  );
  const worker = { DATABASE_URL: databaseUrls.up, KAFKA_BROKERS: kafka.brokers, SMTP_URL: relay.url() };
  await start(startProgram(main('mail-eticket'), worker));
  const database = createPool({ connectionString: databaseUrls.up, applicationName: 'bench', logger });
  await start({ stop: () => database.end() });
  const body = await bodyOf(booking.url);
  const sample = await sampleOf(database, await post(`${booking.url}/api/bookings`, body)());
  await prepareTables(databaseUrls.yardstick, { createPool, migrateSchema, logger });
  const yardstick = await start(
    startYardstick(databaseUrls.yardstick, DATABASE_CONNECTIONS, sample, { cpuProf: values['cpu-prof'] }),
  );
  return {
    relay,
    cpuMs: { booking: booking.cpuMs, yardstick: yardstick.cpuMs },
    drained: () => drained(database, relay),
    book: post(`${booking.url}/api/bookings`, body),
    bookLonely: post(`${lonely.url}/api/bookings`, await bodyOf(lonely.url)),
    bookBare: post(yardstick.url, body),
    search: inTurn(searches().map((query) => get(`${booking.url}/api/offers?${query}`))),
  };
}

/** One slice of each. */
async function turn(scene, slices) {
  const p99 = async (times) => quantile(await times, 0.99);
  // The yardstick has the same company: the worker is then busy with the mails of the bookings, as it was before.
  await many(scene.book, scene.cpuMs.booking, slices.bookings, slices.bookingCpu);
  await many(scene.bookBare, scene.cpuMs.yardstick, slices.yardstick, slices.yardstickCpu);
  await scene.drained();
  slices.up.push(await p99(atRate(scene.book, STEADY)));
  await scene.drained();
  await scene.relay.stop();
  slices.mailDown.push(await p99(atRate(scene.book, STEADY)));
  await scene.relay.start();
  await scene.drained();
  slices.kafkaDown.push(await p99(atRate(scene.bookLonely, STEADY)));
  slices.search.push(await p99(atRate(scene.search, SEARCHES)));
}

async function many(ask, cpuMs, rates, cpus) {
  const before = await cpuMs();
  const rate = await asManyAsGo(ask, LOAD);
  rates.push(rate);
  cpus.push(((await cpuMs()) - before) / (rate * SECONDS));
}

async function warmUp(scene) {
  const load = { ...LOAD, seconds: WARM_UP_SECONDS };
  for (const ask of [scene.book, scene.bookLonely, scene.bookBare, scene.search]) await asManyAsGo(ask, load);
  await scene.drained();
}

/** Resolves when every booking has its mail. */
async function drained(database, relay) {
  for (const end = performance.now() + DRAIN_MS; ; await delay(100)) {
    const { rows } = await database.query('select count(*) from booking.bookings');
    if ((await relay.taken()) >= Number(rows[0].count)) return;
    if (performance.now() > end) throw new Error('the mails did not leave in time');
  }
}

/** A body as a traveller's browser sends it, for the cheapest flight of a day to come. */
async function bodyOf(url) {
  const [query] = searches();
  const { data } = JSON.parse(await get(`${url}/api/offers?${query}`)());
  const ana = { type: 'adult', title: 'ms', givenName: 'Lucía', familyName: 'Fernández Ortiz', bornOn: '1988-04-17' };
  return {
    offerId: data[0].id,
    passengers: [ana],
    contact: { email: 'lucia.fernandez@example.com', phone: '+34911234567' },
    payment: { token: 'tok_visa' },
    locale: 'es-ES',
  };
}

/** Many, so that hardly one is asked for twice in a slice: between these airports, on days up to most of a year ahead. */
function searches() {
  const day = (ahead) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
  return Array.from({ length: 997 }, (_, at) => {
    const origin = AIRPORTS[at % AIRPORTS.length];
    const destination = AIRPORTS[(at + 1 + (at % (AIRPORTS.length - 1))) % AIRPORTS.length];
    const ahead = 20 + ((at * 37) % 280);
    const search = { origin, destination, departureDate: day(ahead), adults: 1 + (at % 3), cabin: 'economy' };
    const back = at % 2 === 0 ? {} : { returnDate: day(ahead + 7) };
    return new URLSearchParams({ ...search, ...back, currency: 'EUR' }).toString();
  });
}

function inTurn(asks) {
  let at = 0;
  return () => asks[at++ % asks.length]();
}

/** The rows of the first booking, for the yardstick to write again. */
async function sampleOf(database, answer) {
  const { id } = JSON.parse(answer).data;
  const one = async (query) => (await database.query(query, [id])).rows;
  const [booking] = await one('select currency, total_minor, snapshot::text from booking.bookings where id = $1');
  const passengers = await one(
    'select type, family_name, ticket_name, born_on::text from booking.passengers where booking_id = $1 order by position',
  );
  const [key] = await one('select fingerprint, response from booking.idempotency_keys where booking_id = $1');
  const event = { eventId: id, type: 'eticket-confirmed', version: 1, occurredAt: new Date().toISOString() };
  return {
    booking,
    passengers,
    snapshot: booking.snapshot,
    fingerprint: key.fingerprint.toString('base64'),
    response: key.response,
    payload: JSON.stringify({ ...event, booking: JSON.parse(booking.snapshot) }),
    headers: JSON.stringify({ 'message-id': id, type: event.type, version: '1', 'content-type': 'application/json' }),
    answer: answer.toString(),
  };
}

/** The tables and indexes that the booking service has. */
async function prepareTables(databaseUrl, { createPool, migrateSchema, logger }) {
  const { MIGRATIONS } = await import('../../apps/booking/dist/database/migrations/index.js');
  const { kafkaDriver } = await import('ackline/kafka');
  const { Outbox } = await import('ackline/outbox');
  const pool = createPool({ connectionString: databaseUrl, applicationName: 'bench', logger });
  await migrateSchema(pool, { schema: 'booking', migrations: MIGRATIONS, logger });
  await new Outbox({ driver: kafkaDriver({ brokers: ['127.0.0.1:1'] }), pool }).migrate();
  await pool.end();
}

function lineOf(valueOf) {
  const [rate, time] = [(kind) => valueOf(kind).toFixed(0), (kind) => `${valueOf(kind).toFixed(1)} ms`];
  return (
    `${rate('bookings')} bookings/s, yardstick ${rate('yardstick')}/s; p99 ${time('up')}, mail away ` +
    `${time('mailDown')}, Kafka away ${time('kafkaDown')}; search p99 ${time('search')}`
  );
}

function reportOf(slices) {
  const value = (kind) => Math.round(median(slices[kind]) * 10) / 10;
  return {
    bookingsPerSecond: value('bookings'),
    yardstickPerSecond: value('yardstick'),
    p99Ms: value('up'),
    p99MailDownMs: value('mailDown'),
    p99KafkaDownMs: value('kafkaDown'),
    searchP99Ms: value('search'),
  };
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
