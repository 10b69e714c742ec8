import {
  ConfigurationError,
  createHttpApp,
  type Logger,
  PortUnavailableError,
  type RunningService,
  ServiceMetrics,
  startHttpApp,
} from '@eticket/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addSecurityHeaders } from './http/security-headers.js';
import { addCrossOriginHeaders } from './http/cross-origin.js';
import type { InboxConfig } from './inbox-config.js';
import { InboxMetrics } from './inbox-metrics.js';
import { InboxModule } from './inbox.module.js';
import { MailFolder } from './mails/mail-folder.js';
import { MailStore } from './mails/mail-store.js';
import { addPageFiles } from './page/page-files.js';
import { SmtpListener } from './smtp/smtp-listener.js';

/** The running inbox. `url` is the page's address. */
export interface RunningInbox extends RunningService {
  /** The port that takes mail. */
  readonly smtpPort: number;
}

export interface InboxContext {
  readonly logger: Logger;
}

const NAME = 'inbox';
const STOP_DEADLINE_MS = 5_000;

/**
 * Starts the inbox: SMTP in, page and MailHog's API out.
 * @throws PortUnavailableError when one of the ports is taken, ConfigurationError when the folder cannot be used
 */
export async function startInbox(config: InboxConfig, { logger }: InboxContext): Promise<RunningInbox> {
  const folder = config.folder === undefined ? undefined : new MailFolder(config.folder);
  const store = new MailStore(config, folder);
  const found = await load(store, config);
  if (found.skipped > 0) logger.warn({ skipped: found.skipped }, 'files in the folder of mails are not the inbox’s');

  const metrics = new ServiceMetrics({ service: NAME });
  const smtp = smtpListener(config, store, new InboxMetrics(metrics, store), logger);
  const smtpPort = await listen(smtp, config);
  try {
    const facts = {
      smtpAddress: `${config.host}:${smtpPort}`,
      durable: folder !== undefined,
      maxMessages: config.maxMessages,
    };
    const http = { logger, name: NAME, host: config.host, port: config.port, stopDeadlineMs: STOP_DEADLINE_MS };
    const app = await createHttpApp(InboxModule.with({ store, facts, metrics }), http);
    await addPage(app, config);
    const service = await startHttpApp(app, http);
    logger.info({ smtpPort, mails: found.loaded, durable: facts.durable }, 'inbox takes mail');
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await Promise.all([smtp.close(), service.stop()]);
    };
    return { name: NAME, url: service.url, smtpPort, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await smtp.close();
    throw error;
  }
}

async function load(store: MailStore, { folder }: InboxConfig): ReturnType<MailStore['load']> {
  try {
    return await store.load();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const problem = `INBOX_DIR is "${folder}"; it must be a folder that can be read and written, and that fails with ${code}`;
    throw new ConfigurationError([problem]);
  }
}

function smtpListener(config: InboxConfig, store: MailStore, metrics: InboxMetrics, logger: Logger): SmtpListener {
  return new SmtpListener({
    host: config.host,
    port: config.smtpPort,
    maxMessageBytes: config.maxMessageBytes,
    maxReceivingBytes: config.maxBytes,
    accept: (envelope, raw) => store.add(envelope, raw),
    onAccepted: (mail) => {
      metrics.accepted();
      // The part after the @ would be taken for an address and cut out of the log.
      const [mailId] = mail.id.split('@');
      logger.info({ mailId, bytes: mail.raw.length, recipients: mail.envelope.to.length }, 'mail accepted');
    },
    onRefused: (reason, err) => {
      metrics.refused(reason);
      logger.warn({ reason, err }, 'mail not accepted');
    },
  });
}

async function listen(smtp: SmtpListener, { host, smtpPort }: InboxConfig): Promise<number> {
  try {
    return await smtp.listen();
  } catch (error) {
    throw PortUnavailableError.from(error, { name: NAME, host, port: smtpPort, portSetting: 'SMTP_PORT' }) ?? error;
  }
}

async function addPage(app: NestFastifyApplication, config: InboxConfig): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  addSecurityHeaders(fastify);
  if (config.corsOrigin !== undefined) addCrossOriginHeaders(fastify, config.corsOrigin);
  await addPageFiles(fastify);
}
