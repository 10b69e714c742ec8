/** One of three brokers is killed: the leader of partitions, the group's coordinator. */
import { setTimeout as sleep } from 'node:timers/promises';

function brokerKilled(name, which, more = {}) {
  return {
    name,
    ...more,
    async run(lab) {
      const stage = lab.stage({ visibilityMs: more.visibilityMs ?? 30_000 });
      stage.start();
      stage.start();
      const load = stage.load(300);
      await stage.busy(100);
      await stage.caughtUp();
      const broker = await which(lab, stage);
      await lab.kafka.kill(broker);
      const at = stage.hit();
      const inFlightAtKill = stage.tally.inFlight.size;
      await stage.busy(200);
      await sleep(3_000);
      const killed = performance.now();
      await lab.kafka.start(broker);
      await stage.busy(100);
      await load.stop();
      await stage.drained();
      return { stage, inFlightAtKill, recovery: stage.tally.waits(at, killed), note: `broker ${broker}` };
    },
  };
}

const leader = async (lab, stage) => {
  const metadata = await lab.admin((admin) => admin.fetchTopicMetadata({ topics: [stage.queue] }));
  return metadata.topics[0].partitions[0].leader;
};

/** The leader of the partition of Kafka's own topic that the group's name falls on. */
const coordinator = async (lab, stage) => {
  const offsets = '__consumer_offsets';
  const { topics } = await lab.admin((admin) => admin.fetchTopicMetadata({ topics: [offsets] }));
  const { partitions } = topics[0];
  let hash = 0;
  for (const letter of `${stage.queue}.g`) hash = (hash * 31 + letter.charCodeAt(0)) | 0;
  return partitions.find(({ partitionId }) => partitionId === (hash & 0x7fffffff) % partitions.length).leader;
};

export const leaderKilled = brokerKilled('broker killed: a leader', leader);
export const coordinatorKilled = brokerKilled('broker killed: the coordinator', coordinator, { short: true });
export const coordinatorKilledShortLease = brokerKilled('broker killed: the coordinator, leases of 6 s', coordinator, {
  visibilityMs: 6_000,
});
