import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { createLogger, startEmbeddedPostgres, type EmbeddedPostgres } from '../index.js';
import { eventually } from '../testing/index.js';

const logger = createLogger({ service: 'test', level: 'silent' });

/** A process of its own that starts the embedded PostgreSQL; on SIGINT it writes a row a while later, then stops. */
const OWNER_PROGRAM = `
  import { createLogger, startEmbeddedPostgres } from '@eticket/service';
  import pg from 'pg';
  const logger = createLogger({ service: 'owner', level: 'silent' });
  process.on('SIGINT', async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    await client.query("INSERT INTO notes VALUES ('drained')");
    await client.end();
    await server.stop();
    process.exit(0);
  });
  let server;
  try {
    server = await startEmbeddedPostgres({ dataDir: process.argv[1], logger });
    console.log(JSON.stringify({ ...server, pid: process.pid }));
    setInterval(() => undefined, 1000);
  } catch (error) {
    console.log(JSON.stringify({ error: error.message }));
    process.exit(1);
  }
`;

interface OwnerLine {
  readonly connectionString?: string;
  readonly adopted?: boolean;
  readonly error?: string;
}

describe('The embedded PostgreSQL', () => {
  let dataDir: string;
  const owners: ChildProcess[] = [];
  const servers: EmbeddedPostgres[] = [];

  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'eticket-embedded-')), "the da'ta");
    // Under root PostgreSQL is another user's, who must get through.
    await chmod(join(dataDir, '..'), 0o755);
  });
  afterEach(async () => {
    for (const owner of owners.splice(0)) owner.kill('SIGKILL');
    for (const server of servers.splice(0)) await server.stop();
    // One more start adopts what a killed owner left behind, and stops it.
    if (await exists(join(dataDir, 'postgres', 'postmaster.pid'))) await (await start()).stop();
    await rm(join(dataDir, '..'), { recursive: true, force: true });
  });

  async function start(): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ dataDir, logger });
    servers.push(server);
    return server;
  }

  function spawnOwner(): { readonly process: ChildProcess; readonly line: Promise<OwnerLine> } {
    const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER_PROGRAM, dataDir], {
      cwd: import.meta.dirname,
      // A group of its own, as a terminal gives each command.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    owners.push(owner);
    const line = once(createInterface(owner.stdout), 'line').then(([text]) => JSON.parse(String(text)) as OwnerLine);
    return { process: owner, line };
  }

  const connection = async () =>
    JSON.parse(await readFile(join(dataDir, 'connection.json'), 'utf8')) as {
      readonly url: string;
      readonly postgresPid: number;
    };

  it('keeps its data, tells local processes how to connect, and takes that back when it stops', async () => {
    const first = await start();
    await query(first.connectionString, "CREATE TABLE notes AS SELECT 'kept' AS note");
    expect(first.adopted).toBe(false);
    expect((await connection()).url).toBe(first.connectionString);
    expect((await stat(join(dataDir, 'connection.json'))).mode & 0o777).toBe(0o600);
    await first.stop();
    await first.stop();
    await expect(query(first.connectionString, 'SELECT 1')).rejects.toThrow();
    expect(await exists(join(dataDir, 'connection.json'))).toBe(false);
    const second = await start();
    expect(await query(second.connectionString, 'SELECT note FROM notes')).toEqual([{ note: 'kept' }]);
    expect(await query(second.connectionString, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('listens on 127.0.0.1 alone and asks for the password', async () => {
    const server = await start();
    const url = new URL(server.connectionString);
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal);
    if (outside) await expect(reach(outside.address, Number(url.port))).rejects.toThrow('ECONNREFUSED');
    url.password = 'guess';
    await expect(query(url.toString(), 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  it('adopts the server of a process that was killed, with all that was committed', async () => {
    const owner = spawnOwner();
    const { connectionString } = await owner.line;
    await query(connectionString, "CREATE TABLE notes AS SELECT 'kept' AS note");
    owner.process.kill('SIGKILL');
    const server = await start();
    expect(server.adopted).toBe(true);
    expect(await query(server.connectionString, 'SELECT note FROM notes')).toEqual([{ note: 'kept' }]);
    await server.stop();
    await expect(query(server.connectionString, 'SELECT 1')).rejects.toThrow();
  });

  it('recovers when process and server were both killed', async () => {
    const owner = spawnOwner();
    const { connectionString } = await owner.line;
    await query(connectionString, "CREATE TABLE notes AS SELECT 'kept' AS note");
    const { postgresPid } = await connection();
    owner.process.kill('SIGKILL');
    process.kill(postgresPid, 'SIGKILL');
    const server = await start();
    expect(server.adopted).toBe(false);
    expect(await query(server.connectionString, 'SELECT note FROM notes')).toEqual([{ note: 'kept' }]);
  });

  it('is not misled by a stale postmaster.pid whose number is another program’s by now', async () => {
    await (await start()).stop();
    await writeFile(
      join(dataDir, 'postgres', 'postmaster.pid'),
      `${process.pid}\n${dataDir}/postgres\n1\n5432\n\n\n\n`,
    );
    const server = await start();
    expect(await query(server.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('refuses a folder that another start uses, names that process and what to do, and leaves it alone', async () => {
    const owner = spawnOwner();
    const { connectionString } = await owner.line;
    await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toMatchObject({
      code: 'data_dir_in_use',
      message: `The data folder ${dataDir} is in use by another start (process ${owner.process.pid}): stop that one first, or choose another folder with DATA_DIR.`,
    });
    expect(await query(connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('lets one of three starts at once win a new folder', async () => {
    const lines = await Promise.all([spawnOwner().line, spawnOwner().line, spawnOwner().line]);
    const errors = lines.flatMap(({ error }) => error ?? []);
    expect(errors).toHaveLength(2);
    expect(errors.every((error) => error.includes('is in use by another start'))).toBe(true);
  });

  it('is there until the drain is over when Ctrl+C reaches the whole process group', async () => {
    const owner = spawnOwner();
    const { connectionString } = await owner.line;
    await query(connectionString, 'CREATE TABLE notes (note text)');
    const exit = once(owner.process, 'exit');
    process.kill(-(owner.process.pid as number), 'SIGINT');
    expect(await exit).toEqual([0, null]);
    const server = await start();
    expect(server.adopted).toBe(false);
    expect(await query(server.connectionString, 'SELECT note FROM notes')).toEqual([{ note: 'drained' }]);
  });

  it('comes back on the same port when the server is killed under it', async () => {
    const server = await start();
    await query(server.connectionString, "CREATE TABLE notes AS SELECT 'kept' AS note");
    const { postgresPid } = await connection();
    process.kill(postgresPid, 'SIGKILL');
    await eventually(async () => (await connection()).postgresPid !== postgresPid, { deadlineMs: 20_000 });
    expect(await query(server.connectionString, 'SELECT note FROM notes')).toEqual([{ note: 'kept' }]);
    await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toThrow('is in use by another start');
  });

  it.each([
    [
      'data of another PostgreSQL',
      async () => {
        await mkdir(join(dataDir, 'postgres'), { recursive: true });
        await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '12\n');
      },
      /was made by PostgreSQL 12, and this version brings PostgreSQL 18: move the folder away/,
    ],
    [
      'something else',
      () => mkdir(join(dataDir, 'postgres'), { recursive: true }),
      /holds no PostgreSQL data: move it away/,
    ],
    [
      'a file in its place',
      () => writeFile(dataDir, ''),
      /is a file, or below one: choose another folder with DATA_DIR/,
    ],
    [
      'a file on the way',
      () => writeFile(dataDir, '').then(() => void (dataDir += '/below')),
      /is a file, or below one/,
    ],
    [
      'too long a path',
      () => Promise.resolve(void (dataDir += '/long'.repeat(200))),
      /The path of the data folder is \d+ bytes/,
    ],
  ])('says in one sentence what is wrong with %s', async (_what, prepare, sentence) => {
    await prepare();
    const failure = await startEmbeddedPostgres({ dataDir, logger }).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({
      name: 'EmbeddedPostgresError',
      message: expect.stringMatching(sentence) as string,
    });
    expect((failure as Error).message).not.toContain('\n');
    dataDir = dataDir.replace(/\/below$|(\/long)+$/, '');
  });
});

async function query(connectionString: string | undefined, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: connectionString as string, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(statement)).rows as unknown[];
  } finally {
    await client.end();
  }
}

function reach(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: 3_000 });
    socket.once('connect', () => resolve(socket.destroy() as unknown as undefined));
    socket.once('error', reject);
  });
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
