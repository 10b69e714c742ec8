import { CommanderError } from 'commander';
import { InvalidMessageError, InvalidOptionError, QueueError } from '../errors.js';

/** What a command ends with; `--help` and docs/cli.md list them. */
export const EXIT = {
  done: 0,
  /** The store did not answer, or refused. */
  failed: 1,
  /** A setting, an argument or an option is wrong. */
  usage: 2,
  /** What was named is not there. */
  missing: 3,
  /** Ctrl+C before everything was done. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a sentence for whoever typed it. */
export class CliFailure extends Error {
  readonly code = 'cli';
  readonly retryable = false;
  override readonly name = 'CliFailure';

  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message);
  }
}

/** What an error of whatever kind means for the caller. `say` is undefined where Commander has said it. */
export function outcomeOf(error: unknown): { readonly exitCode: number; readonly say: string | undefined } {
  if (error instanceof CommanderError) {
    return { exitCode: error.exitCode === 0 ? EXIT.done : EXIT.usage, say: undefined };
  }
  if (error instanceof CliFailure) return { exitCode: error.exitCode, say: error.message };
  if (error instanceof InvalidOptionError || error instanceof InvalidMessageError) {
    return { exitCode: EXIT.usage, say: error.message };
  }
  if (error instanceof QueueError) return { exitCode: EXIT.failed, say: error.message };
  return { exitCode: EXIT.failed, say: error instanceof Error ? error.message : String(error) };
}
