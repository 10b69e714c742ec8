import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail } from './mail.js';

/**
 * The first line of a file: what SMTP said beside the mail. It is a header line like any other, so that the file opens
 * in a mail program; the bytes after it are the mail, unchanged.
 */
const ENVELOPE_HEADER = 'X-Inbox-Envelope: ';
const MAIL_SUFFIX = '.eml';
const UNFINISHED_SUFFIX = '.tmp';

/** A write takes milliseconds; an unfinished file that is older than this belongs to a process that died. */
const UNFINISHED_FILE_AGE_MS = 60_000;

/** Result of {@link MailFolder.load}. */
export interface LoadedMails {
  /** Oldest first. */
  readonly mails: readonly Mail[];
  /** Files that end in `.eml` and are not the inbox's. They are left as they are. */
  readonly skipped: number;
}

/** Keeps mails as one `.eml` file each, so that they survive the process. */
export class MailFolder {
  constructor(private readonly path: string) {}

  /** Makes the folder if there is none and reads what is in it. */
  async load(): Promise<LoadedMails> {
    await mkdir(this.path, { recursive: true });
    const names = (await readdir(this.path)).sort();
    await this.removeUnfinished(names.filter((name) => name.endsWith(UNFINISHED_SUFFIX)));
    const mails: Mail[] = [];
    let skipped = 0;
    for (const name of names.filter((candidate) => candidate.endsWith(MAIL_SUFFIX))) {
      const mail = parseFile(await readFile(join(this.path, name)));
      if (mail === undefined || fileName(mail.id) !== name) skipped += 1;
      else mails.push(mail);
    }
    return { mails, skipped };
  }

  /** Resolves when the mail is on the disk: it is there after a power cut, whole or not at all. */
  async write(mail: Mail): Promise<void> {
    const target = join(this.path, fileName(mail.id));
    const unfinished = target + UNFINISHED_SUFFIX;
    try {
      const file = await open(unfinished, 'wx', 0o600);
      try {
        await file.writeFile(Buffer.concat([envelopeLine(mail), mail.raw]));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, target);
      await this.syncFolder();
    } catch (error) {
      // The mail is refused, so nothing of it may come back at the next start; the first error is the one to tell.
      await Promise.allSettled([removeFile(unfinished), removeFile(target)]);
      throw error;
    }
  }

  /** Removes the mails' files. A file that is already gone is no error. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await removeFile(join(this.path, fileName(id)));
    if (ids.length > 0) await this.syncFolder();
  }

  private async removeUnfinished(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = join(this.path, name);
      const age = Date.now() - (await stat(path)).mtimeMs;
      if (age > UNFINISHED_FILE_AGE_MS) await removeFile(path);
    }
  }

  /** A new or removed name is durable only when the folder itself is written (fsync(2)); Windows cannot and need not. */
  private async syncFolder(): Promise<void> {
    if (process.platform === 'win32') return;
    const folder = await open(this.path, constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

function fileName(id: string): string {
  return id.slice(0, id.indexOf('@')) + MAIL_SUFFIX;
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function envelopeLine(mail: Mail): Buffer {
  const json = JSON.stringify({ id: mail.id, receivedAt: mail.receivedAt.toISOString(), ...mail.envelope });
  // A header is ASCII; JSON can say every character so.
  const ascii = json.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(`${ENVELOPE_HEADER}${ascii}\r\n`, 'ascii');
}

function parseFile(bytes: Buffer): Mail | undefined {
  const lineEnd = bytes.indexOf('\r\n');
  const line = bytes.toString('utf8', 0, Math.max(lineEnd, 0));
  if (!line.startsWith(ENVELOPE_HEADER)) return undefined;
  try {
    const said: unknown = JSON.parse(line.slice(ENVELOPE_HEADER.length));
    return isFirstLine(said)
      ? {
          id: said.id,
          envelope: { from: said.from, to: said.to, helo: said.helo },
          receivedAt: new Date(said.receivedAt),
          raw: bytes.subarray(lineEnd + 2),
        }
      : undefined;
  } catch {
    return undefined;
  }
}

interface FirstLine {
  readonly id: string;
  readonly receivedAt: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly helo: string;
}

function isFirstLine(value: unknown): value is FirstLine {
  const { id, receivedAt, from, to, helo } = Object(value) as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    /^[\w-]+@/.test(id) &&
    typeof receivedAt === 'string' &&
    !Number.isNaN(Date.parse(receivedAt)) &&
    typeof from === 'string' &&
    Array.isArray(to) &&
    to.every((address) => typeof address === 'string') &&
    typeof helo === 'string'
  );
}
