import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Ackline } from '../../ackline.js';
import type { OutgoingMessage } from '../../message.js';
import { CliFailure, EXIT } from '../failure.js';
import type { Run } from '../program.js';
import type { Session } from '../session.js';
import { duration, header } from '../values.js';

interface PublishFlags {
  readonly id?: string;
  readonly key?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly delay?: number;
  readonly body?: string;
  readonly file?: string;
  readonly lines?: boolean;
  readonly create?: boolean;
}

const BATCH = 500;

export function addPublish(program: Command, run: Run): void {
  program
    .command('publish')
    .description('publishes a message, durable when its id is printed; the payload is --body, --file, or else stdin')
    .argument('<queue>')
    .option('--body <text>', 'the payload')
    .option('--file <path>', 'a file with the payload')
    .option('--lines', 'each line of stdin, or of --file, is a message of its own')
    .option('--id <id>', 'the message’s id; default: a new UUIDv7')
    .option('--key <key>', 'messages of one key keep their order')
    .option('--header <name=value>', 'a header; may be given several times', header)
    .option('--delay <time>', 'deliver it no sooner, e.g. 5m', duration)
    .option('--create', 'make the queue where it is not there yet')
    .action((queue: string, flags: PublishFlags) =>
      run(async (session) => {
        if (flags.lines && (flags.id !== undefined || flags.body !== undefined)) {
          throw new CliFailure(EXIT.usage, '--lines takes neither --id nor --body.');
        }
        const ackline = flags.create ? await session.ackline() : await session.existing(queue);
        if (flags.lines) return publishLines(session, ackline, queue, flags);
        const payload = await payloadOf(session, flags);
        const [id] = await ackline.publish(queue, messageOf(payload, flags));
        if (session.json) session.row({ queue, id });
        else session.line(id!);
        return EXIT.done;
      }),
    );
}

function messageOf(payload: Uint8Array, { id, key, header: headers, delay }: PublishFlags): OutgoingMessage {
  return {
    payload,
    ...(id !== undefined && { id }),
    ...(key !== undefined && { key }),
    ...(headers && { headers }),
    ...(delay !== undefined && { delayMs: delay }),
  };
}

async function publishLines(session: Session, ackline: Ackline, queue: string, flags: PublishFlags): Promise<number> {
  const input = flags.file === undefined ? session.process.stdin : await opened(flags.file);
  let published = 0;
  let batch: OutgoingMessage[] = [];
  const flush = async (): Promise<void> => {
    await ackline.publish(queue, batch);
    published += batch.length;
    batch = [];
    session.progress(`published ${published}`);
  };
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (session.signal.aborted) break;
    if (line === '') continue;
    batch.push(messageOf(Buffer.from(line), flags));
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0 && !session.signal.aborted) await flush();
  if (session.json) session.row({ queue, published });
  else session.line(`published ${published}`);
  return session.signal.aborted ? EXIT.interrupted : EXIT.done;
}

async function payloadOf(session: Session, { body, file }: PublishFlags): Promise<Uint8Array> {
  if (body !== undefined) return Buffer.from(body);
  const input = file === undefined ? session.process.stdin : await opened(file);
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts);
}

async function opened(path: string): Promise<Readable> {
  const { Readable: Stream } = await import('node:stream');
  try {
    return Stream.from([await readFile(path)], { objectMode: false });
  } catch (error) {
    throw new CliFailure(EXIT.missing, `--file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}
