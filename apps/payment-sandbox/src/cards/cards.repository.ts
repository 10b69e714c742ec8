import { Injectable } from '@nestjs/common';
import { SandboxStore } from '../database/sandbox-store.js';
import { TEST_CARDS, type KeptCard } from './test-cards.js';

/** A card, and whether its token pays only once. */
export interface TokenCard extends KeptCard {
  readonly singleUse: boolean;
}

/** From the card form to the payment; longer than an offer lives. */
const LIFETIME = `interval '1 hour'`;

/** Cards behind tokens: those of the form, which end after an hour, and the test tokens of the API. */
@Injectable()
export class CardsRepository {
  constructor(private readonly store: SandboxStore) {}

  /** Keeps the card behind the token in place of an earlier one; nothing of it but what a receipt shows. */
  async save(token: string, { brand, last4, outcome }: KeptCard): Promise<void> {
    await this.store.query(`delete from payment_sandbox.cards where saved_at < now() - ${LIFETIME}`, []);
    await this.store.query(
      `insert into payment_sandbox.cards (token, brand, last4, outcome) values ($1, $2, $3, $4)
       on conflict (token) do update
         set brand = excluded.brand, last4 = excluded.last4, outcome = excluded.outcome, saved_at = now()`,
      [token, brand, last4, outcome],
    );
  }

  async find(token: string): Promise<TokenCard | undefined> {
    const test = TEST_CARDS.find((card) => card.token === token);
    if (test) return { brand: test.brand, last4: test.last4, outcome: test.outcome, singleUse: false };
    const [card] = await this.store.query<KeptCard>(
      `select brand, last4, outcome from payment_sandbox.cards
        where token = $1 and saved_at > now() - ${LIFETIME}`,
      [token],
    );
    return card && { ...card, singleUse: true };
  }

  /** After a refusal: the form asks for another card. */
  async forget(token: string): Promise<void> {
    await this.store.query(`delete from payment_sandbox.cards where token = $1`, [token]);
  }
}
