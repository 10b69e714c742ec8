/** ackline, on whichever driver the setting names. */
import { Ackline } from '../../../libs/queue/dist/index.js';

export async function open({ kafkaBrokers, databaseUrl, queue, partitions }) {
  const { acked, observer } = countAcks();
  const ackline = new Ackline({ driver: await driverFor({ kafkaBrokers, databaseUrl, partitions }), observer });
  await ackline.start();
  return {
    publish: (payloads) =>
      ackline.publish(
        queue,
        payloads.map((payload) => ({ payload })),
      ),
    publishOne: (payload) => ackline.publish(queue, { payload }),
    async consume({ group, concurrency, handle, onSettled }) {
      acked.then = onSettled;
      const consumer = ackline.consume({ queue, group, concurrency }, (delivery) =>
        handle(delivery.message.payload, delivery.message.origin),
      );
      while (consumer.status().state !== 'consuming') await new Promise((resolve) => setTimeout(resolve, 5));
      return { stop: () => consumer.close(10_000) };
    },
    close: () => ackline.close(10_000),
  };
}

async function driverFor({ kafkaBrokers, databaseUrl, partitions }) {
  if (kafkaBrokers) {
    const { kafkaDriver } = await import('../../../libs/queue/dist/drivers/kafka/index.js');
    return kafkaDriver({ brokers: kafkaBrokers, partitions });
  }
  const { postgresDriver } = await import('../../../libs/queue/dist/drivers/postgres/index.js');
  return postgresDriver({ connectionString: databaseUrl });
}

/** Tells of each ack that is durable. */
function countAcks() {
  const acked = { then: undefined };
  return { acked, observer: ({ type }) => void (type === 'acked' && acked.then?.(1)) };
}
