import { rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../logging/logger.js';
import { findBinaries, type Binaries } from './binaries.js';
import { ensureCluster, SUPERUSER } from './cluster.js';
import { prepareDataFolder, type DataFolder } from './data-folder.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { tryToOwn, type OwnerSession } from './owner-session.js';
import {
  findPostmaster,
  spawnPostmaster,
  stopPostmaster,
  type Postmaster,
  type SpawnedPostmaster,
} from './postmaster.js';
import { serverUser, type ServerUser } from './server-user.js';

export interface EmbeddedPostgresOptions {
  /** PostgreSQL's data goes to `<dataDir>/postgres`, how to connect to `<dataDir>/connection.json`. */
  readonly dataDir: string;
  readonly logger: Logger;
  /** Until the server answers; 60,000 when left out (recovery after a crash takes its time). */
  readonly startDeadlineMs?: number;
}

export interface EmbeddedPostgres {
  readonly connectionString: string;
  /** Whether the server was left over by a process that was killed. */
  readonly adopted: boolean;
  /** Stops the server and waits for it, for about 20 s at most. Works twice. */
  stop(): Promise<void>;
}

const DATABASE = 'eticket';
const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 20_000;
const POLL_MS = 50;
/** A killed owner's connection is closed by the kernel at once; PostgreSQL needs a moment to see it. */
const OWNER_PATIENCE_MS = 1_000;

/** What a start works with. */
interface Setup {
  readonly folder: DataFolder;
  readonly binaries: Binaries;
  readonly user: ServerUser;
  readonly password: string;
  readonly logger: Logger;
  readonly deadlineMs: number;
}

interface Owned {
  readonly server: Postmaster;
  readonly session: OwnerSession;
  readonly adopted: boolean;
}

/**
 * Starts the PostgreSQL that comes with the npm package on the data in `dataDir`, or adopts the one that a killed
 * process left behind there. Should it crash while in use, it is started again on the same port.
 * @throws EmbeddedPostgresError, one sentence that says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = await prepareDataFolder(options.dataDir);
  const binaries = await findBinaries();
  const user = await serverUser(folder.cluster);
  const password = await ensureCluster(folder, binaries, user);
  const setup: Setup = {
    folder,
    binaries,
    user,
    password,
    logger: options.logger,
    deadlineMs: options.startDeadlineMs ?? START_DEADLINE_MS,
  };
  const owned = await own(setup);
  const { port } = owned.server;
  try {
    await owned.session.ensureDatabase(DATABASE);
    await writeConnectionFile(setup, owned.server);
  } catch (error) {
    await owned.session.close();
    throw error;
  }
  const guard = guardServer(setup, owned);
  return {
    connectionString: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`,
    adopted: owned.adopted,
    stop: guard.stop,
  };
}

/** Becomes the owner of the one server on this folder, starting it where none runs. */
async function own(setup: Setup, again?: { readonly port: number; cancelled(): boolean }): Promise<Owned> {
  const { folder, password } = setup;
  const deadline = performance.now() + setup.deadlineMs;
  let spawned: SpawnedPostmaster | undefined;
  let takenSince: number | undefined;
  let why = 'it did not start';
  while (performance.now() < deadline && !again?.cancelled()) {
    const server = await findPostmaster(folder.cluster);
    if (!server && !spawned) {
      spawned = await spawnPostmaster(folder, setup.binaries, setup.user, again?.port ?? (await freePort()));
    }
    if (server && server.port > 0) {
      const attempt = await tryToOwn(server, password).catch((cause: unknown) => {
        throw new EmbeddedPostgresError(
          'data_dir_unusable',
          `The PostgreSQL that runs on ${folder.cluster} does not take the password in that folder: stop it (process ${server.pid}), or choose another folder with DATA_DIR.`,
          { cause },
        );
      });
      if (attempt.result === 'owner') {
        return { server, session: attempt.session, adopted: server.pid !== spawned?.pid };
      }
      if (attempt.result === 'taken') {
        takenSince ??= performance.now();
        if (performance.now() - takenSince > OWNER_PATIENCE_MS) throw inUse(folder, attempt.byPid);
      } else {
        why = attempt.why;
      }
    }
    const said = spawned && (await Promise.race([spawned.exited, delay(POLL_MS, undefined)]));
    if (said !== undefined) {
      why = lastWords(said);
      if (!mayPass(said)) break;
      spawned = undefined;
    }
    await delay(POLL_MS);
  }
  throw new EmbeddedPostgresError(
    'start_failed',
    `PostgreSQL could not be started on ${folder.cluster} (${why}): see ${folder.logFile}, or choose another folder with DATA_DIR.`,
  );
}

/** Reasons to end that are gone at the next try: another start was quicker, a killed server's children still leave, the port was just taken. */
function mayPass(said: string): boolean {
  return /lock file "postmaster.pid"|shared memory block|could not bind|could not create any TCP\/IP sockets/.test(
    said,
  );
}

function lastWords(said: string): string {
  const line =
    said.split('\n').findLast((text) => /FATAL|PANIC|error/i.test(text)) ?? said.trim().split('\n').at(-1) ?? '';
  return line.replace(/^.*?(FATAL|PANIC):\s*/, '').trim() || 'it ended without a word';
}

function inUse(folder: DataFolder, byPid: string): EmbeddedPostgresError {
  const owner = byPid ? ` (process ${byPid})` : '';
  return new EmbeddedPostgresError(
    'data_dir_in_use',
    `The data folder ${folder.root} is in use by another start${owner}: stop that one first, or choose another folder with DATA_DIR.`,
  );
}

/** Watches the server through the owner's session and starts it again when it ends by itself. */
function guardServer(setup: Setup, first: Owned): { readonly stop: () => Promise<void> } {
  const { folder, logger } = setup;
  let session = first.session;
  let stopping: Promise<void> | undefined;
  let recovering: Promise<void> = Promise.resolve();

  const watch = (): void =>
    session.onLost(() => {
      recovering = recover();
    });
  const recover = async (): Promise<void> => {
    for (let pauseMs = 100; !stopping; pauseMs = Math.min(pauseMs * 2, 5_000)) {
      logger.error('the embedded PostgreSQL went away; starting it again');
      try {
        const owned = await own(setup, { port: first.server.port, cancelled: () => stopping !== undefined });
        session = owned.session;
        await writeConnectionFile(setup, owned.server);
        logger.warn('the embedded PostgreSQL is back');
        return watch();
      } catch (err) {
        logger.error({ err }, 'the embedded PostgreSQL could not be started again');
        await delay(pauseMs);
      }
    }
  };
  watch();

  const stop = async (): Promise<void> => {
    await recovering;
    // The server first, the lock with it: nobody adopts a server that is about to stop.
    session.onLost(() => undefined);
    await stopPostmaster(folder.cluster, setup.binaries, setup.user, STOP_DEADLINE_MS);
    await session.close();
    // It names a server that is no more.
    await rm(folder.connectionFile, { force: true });
  };
  return { stop: () => (stopping ??= stop()) };
}

/** Written aside and renamed: readers see a whole file, and its mode is right from the first byte. */
async function writeConnectionFile({ folder, password }: Setup, server: Postmaster): Promise<void> {
  const content = {
    host: '127.0.0.1',
    port: server.port,
    user: SUPERUSER,
    password,
    database: DATABASE,
    url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/${DATABASE}?sslmode=disable`,
    postgresPid: server.pid,
    ownerPid: process.pid,
  };
  const aside = `${folder.connectionFile}.${process.pid}`;
  await rm(aside, { force: true });
  await writeFile(aside, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(aside, folder.connectionFile);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
