/** Memory and file handles of one process that publishes, handles and acks a million messages. */
import { startProcess } from './processes.mjs';
import { table, tenths, whole } from './figures.mjs';

const CONCURRENCY = 100;
const BATCH = 500;
const SAMPLES = 10;

export async function flatTable(setting, title, { messages, say }) {
  const every = Math.ceil(messages / SAMPLES / BATCH) * BATCH;
  // Collected before each sample: what is left is what is held.
  const started = await startProcess(setting, { execArgv: ['--expose-gc'] });
  try {
    started.start('flat', { group: 'flat', concurrency: CONCURRENCY, messages: every * SAMPLES, every, batch: BATCH });
    let told = await started.next();
    for (; told.progress; told = await started.next()) say(`${title}: ${told.progress}`);
    const rows = [[`${title}: messages`, 'rss MB', 'heap MB', 'buffers MB', 'file handles']];
    for (const { messages: at, rssMb, heapMb, externalMb, handles } of told.samples) {
      rows.push([whole(at), tenths(rssMb), tenths(heapMb), tenths(externalMb), handles ?? '–']);
    }
    return { text: table(rows), samples: told.samples };
  } finally {
    await started.stop();
  }
}
