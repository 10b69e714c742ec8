import { AssertionError } from 'node:assert';
import { QueueError } from '../errors.js';
import { brokenDrivers, brokenHarness } from './broken-drivers.js';
import type { BrokenDriver } from './broken-drivers.js';
import { contractCases } from './contract.js';
import { memoryHarness } from './memory-harness.js';

/** Titles of the cases, of these promises, that fail; an error that says nothing of a promise counts as none. */
async function failedOf(broken: Pick<BrokenDriver, 'wrap'>, promises: readonly number[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { promise, title, run } of contractCases) {
    if (!promises.includes(promise)) continue;
    await run(brokenHarness(memoryHarness(), broken)).catch((error: unknown) => {
      if (!(error instanceof AssertionError) && !(error instanceof QueueError)) throw error;
      failed.push(title);
    });
  }
  return failed;
}

describe('the contract suite', () => {
  it.each(brokenDrivers)('fails on a driver of which is true: $fault', async (broken) => {
    const failed = await failedOf(broken, broken.breaks);
    for (const promise of broken.breaks) {
      expect(failed).toContainEqual(expect.stringMatching(new RegExp(`^promise ${promise}: `)));
    }
  });

  it('passes on a good driver in the same wrapping', async () => {
    const every = contractCases.map(({ promise }) => promise);
    expect(await failedOf({ wrap: (good) => good }, every)).toEqual([]);
  });

  it('is tried with a broken driver for every promise', () => {
    const broken = new Set(brokenDrivers.flatMap(({ breaks }) => breaks));
    expect(contractCases.filter(({ promise }) => !broken.has(promise)).map(({ title }) => title)).toEqual([]);
  });
});
