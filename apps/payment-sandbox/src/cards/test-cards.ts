import type { CardBrand } from '@eticket/contracts';

export const DECLINE_CODES = ['card_declined', 'insufficient_funds', 'expired_card'] as const;
export type DeclineCode = (typeof DECLINE_CODES)[number];

/** What the bank says; `no_answer`: it authorises, and its answer never comes. */
export type CardOutcome = 'approved' | DeclineCode | 'no_answer';

/** A card as far as it is ever kept. */
export interface KeptCard {
  readonly brand: CardBrand;
  readonly last4: string;
  readonly outcome: CardOutcome;
}

export interface TestCard extends KeptCard {
  readonly number: string;
  /** Stands for this card in the API, as often as wanted. */
  readonly token: string;
}

/** The only cards that the sandbox takes; the numbers are those that payment providers give to developers. */
export const TEST_CARDS: readonly TestCard[] = [
  testCard('4242424242424242', 'visa', 'approved', 'tok_visa'),
  testCard('5555555555554444', 'mastercard', 'approved', 'tok_mastercard'),
  testCard('378282246310005', 'amex', 'approved', 'tok_amex'),
  testCard('4000000000000002', 'visa', 'card_declined', 'tok_chargeDeclined'),
  testCard('4000000000009995', 'visa', 'insufficient_funds', 'tok_insufficientFunds'),
  testCard('4000000000000069', 'visa', 'expired_card', 'tok_expiredCard'),
  testCard('4000000000000119', 'visa', 'no_answer', 'tok_timeout'),
];

function testCard(number: string, brand: CardBrand, outcome: CardOutcome, token: string): TestCard {
  return { number, brand, last4: number.slice(-4), outcome, token };
}
