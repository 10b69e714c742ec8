import { PassThrough, type Readable } from 'node:stream';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import type { MailDto } from '../bookings/booking.dto.js';
import { mailToDto } from '../bookings/mail-to-dto.js';
import { ProblemError } from '../problems/problem.js';
import { LOGGER } from '../tokens.js';
import { MailStatusRepository, type MailStatusRow } from './mail-status.repository.js';

/** One query tells of all watched bookings, whichever node has heard from the worker. */
const LOOK_MS = 500;
/** Below the minute after which proxies take a silent connection for dead. */
const HEARTBEAT_MS = 15_000;
/** Then the client comes again by itself: a stream that nobody reads does not stay for ever. */
const LONGEST_MS = 10 * 60_000;
const RECONNECT_MS = 2_000;
/** Each is a socket and about 20 KB. */
const STREAMS = 1_000;
/** Of a client that does not read: more is not kept for it. */
const UNREAD_BYTES = 64 * 1024;

interface Watcher {
  readonly bookingId: string;
  readonly stream: PassThrough;
  readonly render: (mail: MailDto) => object;
  /** Of the status told last. */
  told: string;
  readonly endsAt: number;
}

/** Server-sent events (HTML Living Standard 9.2) of the mail status of bookings. */
@Injectable()
export class MailStatusStreams implements OnModuleDestroy {
  private readonly watchers = new Set<Watcher>();
  private looking: NodeJS.Timeout | undefined;
  private readonly heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS).unref();
  private closed = false;

  constructor(
    private readonly statuses: MailStatusRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get open(): number {
    return this.watchers.size;
  }

  /**
   * A stream that tells the status now and whenever it changes, as `event: mail` with what `render` makes of it.
   * @throws ProblemError 503 when as many are open as this node serves.
   */
  watch(bookingId: string, now: MailStatusRow | undefined, render: (mail: MailDto) => object): Readable {
    if (this.closed || this.watchers.size >= STREAMS) {
      throw new ProblemError('too_many_streams', 'Please ask for the booking itself from time to time.', {
        retryAfter: 30,
      });
    }
    const stream = new PassThrough({ highWaterMark: UNREAD_BYTES });
    const watcher = { bookingId, stream, render, told: '', endsAt: Date.now() + LONGEST_MS };
    const forget = (): void => void this.watchers.delete(watcher);
    stream.on('close', forget).on('error', forget);
    this.watchers.add(watcher);
    stream.write(`retry: ${RECONNECT_MS}\n`);
    tell(watcher, now);
    this.look();
    return stream;
  }

  onModuleDestroy(): void {
    this.closed = true;
    clearInterval(this.heartbeat);
    clearTimeout(this.looking);
    for (const { stream } of this.watchers) stream.end();
    this.watchers.clear();
  }

  private look(): void {
    if (this.looking || this.closed || this.watchers.size === 0) return;
    this.looking = setTimeout(() => void this.lookNow(), LOOK_MS).unref();
  }

  private async lookNow(): Promise<void> {
    try {
      const ids = [...new Set([...this.watchers].map(({ bookingId }) => bookingId))];
      const rows = new Map((await this.statuses.newest(ids)).map((row) => [row.booking_id, row]));
      for (const watcher of this.watchers) {
        const row = rows.get(watcher.bookingId);
        if (row) tell(watcher, row);
      }
    } catch (err) {
      this.logger.debug({ err }, 'mail statuses cannot be read for the moment');
    }
    this.looking = undefined;
    this.look();
  }

  private beat(): void {
    const now = Date.now();
    for (const { stream, endsAt } of this.watchers) {
      if (stream.writableLength > UNREAD_BYTES) stream.destroy();
      else if (now > endsAt) stream.end();
      else stream.write(':\n\n');
    }
  }
}

function tell(watcher: Watcher, row: MailStatusRow | undefined): void {
  const status = row ? `${row.version}.${row.revision}` : '0.0';
  if (status === watcher.told) return;
  watcher.told = status;
  watcher.stream.write(`event: mail\nid: ${status}\ndata: ${JSON.stringify(watcher.render(mailToDto(row)))}\n\n`);
}
