import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ProblemError } from '../problems/problem.js';
import { keyedDigest, sameDigest } from '../security/keyed-digest.js';
import { SecretKeys } from '../security/secret-keys.js';
import { canonicalJson } from './canonical-json.js';
import { IdempotencyRepository, type Claim, type KeyRecord } from './idempotency.repository.js';

/** How long a repeat waits for the first request's answer before it is told to come again. */
const WAIT_MS = 10_000;
const FIRST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 250;

export type KeyUse =
  { readonly repeat: false; readonly claim: Claim } | { readonly repeat: true; readonly response: string };

/** Makes a request with an Idempotency-Key happen once (draft-ietf-httpapi-idempotency-key-header-07). */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly keys: SecretKeys,
  ) {}

  /**
   * The claim to carry the request out, or the answer that it got before; waits for a first request under way.
   * @throws ProblemError 422 when the key belongs to another request, 409 when the first one takes too long.
   */
  async use(key: string, body: unknown): Promise<KeyUse> {
    const fingerprint = await this.fingerprint(body);
    const deadline = performance.now() + WAIT_MS;
    let claim = await this.repository.claim(key, fingerprint);
    for (let lookMs = FIRST_LOOK_MS; !claim; lookMs = Math.min(lookMs * 2, LONGEST_LOOK_MS)) {
      const record = await this.repository.find(key);
      const response = record ? answerOf(record, fingerprint) : null;
      if (response !== null) return { repeat: true, response };
      if (!record || record.abandoned) {
        // The first request stored nothing, or died: this one may be the first.
        claim = await this.repository.claim(key, fingerprint);
        if (claim) break;
      }
      if (performance.now() > deadline) throw stillInProgress();
      await sleep(lookMs);
    }
    return { repeat: false, claim };
  }

  /** The answer that a request got before, for requests that would be refused if they were new. */
  async earlierAnswer(key: string, body: unknown): Promise<string | undefined> {
    const record = await this.repository.find(key);
    if (!record) return undefined;
    const response = answerOf(record, await this.fingerprint(body));
    if (response === null) throw stillInProgress();
    return response;
  }

  /**
   * After a failure whose effect is not known: undoes what was done outside and gives the key back where nothing was
   * stored (`released`), or gives the answer that was stored all the same. The key is kept until `undo` has succeeded, so
   * that there is always a record of what is to be undone. @throws ProblemError 409 when another attempt is at it by now.
   */
  async abandon(
    claim: Claim,
    undo: () => Promise<boolean>,
  ): Promise<{ readonly released: true } | { readonly released: false; readonly response: string }> {
    const seized = await this.repository.seize(claim);
    if (seized) {
      if (await undo()) await this.repository.release(seized);
      else await this.repository.leave(seized);
      return { released: true };
    }
    const response = (await this.repository.find(claim.key))?.response;
    if (response === null || response === undefined) throw stillInProgress();
    return { released: false, response };
  }

  private async fingerprint(body: unknown): Promise<Buffer> {
    return keyedDigest(await this.keys.key('request-fingerprint'), canonicalJson(body));
  }
}

/** @throws ProblemError 422 when the record is another request's. */
function answerOf(record: KeyRecord, fingerprint: Buffer): string | null {
  if (!sameDigest(record.fingerprint, fingerprint)) {
    throw new ProblemError('idempotency_key_reused', 'This Idempotency-Key was used for a request with another body.');
  }
  return record.response;
}

function stillInProgress(): ProblemError {
  return new ProblemError('request_in_progress', 'The first request with this key is still being carried out.', {
    retryAfter: 1,
  });
}
