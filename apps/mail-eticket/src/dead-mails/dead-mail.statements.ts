import { COLUMNS, SEND_RECORD } from '../send-record/send-record.statements.js';

/**
 * Gives up mails that are neither sent nor given up, whether or not a worker ever got to them, in the order of their keys
 * as in `CLAIM`. A mail that a worker is sending now is left to that worker. Returns what was given up here.
 */
export const GIVE_UP = `
  INSERT INTO ${SEND_RECORD} AS record
    (event_id, booking_id, version, message_id, trace_id, state, attempts, revision, reason)
  SELECT event_id, booking_id, version, message_id, trace_id, 'failed', 0, 1, reason
    FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[])
      AS dead (event_id, booking_id, version, message_id, trace_id, reason)
   ORDER BY booking_id, version
  ON CONFLICT (booking_id, version) DO UPDATE SET
    unknown_outcomes = record.unknown_outcomes + CASE record.state WHEN 'sending' THEN 1 ELSE 0 END,
    state = 'failed',
    revision = record.revision + 1,
    claim_token = NULL,
    claimed_until = NULL,
    reason = excluded.reason,
    next_try_at = NULL,
    updated_at = clock_timestamp()
  WHERE record.state IN ('pending', 'unknown')
     OR (record.state = 'sending' AND record.claimed_until <= clock_timestamp())
  RETURNING ${COLUMNS}`;

/** Mails whose death has not been told to the booking yet. */
export const UNTOLD = `
  SELECT ${COLUMNS}
    FROM ${SEND_RECORD} AS record JOIN unnest($1::uuid[], $2::int[], $3::timestamptz[]) AS dead (booking_id, version, dead_at)
   USING (booking_id, version)
   WHERE record.told_dead_at IS NULL OR record.told_dead_at < dead.dead_at`;

export const TOLD = `
  UPDATE ${SEND_RECORD} AS record SET told_dead_at = dead.dead_at
    FROM unnest($1::uuid[], $2::int[], $3::timestamptz[]) AS dead (booking_id, version, dead_at)
   WHERE record.booking_id = dead.booking_id AND record.version = dead.version
     AND (record.told_dead_at IS NULL OR record.told_dead_at < dead.dead_at)`;
