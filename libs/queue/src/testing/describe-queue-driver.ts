import { contractCases, promises } from './contract.js';
import type { PromiseNumber } from './contract-case.js';
import type { ContractHarness, HarnessAbility } from './contract-harness.js';

/** What the suite is to know of a driver. */
export interface DescribeOptions {
  /** Cases that need this are reported as skipped. */
  readonly lacks?: readonly HarnessAbility[];
  /** For each case. Default 60 s: beyond the deadlines of the cases, which say more when they end. */
  readonly timeoutMs?: number;
}

/**
 * The contract suite, in Jest's globals: every promise that a driver must keep, a `describe` each. One harness is made
 * for the whole suite; every case has its own queue and groups in it.
 *
 * @example
 * describeQueueDriver('my driver', async () => myHarness());
 */
export function describeQueueDriver(
  name: string,
  create: () => Promise<ContractHarness>,
  { lacks = [], timeoutMs = 60_000 }: DescribeOptions = {},
): void {
  describe(`${name} keeps the promises of the queue port`, () => {
    let harness: ContractHarness;

    beforeAll(async () => {
      harness = await create();
    }, timeoutMs);

    afterAll(() => harness?.close(), timeoutMs);

    for (const [number, sentence] of Object.entries(promises)) {
      const promise = Number(number) as PromiseNumber;
      describe(`promise ${promise}: ${sentence}`, () => {
        for (const one of contractCases) {
          if (one.promise !== promise) continue;
          const test = one.needs !== undefined && lacks.includes(one.needs) ? it.skip : it;
          test(`${one.title} (${one.level})`, () => one.run(harness), timeoutMs);
        }
      });
    }
  });
}
