import { ConfigurationError, EmbeddedPostgresError, PortUnavailableError } from '@eticket/service';
import { UsageError } from './command-line.js';
import { DatabaseAwayError } from './database-away-error.js';
import { PortsTakenError } from './ports.js';
import { WorkerStartError } from './worker-processes.js';

const FOR_PEOPLE = [
  ConfigurationError,
  DatabaseAwayError,
  EmbeddedPostgresError,
  PortsTakenError,
  PortUnavailableError,
  UsageError,
  WorkerStartError,
];

/** The sentence of an error that is written for whoever starts the program, or undefined for an unforeseen one. */
export function failureMessage(error: unknown): string | undefined {
  return FOR_PEOPLE.some((type) => error instanceof type) ? (error as Error).message : undefined;
}
