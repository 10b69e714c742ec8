import { describeQueueDriver } from '../../testing/index.js';
import { kafkaHarness } from './testing/kafka-harness.js';
import { canHaveKafka, testKafka } from './testing/test-kafka.js';

// Retention is the broker's own: that what waits outlives it is shown in kafka-retention.spec.ts.
const lacks = ['passRetention'] as const;

if (await canHaveKafka()) {
  describeQueueDriver(
    'Kafka',
    async () => {
      const kafka = await testKafka();
      const harness = kafkaHarness(kafka.brokers);
      return {
        ...harness,
        close: async () => {
          await harness.close();
          await kafka.stop();
        },
      };
    },
    { lacks, timeoutMs: 120_000 },
  );
} else {
  describe.skip('Kafka keeps the promises of the queue port', () => {
    it.todo('needs a Kafka');
  });
}
