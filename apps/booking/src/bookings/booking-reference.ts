import { randomInt } from 'node:crypto';

/** Without 0, 1, I and O, which are read for each other. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 6;

/** Six characters, one of 32⁶ = 1.07 × 10⁹. Not a secret, and perhaps taken: the database tells. */
export function randomReference(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
