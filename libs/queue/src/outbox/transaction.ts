/** A `pg` client inside a transaction that its owner began and will end. */
export interface PgTransaction {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A Kysely `Transaction`. */
export interface KyselyTransaction {
  executeQuery(query: never): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A Drizzle transaction on node-postgres. */
export interface DrizzleTransaction {
  execute(query: never): PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/** The caller's PostgreSQL transaction. */
export type CallersTransaction = PgTransaction | KyselyTransaction | DrizzleTransaction;

/** Runs one statement inside the caller's transaction. Its errors are the caller's: they abort the transaction. */
export async function execute(
  tx: CallersTransaction,
  text: string,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  if ('executeQuery' in tx) {
    // A Kysely compiled query, made by hand so that Kysely need not be installed.
    const query = {
      sql: text,
      parameters: values,
      query: { kind: 'RawNode', sqlFragments: [text], parameters: [] },
      queryId: { queryId: 'ackline' },
    };
    return (await tx.executeQuery(query as never)).rows;
  }
  if ('execute' in tx) return (await tx.execute((await drizzleQuery(text, values)) as never)).rows;
  return (await tx.query(text, [...values])).rows;
}

/** Whoever passes a Drizzle transaction has Drizzle; nobody else needs it. */
async function drizzleQuery(text: string, values: readonly unknown[]): Promise<unknown> {
  const { sql } = await import('drizzle-orm');
  // Every second piece is the number of a parameter.
  const pieces = text.split(/\$(\d+)/);
  return sql.join(pieces.map((piece, at) => (at % 2 === 0 ? sql.raw(piece) : sql.param(values[Number(piece) - 1]))));
}
