import 'reflect-metadata';
import { openRoomQueue } from '@eticket/chat-room';
import { createHttpApp, ServiceMetrics, startHttpApp } from '@eticket/service';
import type { Logger, ReadinessCheck, RunningService } from '@eticket/service';
import { Ackline } from 'ackline';
import type { QueueDriver } from 'ackline';
import type { ChatServerConfig } from './chat-server-config.js';
import { ChatServerModule } from './chat-server.module.js';
import { localDatabase } from './database/local-database.js';
import { addOpenApi } from './docs/open-api.js';
import { addHttpGuards } from './http-guards.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { requestValidationPipe } from './problems/validation.js';
import { queueLog } from './queue-log.js';
import { QueuePublisher } from './room/queue-publisher.js';
import { RoomService } from './room/room.service.js';
import { RoomView } from './room/room-view.js';

export interface StartChatServerOptions {
  readonly logger: Logger;
  /** In place of the queue that the settings name; for specs. */
  readonly driver?: QueueDriver;
}

const NAME = 'chat-server';
const STOP_DEADLINE_MS = 5_000;
/** After so many heartbeats that did not come a user is gone. */
const MISSED_HEARTBEATS = 4;
const CONNECTIONS = 10;

/**
 * Starts the room's server. It starts without its queue too: readiness says so, and people are answered 503 until it is
 * there.
 * @throws PortUnavailableError, EmbeddedPostgresError
 */
export async function startChatServer(
  config: ChatServerConfig,
  { logger, driver }: StartChatServerOptions,
): Promise<RunningService> {
  const database = driver ? undefined : await localDatabase(config.place, logger);
  const queue = await openRoomQueue(config.place, { clientId: NAME, maxConnections: CONNECTIONS });
  const metrics = new ServiceMetrics({ service: NAME });
  const observers = [metrics.observeQueue(), queueLog(logger)];
  const ackline = new Ackline({
    driver: driver ?? queue.driver,
    observer: (event) => observers.forEach((observe) => observe(event)),
  });
  const { topic } = config.place;
  const view = new RoomView(ackline, topic, logger);
  const room = new RoomService(view, new QueuePublisher(ackline, topic), config.rules, logger);
  metrics.gauge('chat_users', 'Users in the room.', [], (gauge) => gauge.set(view.roster.size));
  const release = async (): Promise<void> => {
    room.stop();
    await ackline.close(STOP_DEADLINE_MS);
    await queue.release();
    await database?.stop();
  };
  const readiness: readonly ReadinessCheck[] = [
    {
      name: 'room',
      check: () => (view.trouble() === undefined ? Promise.resolve() : Promise.reject(new Error(view.trouble()))),
    },
    { name: 'queue', check: () => ackline.ping() },
  ];
  try {
    const http = { logger, name: NAME, host: config.host, port: config.port, stopDeadlineMs: STOP_DEADLINE_MS };
    const heartbeatMs = Math.floor(config.rules.goneAfterMs / MISSED_HEARTBEATS);
    const app = await createHttpApp(ChatServerModule.with({ room, heartbeatMs, metrics, readiness }), http);
    addHttpGuards(app.getHttpAdapter().getInstance());
    app.useGlobalFilters(new ProblemFilter(logger));
    app.useGlobalPipes(requestValidationPipe());
    addOpenApi(app);
    const service = await startHttpApp(app, http);
    room.watch();
    logger.info({ topic, where: queue.where }, 'the room is open');
    let stopping: Promise<void> | undefined;
    return { ...service, stop: () => (stopping ??= service.stop().finally(release)) };
  } catch (error) {
    await release();
    throw error;
  }
}
