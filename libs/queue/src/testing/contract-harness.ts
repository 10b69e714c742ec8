import type { Clock } from '../clock.js';
import type { DriverFeatures, QueueDriver } from '../queue-driver.js';

/** What a driver's author gives the contract suite: a store, ways to reach it, and ways to break them. */
export interface ContractHarness {
  readonly features: DriverFeatures;
  /** Another process's connection to the one store. */
  open(): Promise<QueueDriver>;
  /** kill -9 of the process that holds this driver: no goodbye, and nothing that it still does has an effect. */
  crash(driver: QueueDriver): Promise<void>;
  /**
   * Cuts the network between this driver and the store until the returned function is called. Where it is left out,
   * cases that need it fail, unless `describeQueueDriver` is told that it `lacks` it.
   */
  cutOff?(driver: QueueDriver): Promise<() => Promise<void>>;
  /** Lets the store believe that `retentionMs` has passed since everything published so far, and clean up. Else as above. */
  passRetention?(): Promise<void>;

  /** The clock of the engine and of the store, where both share a virtual one. Left out: the system's. */
  readonly clock?: Clock;
  /** Lets virtual time pass. Left out, the suite waits in real time. */
  advance?(ms: number): Promise<void>;

  /** Given to every group; at least 1 s. The suite waits for it about thirty times: short where time is real. */
  readonly visibilityTimeoutMs: number;
  /** Long beside the store's operations and its error in timing; the suite's delays are this or a few times this. */
  readonly delayMs: number;
  /**
   * When to give up on what should happen at once, a join included; reached only by a case that fails. What has to
   * wait for a visibility timeout or a delay is given that time more.
   */
  readonly deadlineMs: number;

  close(): Promise<void>;
}

/** What a harness may lack; cases that need it are then skipped. */
export type HarnessAbility = 'cutOff' | 'passRetention';
