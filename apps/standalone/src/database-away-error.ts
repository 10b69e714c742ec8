/** The server named by `DATABASE_URL` does not answer. */
export class DatabaseAwayError extends Error {
  readonly code = 'database_away';
  readonly retryable = true;
  override readonly name = 'DatabaseAwayError';

  constructor(url: string, cause: unknown) {
    const { host, pathname } = new URL(url);
    const why = (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : 'no answer');
    super(
      `The database ${host}${pathname} of DATABASE_URL cannot be used (${why}): start it, correct DATABASE_URL, or unset it to use the embedded PostgreSQL.`,
      { cause },
    );
  }
}
