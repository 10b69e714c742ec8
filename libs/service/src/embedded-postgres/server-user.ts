import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const run = promisify(execFile);

/** Whom PostgreSQL runs as: empty for the user of this process. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * PostgreSQL refuses to run as root. Root starts it as the owner of the data, or, for new data, as the user
 * `postgres`, who is made where missing (in a container, mostly).
 * @throws EmbeddedPostgresError when the data belongs to someone else.
 */
export async function serverUser(clusterDir: string): Promise<ServerUser> {
  const owner = await stat(clusterDir).catch(() => undefined);
  const uid = process.getuid?.();
  if (uid === undefined) return {};
  if (uid !== 0) {
    if (owner && owner.uid !== uid) throw wrongOwner(clusterDir, owner.uid);
    return {};
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await findPostgresUser()) ?? (await createPostgresUser());
}

async function findPostgresUser(): Promise<ServerUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function createPostgresUser(): Promise<ServerUser> {
  // The group may be there without the user.
  await run('groupadd', ['postgres']).catch(() => undefined);
  await run('useradd', ['-g', 'postgres', 'postgres']).catch(() => undefined);
  const user = await findPostgresUser();
  if (user) return user;
  throw new EmbeddedPostgresError(
    'not_supported_here',
    'PostgreSQL does not run as root, and the user "postgres" could not be made: start as another user, or set DATABASE_URL to a PostgreSQL server.',
  );
}

function wrongOwner(clusterDir: string, uid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'wrong_owner',
    `The data in ${clusterDir} belongs to another user (uid ${uid}): start as that user, or choose another folder with DATA_DIR.`,
  );
}
