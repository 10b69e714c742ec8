/**
 * Where pg-boss is, and a Node that runs it. pg-boss 12 needs Node 22.12, more than this repository does, so it is no
 * dependency of it: it is installed for the benchmark alone, into the user's cache, once, without scripts.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PG_BOSS = '12.38.0';
const NODE = '24.22.3';
const INSTALL_MS = 300_000;
const run = promisify(execFile);

/** @returns {Promise<{ home?: string, node?: string, version: string, why?: string }>} `why` says what is missing */
export async function findPgBoss(say) {
  const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), `ackline-bench/pg-boss-${PG_BOSS}`);
  const ownNodeWillDo = isNewEnough(process.versions.node);
  const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const node = ownNodeWillDo ? process.execPath : join(home, 'node_modules', nodePackage, 'bin/node');
  const packages = [`pg-boss@${PG_BOSS}`, ...(ownNodeWillDo ? [] : [`${nodePackage}@${NODE}`])];
  try {
    if (!existsSync(join(home, 'node_modules/pg-boss/package.json')) || !existsSync(node)) {
      say(`installing ${packages.join(' and ')} into ${home}`);
      await mkdir(home, { recursive: true });
      await writeFile(join(home, 'package.json'), '{ "private": true }\n');
      const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      await run('npm', ['install', ...options, ...packages], { cwd: home, timeout: INSTALL_MS });
    }
    const { stdout } = await run(node, ['--version'], { timeout: 20_000 });
    return { home, node, version: `pg-boss ${PG_BOSS} on Node ${stdout.trim().slice(1)}` };
  } catch (error) {
    const needs = `pg-boss ${PG_BOSS} needs Node 22.12 (this is ${process.versions.node})`;
    return { version: needs, why: `${needs}, and installing ${packages.join(' and ')} failed: ${firstLine(error)}` };
  }
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 12);
}

function firstLine(error) {
  return String(error.stderr || error.message).split('\n')[0];
}
