// #region presence
/**
 * When each session was last heard of. Kept in memory alone: after a start everyone counts as just heard of, and those
 * who are not there any more fall silent.
 */
export class Presence {
  readonly #heardAt = new Map<string, number>();
  #checkedAt: number;

  constructor(
    private readonly goneAfterMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#checkedAt = this.now();
  }

  heard(session: string): void {
    this.#heardAt.set(session, this.now());
  }

  /** Of these, the sessions that were silent for too long. To be asked a few times within `goneAfterMs`. */
  silent(sessions: readonly string[]): readonly string[] {
    const now = this.now();
    // Whoever asks late was asleep, and could not hear: the silence was its own.
    const wasAsleep = now - this.#checkedAt > this.goneAfterMs;
    this.#checkedAt = now;
    for (const session of this.#heardAt.keys()) if (!sessions.includes(session)) this.#heardAt.delete(session);
    for (const session of sessions) if (wasAsleep || !this.#heardAt.has(session)) this.#heardAt.set(session, now);
    return sessions.filter((session) => now - (this.#heardAt.get(session) ?? now) > this.goneAfterMs);
  }
}
// #endregion
