import assert from 'node:assert/strict';
import type { ContractHarness, HarnessAbility } from './contract-harness.js';
import { Stage } from './stage.js';

/** The promises of the port that the suite tests; promise 13, the outbox, is tested beside the outbox. */
export type PromiseNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 14;

/** One sentence that every driver keeps true. */
export interface ContractCase {
  readonly promise: PromiseNumber;
  /** `driver`: through the port alone. `engine`: through `Ackline`, as an application sees it. */
  readonly level: 'driver' | 'engine';
  /** `promise 4: a message whose worker dies is delivered again with deliveryCount 2`. */
  readonly title: string;
  readonly needs: HarnessAbility | undefined;
  /** Rejects, with an AssertionError that says what was seen, when the driver breaks the promise. */
  run(harness: ContractHarness): Promise<void>;
}

type Play = (stage: Stage) => Promise<void>;

/** Collects the cases of one promise. */
export class CasesOfPromise {
  readonly cases: ContractCase[] = [];

  constructor(private readonly promise: PromiseNumber) {}

  driver(sentence: string, play: Play): this {
    return this.add('driver', sentence, undefined, play);
  }

  engine(sentence: string, play: Play): this {
    return this.add('engine', sentence, undefined, play);
  }

  /** A case that a harness without `ability` cannot run. */
  needing(ability: HarnessAbility, level: ContractCase['level'], sentence: string, play: Play): this {
    return this.add(level, sentence, ability, play);
  }

  private add(level: ContractCase['level'], sentence: string, needs: HarnessAbility | undefined, play: Play): this {
    const { promise } = this;
    const title = `promise ${promise}: ${sentence}`;
    this.cases.push({ promise, level, title, needs, run: (harness) => onStage(harness, needs, play) });
    return this;
  }
}

async function onStage(harness: ContractHarness, needs: HarnessAbility | undefined, play: Play): Promise<void> {
  if (needs !== undefined) {
    assert.ok(needs in harness, `the harness has no ${needs}(): give it one, or say that it lacks it`);
  }
  const stage = new Stage(harness);
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
}
