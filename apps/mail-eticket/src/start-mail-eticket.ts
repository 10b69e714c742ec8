import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { CONSUMER_GROUPS, QUEUES } from '@eticket/contracts';
import {
  createHttpApp,
  openQueueDriver,
  OperationsModule,
  ServiceMetrics,
  startHttpApp,
  startTracing,
  within,
} from '@eticket/service';
import type { Logger, ReadinessCheck, RunningService } from '@eticket/service';
import { Ackline } from 'ackline';
import type { QueueObserver } from 'ackline';
import { QueueServer } from 'ackline/nest';
import { DeadMailRepository } from './dead-mails/dead-mail.repository.js';
import { DeadMailWatch } from './dead-mails/dead-mail-watch.js';
import { EticketsModule } from './etickets/etickets.module.js';
import { MailMetrics } from './etickets/mail-metrics.js';
import { SendEticketService } from './etickets/send-eticket.service.js';
import type { MailEticketConfig } from './mail-eticket-config.js';
import { MailStatusPublisher } from './mail-status/mail-status.publisher.js';
import { queueLog } from './queue-log.js';
import { SendRecordDatabase } from './send-record/send-record.database.js';
import { SendRecordRepository } from './send-record/send-record.repository.js';
import { SmtpTransport } from './sending/smtp-transport.js';

/** What the worker is given by whoever starts it. */
export interface MailEticketContext {
  readonly logger: Logger;
}

/** A claim outlasts the sending it is for by this: to compose before, and to write down after. */
const CLAIM_MARGIN_MS = 5_000;
/** A handler outlasts its sending by this: longer than the record of a sent mail is tried. */
const HANDLER_MARGIN_MS = 90_000;
/** Shares of a stop: deliveries drain, then HTTP, then the rest. */
const DRAIN_SHARE = 0.6;
const HTTP_SHARE = 0.2;
const CLOSE_SHARE = 0.1;

/**
 * Starts a worker: events in, e-ticket mails out, HTTP for health and metrics alone. It starts without its database,
 * queue or relay and is not ready until it has them.
 */
export async function startMailEticket(
  config: MailEticketConfig,
  { logger }: MailEticketContext,
): Promise<RunningService> {
  const metrics = new ServiceMetrics();
  const tracing = await startTracing(config.tracing, { service: 'mail-eticket', logger });
  const observers: QueueObserver[] = [metrics.observeQueue(), queueLog(logger)];
  const ackline = new Ackline({
    driver: openQueueDriver({ databaseUrl: config.databaseUrl, kafka: config.kafka, clientId: 'mail-eticket', logger }),
    observer: (event) => observers.forEach((observe) => observe(event)),
    ...(tracing.queue && { tracing: tracing.queue }),
  });
  const database = new SendRecordDatabase(config.databaseUrl, logger);
  const transport = new SmtpTransport(
    {
      url: config.smtpUrl,
      maxConnections: config.connections,
      sendDeadlineMs: config.sendDeadlineMs,
      mailsPerSecond: config.mailsPerSecond,
      dkim: config.dkim,
    },
    tracing,
  );
  const statuses = new MailStatusPublisher(ackline);
  const deadMails = new DeadMailWatch({
    sources: [QUEUES.eticketConfirmed, QUEUES.eticketCancelled].map((queue) =>
      ackline.deadLetters(queue, CONSUMER_GROUPS.mailEticket),
    ),
    records: new DeadMailRepository(database.pool),
    statuses,
    sender: config.sender,
    logger,
  });
  observers.push(({ type }) => {
    if (type === 'dead-lettered') deadMails.look();
  });
  void database.whenMigrated().then(() => deadMails.look());
  const sendEticket = new SendEticketService(
    {
      records: new SendRecordRepository(database.pool, database.whenMigrated()),
      transport,
      statuses,
      metrics: new MailMetrics(metrics),
      logger,
      tracing,
    },
    {
      mail: config,
      claimMs: config.sendDeadlineMs + CLAIM_MARGIN_MS,
      maxDeliveries: config.maxDeliveries,
      redelivery: config.redelivery,
    },
  );
  const consumer = new QueueServer({
    ackline,
    group: CONSUMER_GROUPS.mailEticket,
    consume: {
      concurrency: config.concurrency,
      maxDeliveries: config.maxDeliveries,
      handlerTimeoutMs: config.sendDeadlineMs + HANDLER_MARGIN_MS,
      backoff: config.redelivery,
      probe: config.probe,
    },
    closeDeadlineMs: config.stopDeadlineMs * DRAIN_SHARE,
  });
  const readiness: readonly ReadinessCheck[] = [
    { name: 'database', check: () => database.check() },
    { name: 'queue', check: () => checkConsuming(consumer) },
  ];

  @Module({ imports: [OperationsModule.forRoot({ metrics, readiness }), EticketsModule.forRoot(sendEticket)] })
  class MailEticketModule {}

  const closeRest = async (): Promise<void> => {
    void deadMails.close();
    transport.close();
    await ackline.close(config.stopDeadlineMs * CLOSE_SHARE);
    await Promise.all([database.close(), tracing.stop(config.stopDeadlineMs * CLOSE_SHARE)]);
  };
  try {
    const http = {
      ...config,
      logger,
      tracing,
      name: 'mail-eticket',
      stopDeadlineMs: config.stopDeadlineMs * HTTP_SHARE,
    };
    const app = await createHttpApp(MailEticketModule, http);
    app.connectMicroservice({ strategy: consumer }, { inheritAppConfig: true });
    const service = await startHttpApp(app, http);
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      // Deliveries first: HTTP waits for its own connections, and nothing new must be taken meanwhile.
      await consumer.close();
      await within(sendEticket.idle(), config.stopDeadlineMs * CLOSE_SHARE, 'writing down').catch(() => undefined);
      await within(deadMails.close(), config.stopDeadlineMs * CLOSE_SHARE, 'telling').catch(() => undefined);
      await service.stop();
      await closeRest();
    };
    return { ...service, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await closeRest();
    throw error;
  }
}

/** Ready only when messages would really come. */
function checkConsuming(consumer: QueueServer): Promise<void> {
  const queues = Object.entries(consumer.consumerStatus());
  const idle = queues.find(([, status]) => status.state !== 'consuming');
  if (queues.length === 0) return Promise.reject(new Error('not consuming yet'));
  if (!idle) return Promise.resolve();
  const [queue, status] = idle;
  return Promise.reject(new Error(`${queue}: ${status.state}${'why' in status ? `, ${status.why}` : ''}`));
}
