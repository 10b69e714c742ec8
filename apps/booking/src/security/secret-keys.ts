import { hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** What a key is for. Each purpose has its own key, so that a value made for one is worth nothing for another. */
export type KeyPurpose = 'offer' | 'access-token' | 'page-link' | 'form-token' | 'request-fingerprint' | 'card-token';

/** Gives the service's secret, the same on every node and after every start. */
export interface SecretSource {
  secret(): Promise<string>;
}

/** Keys derived from the service's secret (HKDF, SHA-256). */
@Injectable()
export class SecretKeys {
  private keys: Promise<ReadonlyMap<KeyPurpose, Buffer>> | undefined;

  constructor(private readonly source: SecretSource) {}

  /** Waits for the secret where it is kept in the database. */
  async key(purpose: KeyPurpose): Promise<Buffer> {
    this.keys ??= this.source.secret().then(deriveKeys);
    try {
      return (await this.keys).get(purpose) as Buffer;
    } catch (error) {
      // Asked again by the next request: the database may be back.
      this.keys = undefined;
      throw error;
    }
  }
}

const PURPOSES: readonly KeyPurpose[] = [
  'offer',
  'access-token',
  'page-link',
  'form-token',
  'request-fingerprint',
  'card-token',
];

function deriveKeys(secret: string): ReadonlyMap<KeyPurpose, Buffer> {
  return new Map(
    PURPOSES.map((purpose) => [purpose, Buffer.from(hkdfSync('sha256', secret, 'eticket-booking', purpose, 32))]),
  );
}
