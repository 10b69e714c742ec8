/** Something took longer than it was given. */
export class DeadlineError extends Error {
  readonly code = 'deadline';
  readonly retryable = true;
  override readonly name = 'DeadlineError';
}

/** Resolves as `work` does; @throws DeadlineError when that takes longer than `deadlineMs`. The work goes on unheard. */
export async function within<T>(work: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`${what} took longer than ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
