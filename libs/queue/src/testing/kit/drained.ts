import type { Ackline } from '../../ackline.js';
import type { GroupStats } from '../../queue-driver.js';

/** How long {@link drained} waits. */
export interface DrainedOptions {
  /** Milliseconds of real time until it gives up. Default 4,000: below Jest's own 5,000, whose error says less. */
  readonly deadlineMs?: number;
}

/** Something published was still not settled when the time was over: its message says what, and how its consumers stand. */
export class NotDrainedError extends Error {
  override readonly name = 'NotDrainedError';
  constructor(
    /** The groups with something left, as the store counts it. */
    readonly left: readonly GroupStats[],
    message: string,
  ) {
    super(message);
  }
}

const LOOK_EVERY_MS = 5;

/**
 * Resolves when everything published so far, and what its handlers published, has been settled by every group that the
 * store knows: acked, or dead-lettered. Queues that no group consumes do not count. Works on any driver, in real time.
 * @throws NotDrainedError
 */
export function drained(ackline: Ackline, { deadlineMs = 4_000 }: DrainedOptions = {}): Promise<void> {
  return settleAll([ackline], { deadlineMs }, () => pause(LOOK_EVERY_MS));
}

/** Looks, and lets `pass` time, until nothing is left; `pass` answers `false` when no more time may pass. */
export async function settleAll(
  acklines: readonly Ackline[],
  { deadlineMs }: Required<DrainedOptions>,
  pass: (left: readonly GroupStats[]) => Promise<boolean | void>,
): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const left = await whatIsLeft(acklines[0]!);
    if (left.length === 0 && !acklines.some(isStarting)) return;
    const timeIsOver = performance.now() - startedAt > deadlineMs || (await pass(left)) === false;
    if (timeIsOver) throw new NotDrainedError(left, explain(acklines, left));
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function whatIsLeft(ackline: Ackline): Promise<readonly GroupStats[]> {
  const queues = await ackline.queues();
  const groups = queues.flatMap(({ queue, groups: names }) => names.map((group) => ({ queue, group })));
  const stats = await Promise.all(groups.map(({ queue, group }) => ackline.stats(queue, group)));
  return stats.filter(({ ready, waiting, inFlight }) => ready + waiting + inFlight > 0);
}

/** It may be about to make its group: what was published before is then for it too. */
function isStarting(ackline: Ackline): boolean {
  return ackline.consumers().some((consumer) => consumer.status().state === 'starting');
}

function explain(acklines: readonly Ackline[], left: readonly GroupStats[]): string {
  const groups = left.map((stats) => `\n  ${countsOf(stats)}; ${consumersOf(acklines, stats)}`);
  return left.length === 0
    ? 'not drained: a consumer has not started yet.'
    : `not drained: not everything published is settled:${groups.join('')}`;
}

function countsOf({ queue, group, ready, waiting, inFlight }: GroupStats): string {
  return `queue ${queue}, group ${group}: ${ready} ready, ${waiting} waiting, ${inFlight} in flight`;
}

function consumersOf(acklines: readonly Ackline[], { queue, group }: GroupStats): string {
  const consumers = acklines
    .flatMap((ackline) => ackline.consumers())
    .filter((consumer) => consumer.queue === queue && 'group' in consumer && consumer.group === group);
  if (consumers.length === 0) return 'nobody consumes it';
  const states = consumers.map((consumer) => {
    const status = consumer.status();
    return 'why' in status ? `${status.state}, ${status.why}` : status.state;
  });
  return `its consumer: ${states.join('; ')}`;
}
