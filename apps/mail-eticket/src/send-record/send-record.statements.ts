import { MAIL_ETICKET_SCHEMA } from './send-record.migrations.js';

export const SEND_RECORD = `${MAIL_ETICKET_SCHEMA}.send_record`;

/** Of `record`, named one by one: a statement that is prepared must outlive a column that a later release adds. */
export const COLUMNS = [
  'event_id',
  'booking_id',
  'version',
  'message_id',
  'state',
  'attempts',
  'revision',
  'unknown_outcomes',
  'possibly_sent_twice',
  'sent_at',
  'relay_id',
  'reason',
  'next_try_at',
  'updated_at',
]
  .map((column) => `record.${column}`)
  .join(', ');

/** Only the database's clock is read. */
const AFTER = (milliseconds: string): string => `clock_timestamp() + ${milliseconds} * interval '1 millisecond'`;

/**
 * Claims mails, in the order of their keys, so that two workers that claim the same ones wait for each other and do not
 * lock each other out. Returns the rows that were claimed.
 */
export const CLAIM = `
  INSERT INTO ${SEND_RECORD} AS record
    (event_id, booking_id, version, message_id, trace_id, state, attempts, revision, claim_token, claimed_until)
  SELECT event_id, booking_id, version, message_id, trace_id, 'sending', 1, 1, token, ${AFTER('claim_ms')}
    FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::uuid[], $7::float8[])
      AS asked (event_id, booking_id, version, message_id, trace_id, token, claim_ms)
   ORDER BY booking_id, version
  ON CONFLICT (booking_id, version) DO UPDATE SET
    unknown_outcomes = record.unknown_outcomes + CASE record.state WHEN 'sending' THEN 1 ELSE 0 END,
    state = 'sending',
    attempts = record.attempts + 1,
    revision = record.revision + 1,
    trace_id = coalesce(excluded.trace_id, record.trace_id),
    claim_token = excluded.claim_token,
    claimed_until = excluded.claimed_until,
    reason = NULL,
    next_try_at = NULL,
    updated_at = clock_timestamp()
  WHERE record.state IN ('pending', 'unknown', 'failed')
     OR (record.state = 'sending' AND record.claimed_until <= clock_timestamp())
  RETURNING ${COLUMNS}, record.claim_token, EXISTS (
    SELECT FROM ${SEND_RECORD} newer
     WHERE newer.booking_id = record.booking_id AND newer.version > record.version AND newer.state = 'sent'
  ) AS superseded`;

/** Writes down how claimed sendings ended. Returns the rows whose claims still stood. */
export const FINISH = `
  UPDATE ${SEND_RECORD} AS record SET
    state = ended.state,
    revision = record.revision + 1,
    unknown_outcomes = record.unknown_outcomes + ended.unknown,
    claim_token = NULL,
    claimed_until = NULL,
    sent_at = CASE ended.state WHEN 'sent' THEN clock_timestamp() END,
    relay_id = ended.relay_id,
    reason = ended.reason,
    next_try_at = ${AFTER('ended.next_try_ms')},
    updated_at = clock_timestamp()
  FROM unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::int[], $6::text[], $7::text[], $8::float8[])
    AS ended (booking_id, version, token, state, unknown, relay_id, reason, next_try_ms)
  WHERE record.booking_id = ended.booking_id AND record.version = ended.version AND record.claim_token = ended.token
  RETURNING ${COLUMNS}, ended.token`;

/** Where mails stand, and for how long yet they are claimed. */
export const STANDING = `
  SELECT ${COLUMNS}, greatest(0, extract(epoch FROM record.claimed_until - clock_timestamp()) * 1000)::float8 AS remaining_ms
    FROM ${SEND_RECORD} AS record JOIN unnest($1::uuid[], $2::int[]) AS asked (booking_id, version)
   USING (booking_id, version)`;
