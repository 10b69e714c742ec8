/** The database's address cannot be read. The message does not repeat it: it may hold a password. */
export class DatabaseUrlError extends Error {
  readonly code = 'database_url';
  readonly retryable = false;
  override readonly name = 'DatabaseUrlError';

  constructor() {
    super('The database address is not a URL like postgres://user:password@host:5432/database.');
  }
}
