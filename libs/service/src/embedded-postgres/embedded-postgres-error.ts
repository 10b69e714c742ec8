export type EmbeddedPostgresErrorCode =
  'data_dir_in_use' | 'data_dir_unusable' | 'not_supported_here' | 'start_failed' | 'wrong_owner' | 'wrong_version';

/** The embedded PostgreSQL cannot run. The message is one sentence for the person who starts it: what is wrong, what to do. */
export class EmbeddedPostgresError extends Error {
  readonly retryable = false;
  override readonly name = 'EmbeddedPostgresError';

  constructor(
    readonly code: EmbeddedPostgresErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
