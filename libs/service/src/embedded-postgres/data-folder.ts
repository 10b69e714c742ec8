import { chmod, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** Where everything of one embedded start lies. */
export interface DataFolder {
  readonly root: string;
  /** PostgreSQL's own data. */
  readonly cluster: string;
  /** How other local processes connect; there while PostgreSQL runs. Mode 0600. */
  readonly connectionFile: string;
  readonly logFile: string;
}

/** PostgreSQL's own limit is 1,024 bytes for any file below its data folder (MAXPGPATH). */
const MAX_PATH_BYTES = 900;

/**
 * Makes the folder where needed and checks that it can be used.
 * @throws EmbeddedPostgresError with what is wrong and what to do.
 */
export async function prepareDataFolder(dataDir: string): Promise<DataFolder> {
  const wanted = resolve(dataDir);
  if (Buffer.byteLength(wanted) > MAX_PATH_BYTES) {
    throw unusable(
      `The path of the data folder is ${Buffer.byteLength(wanted)} bytes long, more than ${MAX_PATH_BYTES}`,
    );
  }
  try {
    await mkdir(join(wanted, 'logs'), { recursive: true, mode: 0o700 });
    const root = await realpath(wanted);
    const probe = join(root, `.write-probe-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe);
    await letServerUserEnter(root);
    return {
      root,
      cluster: join(root, 'postgres'),
      connectionFile: join(root, 'connection.json'),
      logFile: join(root, 'logs', 'postgres.log'),
    };
  } catch (cause) {
    throw unusable(
      `The data folder ${wanted} ${REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? 'cannot be used'}`,
      cause,
    );
  }
}

/** Under root PostgreSQL is another user's and must pass through this folder; what is secret in it has modes of its own. */
async function letServerUserEnter(root: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { mode } = await stat(root);
  if ((mode & 0o001) === 0) await chmod(root, (mode & 0o7777) | 0o011);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  EROFS: 'is on a read-only disk',
  ENOTDIR: 'is a file, or below one',
  EEXIST: 'is a file, or below one',
  ENAMETOOLONG: 'has too long a name',
  ENOSPC: 'is on a full disk',
};

function unusable(what: string, cause?: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError('data_dir_unusable', `${what}: choose another folder with DATA_DIR.`, { cause });
}
