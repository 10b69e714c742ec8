import { atLeastOnce } from './cases/at-least-once.js';
import { backPressure } from './cases/back-pressure.js';
import { closing } from './cases/closing.js';
import { counts } from './cases/counts.js';
import { deadLetters } from './cases/dead-letters.js';
import { delays } from './cases/delays.js';
import { groupsAndReaders } from './cases/groups-and-readers.js';
import { keyOrder } from './cases/key-order.js';
import { leases } from './cases/leases.js';
import { messageIds } from './cases/message-ids.js';
import { retention } from './cases/retention.js';
import { scaling } from './cases/scaling.js';
import { singleFate } from './cases/single-fate.js';
import type { ContractCase, PromiseNumber } from './contract-case.js';

/** The port's promises, a sentence each; `docs/promises.md` has them whole. */
export const promises: Readonly<Record<PromiseNumber, string>> = {
  1: 'at least once: what was published is acked or becomes a dead letter, whatever process is killed',
  2: 'one message, one fate: no settlement waits for, or decides, another’s',
  3: 'leases: a delivery belongs to one worker, and a worker away for too long loses it',
  4: 'counts survive crashes, and a message that kills its process takes no neighbour with it',
  5: 'a waiting message comes when it is due, and blocks nobody until then',
  6: 'dead letters keep everything, and are redriven or discarded under audit',
  7: 'messages of one key are handled one at a time, in publish order, where the group asks for it',
  8: 'workers that join or leave cleanly cause no second delivery',
  9: 'a worker has no more in flight than it can bear, and can stop the line',
  10: 'close is bounded, works twice, at start-up, and with the store gone',
  11: 'every group gets every message, every ephemeral reader sees everything from its start on',
  12: 'a message keeps its id',
  14: 'messages are kept for groups that come later',
};

/** Every case of the contract, by promise. */
export const contractCases: readonly ContractCase[] = [
  atLeastOnce,
  singleFate,
  leases,
  counts,
  delays,
  deadLetters,
  keyOrder,
  scaling,
  backPressure,
  closing,
  groupsAndReaders,
  messageIds,
  retention,
].flatMap(({ cases }) => cases);
