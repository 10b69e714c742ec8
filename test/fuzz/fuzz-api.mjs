/**
 * Sends what schemathesis makes of the OpenAPI document to a running booking service: no answer may be a 5xx, or one that the
 * document does not have (status, content type, headers, shape). Bounded in time.
 *
 *     npm run test:fuzz            needs Python 3 with venv; the first run fetches schemathesis from PyPI
 *
 * FUZZ_SECONDS (60) bounds it. It tries the same each time; FUZZ_SEED=<number> tries something else.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBookingConfig, startBooking } from '@eticket/booking';
import { createLogger, startEmbeddedPostgres } from '@eticket/service';

const VERSION = '4.32.5';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 60);

const schemathesis = install();
if (schemathesis === undefined) process.exit(0);
const folder = mkdtempSync(join(tmpdir(), 'eticket-fuzz-'));
// Under root PostgreSQL is another user's, who must get through.
chmodSync(folder, 0o755);
const lines = [];
const logger = createLogger({ service: 'fuzz', level: 'warn', destination: { write: (line) => lines.push(line) } });
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), logger });
let status = 1;
try {
  const env = {
    PORT: '0',
    DATABASE_URL: postgres.connectionString,
    SEARCHES_PER_MINUTE: '0',
    BOOKINGS_PER_MINUTE: '0',
    PAYMENT_DEADLINE_MS: '50',
  };
  const booking = await startBooking(readBookingConfig(env), { logger });
  try {
    status = await fuzz(booking.url);
  } finally {
    await booking.stop();
  }
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (status !== 0) process.stdout.write(`\nWhat the service logged:\n${lines.slice(-20).join('')}\n`);
process.exit(status);

/** In a virtual environment of its own. Without PyPI there is nothing to say about the API: that is told, and is no failure. */
function install() {
  const venv = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), `schemathesis-${VERSION}`);
  const program = join(venv, 'bin', 'schemathesis');
  const run = (command, ...args) => execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    if (!existsSync(program)) {
      run('python3', '-m', 'venv', venv);
      run(join(venv, 'bin', 'pip'), 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`);
    }
    return program;
  } catch (error) {
    process.stderr.write(
      `\n  THE API WAS NOT FUZZED: schemathesis ${VERSION} cannot be installed (${error.message}).\n\n`,
    );
    return undefined;
  }
}

/** Half of the runs know a booking and its token, so that what lies behind them is reached too. */
async function fuzz(url) {
  while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 100));
  const { offer, booking } = await examples(url);
  const config = join(folder, 'schemathesis.toml');
  const known = `[[operations]]
include-path-regex = "^/api/bookings/[{]id[}]"
headers = { Authorization = "Bearer ${booking.accessToken}" }
parameters = { "path.id" = "${booking.id}" }

[[operations]]
include-path = "/api/offers/{id}"
parameters = { "path.id" = "${offer.id}" }
`;
  let worst = 0;
  for (const text of ['', known]) {
    writeFileSync(config, text);
    const args = [
      ...['--config-file', config, 'run', `${url}/docs-json`, '--url', url, '--checks', CHECKS.join()],
      // Server-sent events have no end.
      ...['--include-path-regex', '^/api/', '--exclude-path-regex', '/events$'],
      ...['--phases', 'examples,coverage,fuzzing', '--max-time', String(SECONDS / 2), '--max-examples', '1000'],
      ...[
        '--request-timeout',
        '20',
        '--warnings',
        'off',
        '--workers',
        '1',
        '--generation-database',
        'none',
        '--no-color',
      ],
      ...['--seed', process.env.FUZZ_SEED ?? '1'],
    ];
    const { status } = await spawned(schemathesis, args);
    worst = Math.max(worst, status ?? 1);
  }
  return worst;
}

async function examples(url) {
  const departure = new Date(Date.now() + 45 * 86_400_000).toISOString().slice(0, 10);
  const found = await fetch(`${url}/api/offers?origin=MAD&destination=LHR&departureDate=${departure}`);
  const [offer] = (await found.json()).data;
  const made = await fetch(`${url}/api/bookings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'fuzz' },
    body: JSON.stringify({
      offerId: offer.id,
      passengers: [{ type: 'adult', title: 'ms', givenName: 'Ana', familyName: 'Puig', bornOn: '1988-04-17' }],
      contact: { email: 'ana@example.com', phone: '+34911234567' },
      payment: { token: 'tok_visa' },
    }),
  });
  return { offer, booking: (await made.json()).data };
}

/** Beside this process, which serves what it asks. */
function spawned(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject).once('exit', (status) => resolve({ status }));
  });
}
