export { allProblems } from './all-problems.js';
export { ConfigurationError } from './configuration-error.js';
export { readEnvironment, SettingError } from './read-environment.js';
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
} from './settings.js';
export type { LogLevel } from './settings.js';
export { readKafkaConnection } from '../queue/kafka-settings.js';
export type { KafkaConnection } from '../queue/kafka-settings.js';
