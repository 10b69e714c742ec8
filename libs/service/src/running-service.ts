/** A started part of the system. */
export interface RunningService {
  readonly name: string;
  /** Where it answers HTTP. */
  readonly url: string;
  /** Drains and gives everything back. Bounded, never hangs; works twice. */
  stop(): Promise<void>;
}
