/** The server did not answer, or answered that it cannot now: what was asked for may have been done. */
export class ServerAwayError extends Error {
  readonly code = 'server_away';
  readonly retryable = true;
  override readonly name = 'ServerAwayError';
  constructor(
    message: string,
    /** The server cannot have got the request. */
    readonly notReached: boolean,
    readonly retryAfterMs: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server's answer is no. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  constructor(
    /** As in the server's API: `username_taken`, `token_unknown`, `too_many_requests` … */
    readonly code: string,
    message: string,
    /** The same may be asked again after this. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
  }
}

/** What the server gave at the join. */
export interface Membership {
  readonly username: string;
  readonly token: string;
  readonly heartbeatMs: number;
}

export interface Present {
  readonly username: string;
  readonly since: Date;
}

/** Longer than the server waits for its queue. */
const REQUEST_TIMEOUT_MS = 20_000;

/** The room's server. Every call throws ServerAwayError or RefusedError. */
export class RoomServer {
  constructor(readonly url: string) {}

  async join(username: string, signal?: AbortSignal): Promise<Membership> {
    return (await this.#call('POST', '/join', { body: { username }, signal })) as Membership;
  }

  /** Resolves when everyone will see it. Called again with the same id it is the same message. */
  async publish({ username, token }: Membership, message: string, id: string, signal?: AbortSignal): Promise<void> {
    await this.#call('POST', '/publish', { body: { username, message, id }, token, signal });
  }

  async leave({ username, token }: Membership, signal?: AbortSignal): Promise<void> {
    await this.#call('POST', '/leave', { body: { username }, token, signal });
  }

  async heartbeat({ token }: Membership, signal?: AbortSignal): Promise<void> {
    await this.#call('POST', '/heartbeat', { token, signal });
  }

  async who({ token }: Membership, signal?: AbortSignal): Promise<readonly Present[]> {
    const { users } = (await this.#call('GET', '/who', { token, signal })) as {
      readonly users: readonly { readonly username: string; readonly since: string }[];
    };
    return users.map(({ username, since }) => ({ username, since: new Date(since) }));
  }

  async #call(method: string, path: string, { body, token, signal }: Request): Promise<unknown> {
    const request = new AbortController();
    const abort = (): void => request.abort(signal?.reason);
    // Not AbortSignal.any: a signal as old as the whole stay would keep one of each call.
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    const late = setTimeout(() => request.abort(new Error('no answer in time')), REQUEST_TIMEOUT_MS);
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: request.signal,
      });
      if (response.status === 204) return undefined;
      const answer = (await response.json()) as Answer;
      if (response.ok) return answer.data;
      const detail = answer.detail ?? `it answered ${response.status}`;
      if (response.status >= 500) throw new ServerAwayError(detail, false, answer.retryAfterMs);
      throw new RefusedError(answer.code ?? 'refused', detail, answer.retryAfterMs);
    } catch (error) {
      if (signal?.aborted || error instanceof ServerAwayError || error instanceof RefusedError) throw error;
      throw awayError(error);
    } finally {
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
    }
  }
}

interface Request {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly data?: unknown;
  readonly code?: string;
  readonly detail?: string;
  readonly retryAfterMs?: number;
}

/** Nobody was there to get the request. */
const NOT_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function awayError(error: unknown): ServerAwayError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  const known = typeof code === 'string' ? code : undefined;
  const why = known ?? (cause instanceof Error ? cause.message : String(cause));
  return new ServerAwayError(why, known !== undefined && NOT_REACHED.has(known), undefined, { cause: error });
}
