import { Injectable } from '@nestjs/common';
import { keyedDigest } from '../security/keyed-digest.js';
import { SecretKeys } from '../security/secret-keys.js';

/** Where the gateway's card form is, as browsers reach it; undefined: it has none. */
export class CardFormAddress {
  readonly origin: string | undefined;

  constructor(readonly url: string | undefined) {
    this.origin = url === undefined ? undefined : new URL(url).origin;
  }
}

/**
 * The gateway's card form, shown in a frame of the payment page, so that no card number meets this service. The token
 * that the card will have is chosen here: nothing has to come back from the frame, with a script or without.
 */
@Injectable()
export class CardForm {
  constructor(
    private readonly address: CardFormAddress,
    private readonly keys: SecretKeys,
  ) {}

  get origin(): string | undefined {
    return this.address.origin;
  }

  /**
   * Of the attempt with this Idempotency-Key, the same each time: the back button and a reload lead to the same
   * request. Who knows the key cannot tell the token.
   */
  async token(idempotencyKey: string): Promise<string> {
    const digest = keyedDigest(await this.keys.key('card-token'), idempotencyKey);
    return `tok_${digest.subarray(0, 16).toString('hex')}`;
  }

  /** Of the form for a token. */
  frameUrl(token: string, language: string): string {
    return `${this.address.url}/card-form?${new URLSearchParams({ card: token, lang: language }).toString()}`;
  }
}
