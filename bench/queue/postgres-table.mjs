/** ackline on PostgreSQL beside pg-boss: the same server, database and Node, one after the other in every round. */
import { inProcess, latencies } from './processes.mjs';
import { median, quantile, table, tenths, whole } from './figures.mjs';

const CONCURRENCY = 100;
const BATCH = 500;
const PER_SECOND = 500;
const SINGLES = 1_000;

export async function postgresTable({ databaseUrl, messages, runs, seconds, pgBoss, say }) {
  const name = `bench-${process.pid}-${Date.now()}`;
  const how = pgBoss ? { execPath: pgBoss.node } : {};
  const candidates = {
    ackline: (queue) => ({ candidate: 'ackline', databaseUrl, queue: `${name}-${queue}` }),
    ...(pgBoss && {
      pgBoss: (queue) => ({ candidate: 'pg-boss', databaseUrl, queue: `${name}-${queue}`, pgBossHome: pgBoss.home }),
    }),
  };
  const measured = {};
  for (const candidate of Object.keys(candidates)) measured[candidate] = { single: [], bulk: [], handled: [], p99: [] };
  for (let run = 1; run <= runs; run += 1) {
    const names = Object.keys(candidates);
    for (const candidate of run % 2 === 0 ? names.reverse() : names) {
      const setting = candidates[candidate](`run-${run}`);
      const figures = measured[candidate];
      const group = 'bench';
      // The group is there first: publishing pays for it.
      await inProcess(setting, 'join', { group, concurrency: CONCURRENCY }, how);
      figures.single.push((await inProcess(setting, 'single', { messages: SINGLES }, how)).perSecond);
      figures.bulk.push((await inProcess(setting, 'publish', { messages, batch: BATCH }, how)).perSecond);
      const all = { group, concurrency: CONCURRENCY, messages: messages + SINGLES };
      figures.handled.push((await inProcess(setting, 'drain', all, how)).perSecond);
      const paced = { group, concurrency: CONCURRENCY, messages: seconds * PER_SECOND, perSecond: PER_SECOND };
      figures.p99.push(quantile((await latencies(setting, paced, how)).latencies, 0.99));
      const [single, bulk, handled, p99] = Object.values(figures).map((list) => list.at(-1));
      say(
        `PostgreSQL ${run}/${runs}: ${candidate} single ${whole(single)}/s, bulk ${whole(bulk)}/s, ` +
          `handled ${whole(handled)}/s, p99 ${tenths(p99)} ms`,
      );
    }
  }
  const figuresOf = (candidate) => {
    const figures = measured[candidate];
    return {
      enqueuePerSecond: figures ? median(figures.single) : null,
      bulkPerSecond: figures ? median(figures.bulk) : null,
      handledPerSecond: figures ? median(figures.handled) : null,
      p99Ms: figures ? median(figures.p99) : null,
    };
  };
  const [pg, boss] = [figuresOf('ackline'), figuresOf('pgBoss')];
  const row = (title, field, show, ratio) => [
    title,
    show(pg[field]),
    show(boss[field]),
    boss[field] === null ? '–' : ratio(pg[field], boss[field]).toFixed(2),
  ];
  const more = (ours, theirs) => ours / theirs;
  const less = (ours, theirs) => theirs / ours;
  const text = table([
    ['PostgreSQL: 1 KiB', 'ackline', 'pg-boss', 'ahead by'],
    row('enqueued a second, one call each', 'enqueuePerSecond', whole, more),
    row('enqueued a second, batches of 500', 'bulkPerSecond', whole, more),
    row(`handled and acked a second, of ${whole(messages + SINGLES)}`, 'handledPerSecond', whole, more),
    row('p99 from enqueue to handler at 500/s, ms', 'p99Ms', tenths, less),
  ]);
  return { figures: { pg, pgBoss: boss }, text };
}

/** Whether taking costs the same with `history` settled messages behind, and how far the tables of what is open grow. */
export async function historyTable({ databaseUrl, history, say }) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const setting = { candidate: 'ackline', databaseUrl, queue: `history-${process.pid}-${Date.now()}` };
  const options = { group: 'bench', concurrency: CONCURRENCY };
  const rows = [['PostgreSQL: settled before', 'handled a second', 'delivery table and indexes, MB']];
  const share = Math.ceil(history / 5 / BATCH) * BATCH;
  try {
    await inProcess(setting, 'join', options);
    for (let settled = 0; settled <= share * 5; settled += share) {
      await inProcess(setting, 'publish', { messages: share, batch: BATCH });
      const { perSecond } = await inProcess(setting, 'drain', { ...options, messages: share });
      const { rows: size } = await pool.query("select pg_total_relation_size('ackline.delivery') as bytes");
      rows.push([whole(settled), whole(perSecond), tenths(Number(size[0].bytes) / 2 ** 20)]);
      say(`history ${whole(settled)}: ${whole(perSecond)}/s, ${rows.at(-1)[2]} MB`);
    }
  } finally {
    await pool.end();
  }
  return table(rows);
}
