/** Some of the people of bench-chat.mjs: the arguments are their names. */
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Chat, plainFormat, PlainScreen, QueueConsumer, RoomServer } from '@eticket/chat-client';
import { openRoomQueue, readRoomPlace } from '@eticket/chat-room';

/** For what was said last to be seen by all. */
const LAST_SEEN_MS = 30_000;
const JOIN_DEADLINE_MS = 60_000;
const CONNECTIONS = 20;

const names = process.argv.slice(2);
const place = readRoomPlace();
const queue = await openRoomQueue(place, { clientId: 'bench', maxConnections: CONNECTIONS });
const people = names.map((name) => person(name));
process.on('disconnect', () => process.exit(1));
process.on('message', (task) => void talk(task));
process.on('SIGTERM', () => void end());
await Promise.all(people.map(({ joined }) => joined));
process.send({ type: 'joined' });

/** The whole client; what it writes to its screen is looked at line by line. */
function person(name) {
  const keyboard = new PassThrough();
  const leave = new AbortController();
  const seen = new Map();
  let tellJoined;
  const joined = new Promise((resolve) => (tellJoined = resolve));
  const screen = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      const now = process.hrtime.bigint();
      for (const line of text.split('\n')) {
        const said = /^\S+ (user-\d+): (\d+) (\d+)$/.exec(line);
        if (said) note(seen, said[1], Number(said[2]), Number(now - BigInt(said[3])) / 1e6);
        else if (line.endsWith(`* ${name} joined`)) tellJoined();
      }
      done();
    },
  });
  const chat = new Chat({
    screen: new PlainScreen(keyboard, screen),
    format: plainFormat,
    server: new RoomServer(process.env.CHAT_SERVER_URL),
    // The connections are shared, so that no single client closes them.
    consumer: new QueueConsumer(shared(queue.driver), place.topic),
    name,
    from: 'latest',
    where: queue.where,
    signal: leave.signal,
    joinDeadlineMs: JOIN_DEADLINE_MS,
  });
  return { name, keyboard, seen, joined, left: chat.run(), leave: () => leave.abort() };
}

function note(seen, name, number, latencyMs) {
  const ofUser = seen.get(name) ?? { numbers: [], latenciesMs: [] };
  seen.set(name, ofUser);
  ofUser.numbers.push(number);
  ofUser.latenciesMs.push(latencyMs);
}

function shared(driver) {
  return new Proxy(driver, {
    get(target, property) {
      if (property === 'close') return () => Promise.resolve();
      const value = target[property];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Each says its share, evenly over the time; the people one after the other. */
async function talk({ clients, messages, rate, startAt }) {
  const each = messages / clients;
  await Promise.all(
    people.map(async ({ name, keyboard }) => {
      const place = Number(name.slice('user-'.length)) / clients;
      for (let number = 0; number < each; number++) {
        const dueMs = ((number + place) * clients * 1000) / rate;
        const sinceStartMs = Number(process.hrtime.bigint() - BigInt(startAt)) / 1e6;
        if (dueMs > sinceStartMs) await delay(dueMs - sinceStartMs);
        keyboard.write(`${number} ${process.hrtime.bigint()}\n`);
      }
    }),
  );
  const whole = () =>
    people.every(({ seen }) => [...seen.values()].reduce((sum, { numbers }) => sum + numbers.length, 0) >= messages);
  for (const end = Date.now() + LAST_SEEN_MS; !whole() && Date.now() < end;) await delay(50);
  process.send({ type: 'done', ...result(clients, each) });
}

function result(clients, each) {
  const totals = { missing: 0, doubled: 0, outOfOrder: 0, latenciesMs: [] };
  for (const { seen } of people) {
    for (let user = 0; user < clients; user++) {
      const { numbers, latenciesMs } = seen.get(`user-${user}`) ?? { numbers: [], latenciesMs: [] };
      const different = new Set(numbers).size;
      totals.missing += each - different;
      totals.doubled += numbers.length - different;
      totals.outOfOrder += numbers.filter((number, index) => number < (numbers[index - 1] ?? -1)).length;
      for (const latencyMs of latenciesMs) totals.latenciesMs.push(latencyMs);
    }
  }
  return totals;
}

async function end() {
  for (const { leave } of people) leave();
  await Promise.allSettled(people.map(({ left }) => left));
  await queue.driver.close(1_000);
  await queue.release();
  process.exit(0);
}
