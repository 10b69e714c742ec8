/** A `pg` client inside a transaction that its owner began and will end. */
export interface PgTransaction {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A Kysely `Transaction`. */
export interface KyselyTransaction {
  executeQuery(query: never): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The caller's PostgreSQL transaction. */
export type CallersTransaction = PgTransaction | KyselyTransaction;

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
  return (await tx.query(text, [...values])).rows;
}
