import { randomUUID } from 'node:crypto';
import type { CardBrand } from '@eticket/contracts';
import { Injectable } from '@nestjs/common';
import type { TokenCard } from '../cards/cards.repository.js';
import { DECLINE_CODES, type DeclineCode } from '../cards/test-cards.js';
import { SandboxStore } from '../database/sandbox-store.js';
import { SandboxProblem } from '../problem.js';
import type { Amount } from './payment-requests.js';

export interface AuthorisationRequest {
  readonly key: string;
  readonly token: string;
  readonly amount: Amount;
}

/** An acquirer holds money for about a week; then the bank gives it free by itself. */
const CAPTURABLE_FOR = `interval '7 days'`;
/** Nobody asks again by the key of a payment that came to nothing so long ago: the shop's attempt ended within minutes. */
const UNTAKEN_KEPT_FOR = `interval '30 days'`;
/**
 * Refunds and disputes: flights are sold 330 days ahead and a card's holder may dispute for 120 days after the flight;
 * 540 days is the card schemes' outer limit.
 */
const TAKEN_KEPT_FOR = `interval '540 days'`;

/** What was answered under a key, now and whenever it is asked for again. */
export interface StoredAuthorisation {
  readonly id: string;
  readonly state: 'authorised' | 'declined' | 'captured' | 'voided';
  readonly token: string | null;
  readonly approval_code: string;
  readonly decline_code: DeclineCode | null;
  readonly brand: CardBrand;
  readonly last4: string;
}

interface Found {
  readonly same_amount: boolean;
  readonly expired: boolean;
}

/** Authorisations and refunds. Each step is one statement or one transaction, and works twice under its key. */
@Injectable()
export class PaymentsRepository {
  constructor(private readonly store: SandboxStore) {}

  /**
   * What was decided under this key before, or is now. @throws SandboxProblem 409 for a key that is voided or another
   * request's, 422 for a token of the form that has paid already.
   */
  async authorise(request: AuthorisationRequest, card: TokenCard): Promise<StoredAuthorisation> {
    const { key, token, amount } = request;
    const declineCode = DECLINE_CODES.find((code) => code === card.outcome) ?? null;
    const [made] = await this.store.query<StoredAuthorisation>(
      `insert into payment_sandbox.authorisations
         (id, key, state, token, single_use, amount, currency, approval_code, decline_code, brand, last4)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       on conflict do nothing returning *`,
      [
        `auth_${randomUUID()}`,
        key,
        declineCode === null ? 'authorised' : 'declined',
        token,
        card.singleUse,
        amount.amount,
        amount.currency,
        randomUUID().slice(0, 6).toUpperCase(),
        declineCode,
        card.brand,
        card.last4,
      ],
    );
    if (made) return made;
    const before = await this.find(request);
    if (!before) throw new SandboxProblem('unknown_token', 'This token has paid already.');
    return before;
  }

  /** What was decided under this key. @throws SandboxProblem 409 for a key that is voided, expired or another request's. */
  async find({ key, token, amount }: AuthorisationRequest): Promise<StoredAuthorisation | undefined> {
    const [found] = await this.store.query<StoredAuthorisation & Found>(
      `select *, amount = $2::numeric and currency = $3 as same_amount,
              state = 'authorised' and made_at <= now() - ${CAPTURABLE_FOR} as expired
         from payment_sandbox.authorisations where key = $1`,
      [key, amount.amount, amount.currency],
    );
    if (!found) return undefined;
    if (found.state === 'voided') throw new SandboxProblem('authorisation_voided');
    if (found.token !== token || !found.same_amount) throw new SandboxProblem('idempotency_key_reused');
    if (found.expired) throw new SandboxProblem('authorisation_expired');
    return found;
  }

  /** @throws SandboxProblem 409. */
  async capture(id: string): Promise<void> {
    const taken = await this.store.query(
      `update payment_sandbox.authorisations set state = 'captured'
        where id = $1
          and (state = 'captured' or state = 'authorised' and made_at > now() - ${CAPTURABLE_FOR})
        returning id`,
      [id],
    );
    if (taken.length === 0) throw new SandboxProblem('not_capturable');
  }

  /** @throws SandboxProblem 409 when nothing was taken, or less than would be given back. */
  async refund(key: string, id: string, { amount, currency }: Amount): Promise<void> {
    await this.store.transaction(async (query) => {
      // Refunds of one payment come one after the other, so that their sum is known.
      const [captured] = await query<{ readonly amount: string }>(
        `select amount from payment_sandbox.authorisations
          where id = $1 and state = 'captured' and currency = $2 for update`,
        [id, currency],
      );
      const [before] = await query<{ readonly same: boolean }>(
        `select authorisation_id = $2 and amount = $3::numeric as same from payment_sandbox.refunds where key = $1`,
        [key, id, amount],
      );
      if (before && !before.same) throw new SandboxProblem('idempotency_key_reused');
      if (before) return;
      if (!captured) throw new SandboxProblem('not_refundable');
      const made = await query(
        `insert into payment_sandbox.refunds (key, authorisation_id, amount)
         select $1, $2, $3::numeric
          where $3::numeric + (select coalesce(sum(amount), 0) from payment_sandbox.refunds where authorisation_id = $2)
                <= $4::numeric
         returning key`,
        [key, id, amount, captured.amount],
      );
      if (made.length === 0) throw new SandboxProblem('not_refundable', 'That is more than was taken.');
    });
  }

  /** Gives free what is authorised under the key, now or ever. @throws SandboxProblem 409 when it was taken. */
  async void(key: string): Promise<void> {
    const voided = await this.store.query(
      `insert into payment_sandbox.authorisations as known (id, key, state) values ($1, $2, 'voided')
       on conflict (key) do update set state = 'voided' where known.state <> 'captured' returning id`,
      [`auth_${randomUUID()}`, key],
    );
    if (voided.length === 0) throw new SandboxProblem('not_voidable');
  }

  /** Deletes at most `limit` payments of which nothing is wanted any more, with their refunds; how many it were. */
  async forgetOld(limit: number): Promise<number> {
    return this.store.transaction(async (query) => {
      const old = await query<{ readonly id: string }>(
        `select id from payment_sandbox.authorisations
          where state <> 'captured' and made_at < now() - ${UNTAKEN_KEPT_FOR}
             or state = 'captured' and made_at < now() - ${TAKEN_KEPT_FOR}
          limit $1 for update skip locked`,
        [limit],
      );
      const ids = old.map(({ id }) => id);
      await query(`delete from payment_sandbox.refunds where authorisation_id = any($1::text[])`, [ids]);
      await query(`delete from payment_sandbox.authorisations where id = any($1::text[])`, [ids]);
      return ids.length;
    });
  }
}
