import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.js';
import type { DataFolder } from './data-folder.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { serverEnvironment } from './server-environment.js';
import type { ServerUser } from './server-user.js';

const run = promisify(execFile);

/** The superuser, who owns all there is. */
export const SUPERUSER = 'eticket';
/** Inside the cluster, so that data and password are made, moved and backed up together. Mode 0600. */
const PASSWORD_FILE = 'eticket-password';
const UNFINISHED_PREFIX = '.postgres-unfinished-';
const INIT_DEADLINE_MS = 120_000;

/**
 * Makes the cluster where there is none, and resolves with the superuser's password. A cluster is built under another
 * name and renamed when whole: a start killed in the middle leaves nothing that looks like data, and of two starts
 * at once one wins.
 * @throws EmbeddedPostgresError when the data there cannot be used.
 */
export async function ensureCluster(folder: DataFolder, binaries: Binaries, user: ServerUser): Promise<string> {
  if (!(await exists(folder.cluster))) await createCluster(folder, binaries, user);
  await checkVersion(folder.cluster, binaries.majorVersion);
  try {
    return (await readFile(join(folder.cluster, PASSWORD_FILE), 'utf8')).trim();
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'data_dir_unusable',
      `The password file ${join(folder.cluster, PASSWORD_FILE)} cannot be read: put it back, or move ${folder.cluster} away to start with an empty database.`,
      { cause },
    );
  }
}

async function createCluster(folder: DataFolder, binaries: Binaries, user: ServerUser): Promise<void> {
  await removeUnfinished(folder.root);
  const workshop = await mkdtemp(join(folder.root, UNFINISHED_PREFIX));
  try {
    const cluster = join(workshop, 'cluster');
    const passwordFile = join(workshop, PASSWORD_FILE);
    await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    await giveTo(user, workshop);
    await giveTo(user, passwordFile);
    await run(
      binaries.initdb,
      [
        `--pgdata=${cluster}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
      ],
      { ...user, env: serverEnvironment(), cwd: workshop, timeout: INIT_DEADLINE_MS, windowsHide: true },
    );
    await rename(passwordFile, join(cluster, PASSWORD_FILE));
    await rename(cluster, folder.cluster);
  } catch (cause) {
    // Another start was quicker: its cluster is as good.
    if (await exists(folder.cluster)) return;
    throw initFailed(folder, cause);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

function initFailed(folder: DataFolder, cause: unknown): EmbeddedPostgresError {
  const said = String((cause as { readonly stderr?: unknown }).stderr ?? cause);
  if (/could not access directory|Permission denied|EACCES/.test(said)) {
    return new EmbeddedPostgresError(
      'data_dir_unusable',
      process.getuid?.() === 0
        ? `Started as root, PostgreSQL runs as the user "postgres", who may not enter ${folder.root} or the node_modules folder: start as a normal user, or move to a folder that all users may enter.`
        : `PostgreSQL may not write to ${folder.root}: choose another folder with DATA_DIR.`,
      { cause },
    );
  }
  const reason = said.split('\n').find((line) => /error|fatal/i.test(line)) ?? said.split('\n')[0] ?? '';
  return new EmbeddedPostgresError(
    'start_failed',
    `The database in ${folder.root} could not be created (${reason.trim()}): free some space or choose another folder with DATA_DIR.`,
    { cause },
  );
}

async function checkVersion(cluster: string, bundled: string): Promise<void> {
  const found = await readFile(join(cluster, 'PG_VERSION'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (found === undefined) {
    throw new EmbeddedPostgresError(
      'data_dir_unusable',
      `The folder ${cluster} is there but holds no PostgreSQL data: move it away, or choose another folder with DATA_DIR.`,
    );
  }
  if (found !== bundled) {
    throw new EmbeddedPostgresError(
      'wrong_version',
      `The data in ${cluster} was made by PostgreSQL ${found}, and this version brings PostgreSQL ${bundled}: move the folder away to start with an empty database, or choose another folder with DATA_DIR.`,
    );
  }
}

/** Those of starts that were killed; younger ones may be at work. */
async function removeUnfinished(root: string): Promise<void> {
  const before = Date.now() - 2 * INIT_DEADLINE_MS;
  for (const name of await readdir(root)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue;
    const path = join(root, name);
    const age = await stat(path).catch(() => undefined);
    if (age && age.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
}

async function giveTo(user: ServerUser, path: string): Promise<void> {
  if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
