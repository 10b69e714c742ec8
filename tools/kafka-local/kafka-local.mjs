#!/usr/bin/env node
/** `kafka-local up|down`: see the usage text. */
import { parseArgs } from 'node:util';
import { startKafka, stopKafka } from './kafka-cluster.mjs';

const USAGE = `A real Kafka on this machine, by Docker where an engine answers, else by Java and Maven.

  node tools/kafka-local/kafka-local.mjs up [--brokers 1|3] [--port 9092] [--dir DIR] [--with docker|java] [--secure] [--json]
  node tools/kafka-local/kafka-local.mjs down [--dir DIR] [--remove]

up     starts the cluster, or brings up again the one in its folder, waits until it answers and prints KAFKA_BROKERS=…
       --port is the first broker's port, the next ones take the following; free ports are chosen without it.
--secure  adds listeners that ask for TLS and a log-in (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512), by Java only, and prints
       how to pass them.
down   ends only what up started; --remove deletes its data too.
DIR    defaults to KAFKA_LOCAL_DIR, else .kafka-local in the checkout (keep it out of git).`;

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      brokers: { type: 'string' },
      port: { type: 'string' },
      dir: { type: 'string' },
      with: { type: 'string' },
      secure: { type: 'boolean' },
      json: { type: 'boolean' },
      remove: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const [command] = positionals;
  if (values.help || (command !== 'up' && command !== 'down')) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  if (command === 'down') {
    const dir = values.dir ?? process.env.KAFKA_LOCAL_DIR;
    const found = await stopKafka(dir, { remove: values.remove ?? false });
    process.stdout.write(found ? 'Kafka is down.\n' : 'There was no Kafka to end.\n');
    return 0;
  }
  const brokers = values.brokers === undefined ? undefined : Number(values.brokers);
  const first = values.port === undefined ? undefined : Number(values.port);
  const cluster = await startKafka({
    ...(brokers === undefined ? {} : { brokers }),
    ...(first === undefined ? {} : { ports: [first, first + 1, first + 2] }),
    ...(values.dir === undefined ? {} : { dir: values.dir }),
    ...(values.with === undefined ? {} : { engine: values.with }),
    ...(values.secure ? { secure: true } : {}),
  });
  const shown = values.json
    ? JSON.stringify({ brokers: cluster.bootstrap, engine: cluster.engine, dir: cluster.dir, secure: cluster.secure })
    : [`KAFKA_BROKERS=${cluster.bootstrap}`, ...secureLines(cluster.secure)].join('\n');
  process.stdout.write(`${shown}\n`);
  return 0;
}

/** The same brokers through their other door; KAFKA_BROKERS stays the plain one for scripts that read it. */
function secureLines(secure) {
  if (!secure) return [];
  const { bootstrap, caFile, username, password } = secure;
  return [
    '# with TLS and a log-in instead:',
    `# KAFKA_BROKERS=${bootstrap} KAFKA_SSL=true KAFKA_SSL_CA_FILE=${caFile}`,
    `# KAFKA_SASL_MECHANISM=scram-sha-512 KAFKA_SASL_USERNAME=${username} KAFKA_SASL_PASSWORD=${password}`,
  ];
}

main().then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`kafka-local: ${error.message}\n`);
    process.exit(1);
  },
);
