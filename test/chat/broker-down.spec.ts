import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@eticket/service/testing';
import { availableEngine, startKafka, type LocalKafka } from '../../tools/kafka-local/kafka-cluster.mjs';
import { by, ChatLab, inKafka, saidOn } from './chat-lab.js';
import { canHaveTerminals, type Terminal } from './terminals.js';

/** Where Kafka is tested at all; these brokers are killed, so that they have to be this spec's own. */
const wanted = process.env.TEST_KAFKA_BROKERS !== undefined && (await canHaveTerminals());
const engine = wanted ? await availableEngine() : undefined;
if (wanted && !engine) {
  const why = 'the chat room on three brokers needs a Docker engine, or Java 17 and Maven';
  if (process.env.CI) throw new Error(why);
  process.stderr.write(`\n!!! SKIPPED: ${why}\n\n`);
}
const NAMES = ['ana', 'bob', 'cem'] as const;

(engine ? describe : describe.skip)('the chat room on three brokers', () => {
  let kafka: LocalKafka;
  let lab: ChatLab;
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 3, dir: await mkdtemp(join(tmpdir(), 'chat-kafka-')) });
    // Longer than a broker is missed: nobody is to be taken for gone by that.
    lab = await ChatLab.open(await inKafka(kafka.bootstrap)(), { CHAT_GONE_AFTER_MS: '30000' });
  }, 240_000);
  afterAll(async () => {
    await lab?.close();
    await kafka?.stop({ remove: true });
  }, 120_000);

  it.each([1, 2, 3])(
    'goes on when broker %i is killed: nothing is lost, doubled or out of order',
    async (broker) => {
      const names = NAMES.map((name) => `${name}${broker}`);
      const terminals = await Promise.all(names.map((name) => lab.join(name)));
      const talk = async (first: number, last: number): Promise<void> => {
        for (let number = first; number <= last; number++) {
          for (const terminal of terminals) await terminal.enter(`number ${number}`);
        }
      };
      await talk(1, 3);
      const talking = talk(4, 12);
      await kafka.kill(broker);
      await talking;
      await allSee(terminals, names, 12);
      await kafka.start(broker);
      await talk(13, 14);
      await allSee(terminals, names, 14);
      for (const terminal of terminals) await terminal.enter('/leave');
      for (const terminal of terminals) expect(await terminal.exited(30_000)).toBe(0);
    },
    240_000,
  );
});

async function allSee(terminals: readonly Terminal[], names: readonly string[], last: number): Promise<void> {
  const numbers = Array.from({ length: last }, (_, index) => `number ${index + 1}`);
  for (const terminal of terminals) {
    await eventually(
      async () => {
        const said = await saidOn(terminal);
        expect(names.map((name) => by(name, said))).toEqual(names.map(() => numbers));
      },
      { deadlineMs: 60_000, everyMs: 250 },
    );
  }
}
