/** pg-boss as its documentation shows it for throughput: woken by NOTIFY, going on at once while batches come full. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Workers that fetch beside each other; with their batches together as many handlers as the others have. */
const WORKERS = 4;
/** Index and time of a payload. */
const HEAD_BYTES = 12;

export async function open({ databaseUrl, queue, pgBossHome }) {
  const require = createRequire(`${pgBossHome}/package.json`);
  const { PgBoss } = await import(pathToFileURL(require.resolve('pg-boss')));
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  if (!(await boss.getQueue(queue))) await boss.createQueue(queue, { notify: true });
  // JSON takes no bytes: what says who and when as base64, the rest as text of the same length.
  const dataOf = (payload) => ({
    head: payload.toString('base64', 0, HEAD_BYTES),
    text: payload.toString('latin1', HEAD_BYTES),
  });
  return {
    publish: (payloads) =>
      boss.insert(
        queue,
        payloads.map((payload) => ({ data: dataOf(payload) })),
      ),
    publishOne: (payload) => boss.send(queue, dataOf(payload)),
    async consume({ concurrency, handle, onSettled }) {
      const options = {
        localConcurrency: WORKERS,
        batchSize: Math.ceil(concurrency / WORKERS),
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
      };
      await boss.work(queue, options, async (jobs) => {
        await Promise.all(jobs.map(({ data }) => handle(Buffer.from(data.head, 'base64'))));
        // It completes them when this has returned: counted a little early, in its favour.
        setImmediate(() => onSettled(jobs.length));
      });
      return { stop: () => boss.offWork(queue) };
    },
    close: () => boss.stop({ graceful: false }),
  };
}
