export { DeadlineError, within } from './deadline.js';
export { createDatabase } from './database/create-database.js';
export { createPool } from './database/create-pool.js';
export type { PoolOptions } from './database/create-pool.js';
export { migrateSchema } from './database/migrate-schema.js';
export type { MigrateOptions } from './database/migrate-schema.js';
export { allProblems } from './environment/all-problems.js';
export { ConfigurationError } from './environment/configuration-error.js';
export { readEnvironment, SettingError } from './environment/read-environment.js';
export {
  bool,
  host,
  httpUrl,
  integer,
  LOG_LEVELS,
  logLevel,
  makeValidator,
  milliseconds,
  networks,
  num,
  port,
  postgresUrl,
  smtpUrl,
  str,
  url,
} from './environment/settings.js';
export type { LogLevel } from './environment/settings.js';
export { createHttpApp } from './http/create-http-app.js';
export type { HttpAppOptions, RootModule } from './http/create-http-app.js';
export { PortUnavailableError } from './http/port-unavailable-error.js';
export { startHttpApp } from './http/start-http-app.js';
export type { StartHttpAppOptions } from './http/start-http-app.js';
export { currentLogContext, withLogContext } from './logging/log-context.js';
export type { LogContext } from './logging/log-context.js';
export { createLogger } from './logging/logger.js';
export type { Logger, LoggerOptions } from './logging/logger.js';
export { NestLogger } from './logging/nest-logger.js';
export { OperationsModule } from './operations/operations.module.js';
export type { OperationsOptions, ReadinessCheck } from './operations/readiness.js';
export { ServiceMetrics } from './operations/service-metrics.js';
export type { HttpRequestObservation } from './operations/service-metrics.js';
export { eventValidationPipe } from './queue/event-validation-pipe.js';
export type { RunningService } from './running-service.js';
export { runUntilSignal } from './shutdown.js';
export type { RunOptions } from './shutdown.js';
export { EmbeddedPostgresError } from './embedded-postgres/embedded-postgres-error.js';
export type { EmbeddedPostgresErrorCode } from './embedded-postgres/embedded-postgres-error.js';
export { startEmbeddedPostgres } from './embedded-postgres/start-embedded-postgres.js';
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './embedded-postgres/start-embedded-postgres.js';
export { readKafkaConnection } from './queue/kafka-settings.js';
export type { KafkaConnection } from './queue/kafka-settings.js';
export { openQueueDriver } from './queue/open-queue-driver.js';
export type { QueueLocation } from './queue/open-queue-driver.js';
export { fileAndTerminal } from './logging/file-and-terminal.js';
export type { FileAndTerminalOptions } from './logging/file-and-terminal.js';
export { prepareDataFolder } from './embedded-postgres/data-folder.js';
export type { DataFolder } from './embedded-postgres/data-folder.js';
export { newTraceparent, traceIdOf } from './tracing/trace-context.js';
export { NO_TRACING, startTracing } from './tracing/service-tracing.js';
export type {
  RequestFacts,
  RequestSpan,
  ServiceTracing,
  SpanAttributes,
  StartTracingOptions,
  WorkKind,
  WorkSpan,
} from './tracing/service-tracing.js';
export { readTracingSettings } from './tracing/tracing-settings.js';
export type { TracingSettings } from './tracing/tracing-settings.js';
