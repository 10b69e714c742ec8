import type pg from 'pg';

/** What the workers wrote down about mails that they set out to send more than once. */
export interface Retries {
  /** Message-IDs of mails that a worker set out to send again. */
  readonly triedAgain: readonly string[];
  /** Those of them that the traveller may have got twice. */
  readonly possiblySentTwice: readonly string[];
}

export async function retriesIn(pool: pg.Pool): Promise<Retries> {
  const { rows } = await pool.query<{ readonly message_id: string; readonly possibly_sent_twice: boolean }>(
    'select message_id, possibly_sent_twice from mail_eticket.send_record where attempts > 1',
  );
  return {
    triedAgain: rows.map((row) => row.message_id),
    possiblySentTwice: rows.filter((row) => row.possibly_sent_twice).map((row) => row.message_id),
  };
}
