/**
 * A worker as a process of its own. Prints `H id count` when a handler starts and `A id` when its settlement is durable;
 * SIGTERM closes it. A message's header `do` says what its handler does: nothing more (ack), `nack-2` (twice, then ack),
 * `nack-2-reject`, `day` (again tomorrow), `die` (takes the process along).
 */
import { Ackline } from 'ackline';
import { openDriver } from './connection.mjs';

const { connection, detours, consume, handleMs, quiet } = JSON.parse(process.argv[2]);
const say = (line) => void process.stdout.write(`${line}\n`);
const logger = ({ level, message }) => level === 'error' && say(`E ${message}`);
const ackline = new Ackline({ driver: openDriver(connection, { detours, logger }) });

async function settle(delivery) {
  const [first, times, last] = (delivery.message.headers.do ?? '').split('-');
  if (first === 'die') process.kill(process.pid, 'SIGKILL');
  if (first === 'day') return delivery.nack({ delayMs: 24 * 60 * 60 * 1000, errorCode: 'tomorrow' });
  if (first === 'nack' && delivery.deliveryCount <= Number(times))
    return delivery.nack({ delayMs: 300, errorCode: 'later' });
  if (last === 'reject') return delivery.reject({ errorCode: 'hopeless' });
  return delivery.ack();
}

ackline.consume(consume, async (delivery) => {
  const { id } = delivery.message;
  if (!quiet) say(`H ${id} ${delivery.deliveryCount}`);
  if (handleMs > 0) await new Promise((done) => setTimeout(done, handleMs * (0.5 + Math.random())));
  // Not awaited where only the rate matters: the library acks what returns, many at once.
  if (quiet && delivery.message.headers.do === undefined) return counted();
  await settle(delivery);
  say(`A ${id}`);
});

let handled = 0;
function counted() {
  if (++handled % 1_000 === 0) say(`C ${handled}`);
}
if (quiet) setInterval(() => say(`C ${handled}`), 500);

process.once('SIGTERM', () => void ackline.close(10_000).then(() => process.exit(0)));
