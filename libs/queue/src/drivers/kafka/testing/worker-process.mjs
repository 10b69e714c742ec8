/**
 * A worker as a process of its own, for tests that kill it. Prints `H id count` when a handler starts and `A id` when
 * its ack is durable; SIGTERM closes it. Runs the built library: `npm run build` first.
 */
import { Ackline } from 'ackline';
import { kafkaDriver } from 'ackline/kafka';

const { brokers, queue, visibilityTimeoutMs, handleMs } = JSON.parse(process.argv[2]);
const ackline = new Ackline({ driver: kafkaDriver({ brokers }) });
ackline.consume(
  { queue, group: 'g', concurrency: 20, visibilityTimeoutMs, maxDeliveries: 20, order: 'none' },
  async (delivery) => {
    const { message, deliveryCount } = delivery;
    process.stdout.write(`H ${message.id} ${deliveryCount}\n`);
    await new Promise((resolve) => setTimeout(resolve, handleMs * (0.5 + Math.random())));
    await delivery.ack();
    process.stdout.write(`A ${message.id}\n`);
  },
);
process.once('SIGTERM', () => void ackline.close(5_000).then(() => process.exit(0)));
