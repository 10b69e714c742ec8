import { sql, type Kysely, type Migration } from 'kysely';

export const PAYMENT_SANDBOX_SCHEMA = 'payment_sandbox';

/** In order. Never change one that was released. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-payments': {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const statement of PAYMENTS) await sql.raw(statement).execute(db);
    },
  },
  '0002-payments-by-age': {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const statement of BY_AGE) await sql.raw(statement).execute(db);
    },
  },
};

// Old payments are looked for every hour: those that came to nothing, and, much later, those that were taken.
const BY_AGE = [
  `create index untaken_authorisations_by_age on authorisations (made_at) where state <> 'captured'`,
  `create index taken_authorisations_by_age on authorisations (made_at) where state = 'captured'`,
];

const PAYMENTS = [
  // Of a card only what a receipt shows; the outcome is what its test number stands for.
  `create table cards (
     token text primary key,
     brand text not null,
     last4 text not null check (last4 ~ '^[0-9]{4}$'),
     outcome text not null,
     saved_at timestamptz not null default now()
   )`,
  `create index cards_by_age on cards (saved_at)`,
  `create table authorisations (
     id text primary key,
     key text not null unique,
     state text not null check (state in ('authorised', 'declined', 'captured', 'voided')),
     token text,
     single_use boolean,
     amount numeric,
     currency text,
     approval_code text,
     decline_code text,
     brand text,
     last4 text,
     made_at timestamptz not null default now(),
     -- A key that is voided before it came has nothing else.
     check (state = 'voided' or (token is not null and amount > 0 and currency is not null))
   )`,
  // A token of the form pays once, unless that was undone.
  `create unique index authorisations_of_token on authorisations (token)
     where single_use and state in ('authorised', 'captured')`,
  `create table refunds (
     key text primary key,
     authorisation_id text not null references authorisations,
     amount numeric not null check (amount > 0),
     made_at timestamptz not null default now()
   )`,
  `create index refunds_of_authorisation on refunds (authorisation_id)`,
];
