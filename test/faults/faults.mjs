#!/usr/bin/env node
/**
 * Breaks everything that can break under the queue, with real processes and real servers, and counts what was lost and
 * what was done twice. docs/faults.md says what each fault is, and has a table of results.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Lab } from './lab.mjs';
import { judge, tableOf } from './report.mjs';
import * as brokers from './scenarios/brokers.mjs';
import * as database from './scenarios/database.mjs';
import * as messages from './scenarios/messages.mjs';
import * as network from './scenarios/network.mjs';
import * as workers from './scenarios/workers.mjs';

const FAULTS = [workers, brokers, network, database, messages].flatMap((module) => Object.values(module));

const USAGE = `npm run test:faults -- [options]

  --only TEXT      only faults with TEXT in their name; may be repeated
  --short          the faults that CI tries, small
  --minutes N      the long form: half of that is the storm; from 15 on a million messages are settled
  --json FILE      write a list of { fault, published, handled, lost, deliveredTwice, inFlightAtKill, recoveryP99Ms } there
  --list           only print the faults' names

Needs Docker, or Java and Maven. Brokers of its own are started, or those of KAFKA_LOCAL_DIR (three, of tools/kafka-local)
are used: they are killed and started again. Ends with 1 where a bound was violated.
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    short: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    json: { type: 'string' },
    list: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

if (values.help) process.stdout.write(USAGE);
else if (values.list) process.stdout.write(`${FAULTS.map(({ name }) => name).join('\n')}\n`);
else process.exitCode = await main();

async function main() {
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (minutes !== undefined && !(minutes > 0)) throw new Error('--minutes takes a number above 0.');
  const chosen = FAULTS.filter(({ name, short }) => {
    if (values.only) return values.only.some((text) => name.includes(text));
    return !values.short || short;
  });
  if (chosen.length === 0) throw new Error('no fault has that in its name; --list prints them.');
  const lab = new Lab({ short: values.short, minutes });
  const results = [];
  const interrupted = () => void lab.clear().finally(() => lab.close().finally(() => process.exit(130)));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    say('starting three brokers …');
    await lab.start();
    for (const [index, fault] of chosen.entries()) {
      say(`${index + 1}/${chosen.length} ${fault.name} …`);
      const result = await tried(lab, fault);
      results.push(result);
      say(
        `    ${[`${result.seconds} s`, result.note, ...result.violations.map((each) => `VIOLATED: ${each}`)].filter(Boolean).join('; ')}`,
      );
      await lab.clear();
    }
  } finally {
    await lab.close();
  }
  process.stdout.write(`\n${tableOf(results)}`);
  if (values.json)
    await writeFile(
      values.json,
      `${JSON.stringify(
        results.map(({ row }) => row),
        null,
        2,
      )}\n`,
    );
  const bad = results.filter(({ violations }) => violations.length > 0).length;
  process.stdout.write(`${results.length - bad} passed, ${bad} failed\n`);
  return bad === 0 ? 0 : 1;
}

async function tried(lab, fault) {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  try {
    const outcome = await fault.run(lab);
    return { ...judge(fault.name, outcome), seconds: seconds() };
  } catch (error) {
    const row = lab.rowOfFailure(fault.name);
    return { row, note: '', seconds: seconds(), violations: [error.message] };
  }
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
