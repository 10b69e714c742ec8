/** Plain kafkajs, as its documentation shows it: `eachMessage`, or `eachBatch` with handlers beside each other. */
import kafkajs from 'kafkajs';

/** Handlers beside each other in a partition: with 8 partitions, about 100 in all. */
const CHUNK = 12;
const COMMIT_EVERY_MS = 1_000;

export async function open({ kafkaBrokers, queue, partitions, mode }) {
  const kafka = new kafkajs.Kafka({ brokers: kafkaBrokers, logLevel: kafkajs.logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  const send = (payloads) => producer.send({ topic: queue, acks: -1, messages: payloads.map((value) => ({ value })) });
  return {
    publish: send,
    publishOne: (payload) => send([payload]),
    async consume({ group, handle, onSettled }) {
      const consumer = kafka.consumer({ groupId: group });
      await consumer.connect();
      await consumer.subscribe({ topic: queue, fromBeginning: true });
      const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
      await consumer.run(
        mode === 'eachBatch'
          ? { ...eachBatch({ handle, onSettled }), partitionsConsumedConcurrently: partitions }
          : {
              partitionsConsumedConcurrently: partitions,
              eachMessage: async ({ message }) => {
                await handle(message.value);
                onSettled(1);
              },
            },
      );
      await joined;
      return {
        stop: async () => {
          await consumer.stop();
          await consumer.disconnect();
        },
      };
    },
    close: () => producer.disconnect(),
  };
}

function eachBatch({ handle, onSettled }) {
  return {
    autoCommit: true,
    autoCommitInterval: COMMIT_EVERY_MS,
    eachBatchAutoResolve: false,
    eachBatch: async ({ batch, resolveOffset, commitOffsetsIfNecessary, heartbeat, isRunning, isStale }) => {
      const { messages } = batch;
      for (let at = 0; at < messages.length && isRunning() && !isStale(); at += CHUNK) {
        const chunk = messages.slice(at, at + CHUNK);
        await Promise.all(chunk.map(({ value }) => handle(value)));
        resolveOffset(chunk.at(-1).offset);
        onSettled(chunk.length);
        await heartbeat();
        await commitOffsetsIfNecessary();
      }
    },
  };
}
