import { sql, type Kysely, type Migration } from 'kysely';

/** Bookings, tickets, payments, mail statuses, idempotency keys. */
export const bookingsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  // Eight digits behind form code 99; a ticket number is never issued twice, so it does not start over.
  `create sequence ticket_serials minvalue 0 maxvalue 99999999 start with 0 no cycle`,
  `create table bookings (
     id uuid primary key,
     reference text not null unique check (reference ~ '^[2-9A-HJ-NP-Z]{6}$'),
     status text not null check (status in ('ticketed')),
     version integer not null check (version > 0),
     token_version integer not null check (token_version > 0),
     currency text not null check (currency ~ '^[A-Z]{3}$'),
     total_minor bigint not null check (total_minor > 0),
     snapshot jsonb not null,
     created_at timestamptz not null
   )`,
  `create table passengers (
     booking_id uuid not null references bookings on delete cascade,
     position integer not null,
     type text not null check (type in ('adult', 'child', 'infant')),
     family_name text not null,
     ticket_name text not null,
     born_on date not null,
     primary key (booking_id, position)
   )`,
  `create table tickets (
     number text primary key check (number ~ '^[0-9]{13}$'),
     booking_id uuid not null,
     passenger_position integer not null,
     status text not null check (status in ('issued')),
     issued_at timestamptz not null,
     unique (booking_id, passenger_position),
     foreign key (booking_id, passenger_position) references passengers on delete cascade
   )`,
  `create table payments (
     booking_id uuid primary key references bookings on delete cascade,
     authorisation_id text not null,
     state text not null check (state in ('authorised', 'captured')),
     amount_minor bigint not null,
     currency text not null
   )`,
  // What a recovery looks for: money reserved for a booking and not taken yet.
  `create index payments_to_capture on payments (booking_id) where state = 'authorised'`,
  `create table mail_statuses (
     booking_id uuid primary key references bookings on delete cascade,
     version integer not null,
     revision integer not null,
     status text not null check (status in ('queued', 'sending', 'delayed', 'sent', 'failed')),
     sent_at timestamptz,
     message_id text,
     next_try_at timestamptz,
     reason text
   )`,
  `create table idempotency_keys (
     key text primary key,
     fingerprint bytea not null,
     booking_id uuid not null,
     claim uuid not null,
     claimed_until timestamptz not null,
     response text,
     created_at timestamptz not null default now()
   )`,
  `create table secrets (name text primary key, value text not null)`,
];
