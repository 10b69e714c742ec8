import type { Readable } from 'node:stream';
import { NO_TRACING } from '@eticket/service';
import type { ServiceTracing, SpanAttributes } from '@eticket/service';
import { createTransport } from 'nodemailer';
import type { SMTPPoolOptions, Transporter, SMTPPoolSentMessageInfo } from 'nodemailer';
import type { ComposedMail } from './compose-mail.js';
import { ConnectionSlots } from './connection-slots.js';
import type { DkimSettings } from './dkim-settings.js';
import { inBlocks } from './in-blocks.js';
import { needsSmtpUtf8 } from './recipient.js';
import { outcomeOfFailure, relayIdOf } from './smtp-outcome.js';
import type { SendOutcome, SendStage, SmtpFailure } from './smtp-outcome.js';
import { describeOutcome, smtpSpanAttributes } from './smtp-span.js';
import { sendOnlyOverSmtpUtf8 } from './smtputf8.js';

export interface SmtpSettings {
  /** `smtp://`, `smtps://`; STARTTLS is used where it is offered, demanded with `?requireTLS=true`. */
  readonly url: string;
  readonly maxConnections: number;
  /** For all of one sending: waiting for a connection, opening it, and every reply. */
  readonly sendDeadlineMs: number;
  /** Mails a second over all connections of this process; undefined: as many as the relay takes. */
  readonly mailsPerSecond?: number | undefined;
  readonly dkim?: DkimSettings | undefined;
}

/** What a connection reads the message from; there once a session is open and MAIL FROM about to be sent. */
interface Progress {
  message?: Readable;
  /** The address needs SMTPUTF8, and the connection did not offer it. */
  lacksSmtpUtf8?: true;
}

interface Attempt {
  readonly outcome: SendOutcome;
  readonly stage: SendStage;
  readonly failure?: SmtpFailure;
}

/** Replies slower than these fail a phase before the whole deadline is gone. */
const CONNECTION_TIMEOUT_MS = 10_000;
const GREETING_TIMEOUT_MS = 10_000;
/** Relays close idle sessions after a few minutes, firewalls forget them silently: ours end before. */
const IDLE_TIMEOUT_MS = 30_000;
/** A pooled connection that turns out to be dead costs one of these, each before anything was sent. */
const DEAD_CONNECTION_RETRIES = 2;

const LACKS_SMTPUTF8: SendOutcome = { kind: 'refused', code: 'recipient_needs_smtputf8', replyClass: 'none' };

/** The process's one pooled connection to the relay. */
export class SmtpTransport {
  readonly #pool: Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;
  readonly #slots: ConnectionSlots;
  /** By the signal of each sending: the one thing of ours that nodemailer hands on to its plugins as it is. */
  readonly #progress = new WeakMap<AbortSignal, Progress>();

  readonly #spanAttributes: SpanAttributes;
  #isClosed = false;

  constructor(
    private readonly settings: SmtpSettings,
    private readonly tracing: ServiceTracing = NO_TRACING,
  ) {
    this.#spanAttributes = smtpSpanAttributes(settings.url);
    const { sendDeadlineMs, mailsPerSecond, dkim } = settings;
    this.#slots = new ConnectionSlots(settings.maxConnections);
    this.#pool = createTransport({
      pool: true,
      url: settings.url,
      maxConnections: settings.maxConnections,
      // A send that failed is ours to judge; the pool would queue some again without saying so (pitfall P10).
      maxRequeues: 0,
      connectionTimeout: Math.min(CONNECTION_TIMEOUT_MS, sendDeadlineMs),
      greetingTimeout: Math.min(GREETING_TIMEOUT_MS, sendDeadlineMs),
      dnsTimeout: Math.min(CONNECTION_TIMEOUT_MS, sendDeadlineMs),
      socketTimeout: sendDeadlineMs,
      socketCloseTimeout: 1_000,
      idleTimeout: IDLE_TIMEOUT_MS,
      ...(mailsPerSecond === undefined ? {} : { rateLimit: mailsPerSecond, rateDelta: 1_000 }),
      ...(dkim === undefined
        ? {}
        : { dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.privateKey } }),
      disableFileAccess: true,
      disableUrlAccess: true,
      logger: false,
    });
    this.#pool.use('stream', (mail, done) => {
      const signal = mail.data.signal;
      const progress = signal && this.#progress.get(signal);
      if (progress) {
        mail.message.processFunc((message) => (progress.message = inBlocks(message)));
        if (mail.message.getEnvelope().to.some(needsSmtpUtf8)) {
          sendOnlyOverSmtpUtf8(this.#pool.transporter, mail.message, () => (progress.lacksSmtpUtf8 = true));
        }
      }
      done();
    });
  }

  /** Sends one mail; what goes wrong with the relay is in the outcome. `signal` gives up earlier than the deadline. */
  async send(mail: ComposedMail, signal: AbortSignal): Promise<SendOutcome> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.settings.sendDeadlineMs);
    try {
      return await this.#sendWithin(mail, AbortSignal.any([signal, deadline.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes connections, also those that are sending. Works twice. */
  close(): void {
    this.#isClosed = true;
    this.#pool.close({ force: true });
  }

  async #sendWithin(mail: ComposedMail, signal: AbortSignal): Promise<SendOutcome> {
    for (let deadConnections = 0; ;) {
      let release: () => void;
      try {
        release = await this.#slots.acquire(signal);
      } catch {
        return { kind: 'stop-the-line', code: 'mail_server_busy', replyClass: 'none' };
      }
      try {
        const attempt = await this.#sendOnce(mail, signal);
        const { outcome } = attempt;
        if (outcome.kind === 'sent') this.#slots.sent();
        if (signal.aborted || this.#isClosed) return outcome;
        const turnedAway = outcome.kind === 'stop-the-line' && outcome.code === 'mail_server_busy';
        if (turnedAway && attempt.stage === 'connecting' && this.#slots.turnedAway()) continue;
        if (!hadDied(attempt) || ++deadConnections > DEAD_CONNECTION_RETRIES) return outcome;
      } finally {
        release();
      }
    }
  }

  #sendOnce(mail: ComposedMail, signal: AbortSignal): Promise<Attempt> {
    return this.tracing.run('smtp send', 'client', this.#spanAttributes, async (span) => {
      const attempt = await this.#attempt(mail, signal);
      describeOutcome(span, attempt.outcome, attempt.stage);
      return attempt;
    });
  }

  async #attempt(mail: ComposedMail, outer: AbortSignal): Promise<Attempt> {
    const signal = AbortSignal.any([outer]);
    const progress: Progress = {};
    this.#progress.set(signal, progress);
    try {
      const info = await this.#pool.sendMail({ ...mail.message, signal });
      // One recipient, so a refusal of it fails the whole; nodemailer resolves when others were accepted.
      const refusal = info.rejectedErrors?.[0];
      if (refusal)
        return { outcome: outcomeOfFailure(refusal, 'envelope'), failure: refusal, stage: stageOf(progress) };
      const relayId = relayIdOf(info.response);
      const outcome = { kind: 'sent', replyClass: '2xx', ...(relayId === undefined ? {} : { relayId }) } as const;
      return { outcome, stage: stageOf(progress) };
    } catch (error) {
      const failure = error as SmtpFailure;
      const stage = stageOf(progress);
      if (progress.lacksSmtpUtf8) return { outcome: LACKS_SMTPUTF8, failure, stage };
      return { outcome: outcomeOfFailure(failure, stage), failure, stage };
    }
  }
}

/** The connection was gone before a byte of the message went over it: nothing can have been sent. */
function hadDied({ stage, failure }: Attempt): boolean {
  const broken = failure?.code === 'ECONNECTION' || failure?.code === 'ESOCKET';
  return stage === 'envelope' && broken && failure.responseCode === undefined;
}

/** The connection starts to read the message when the relay has answered DATA, and ends with its last byte. */
function stageOf({ message }: Progress): SendStage {
  if (!message) return 'connecting';
  if (message.readableEnded) return 'handed-over';
  return message.readableDidRead ? 'message' : 'envelope';
}
