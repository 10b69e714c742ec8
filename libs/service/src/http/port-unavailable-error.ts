interface Wanted {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly portSetting?: string;
}

/** The port cannot be listened on. The message is for the person who starts the program: one sentence, what to do. */
export class PortUnavailableError extends Error {
  readonly code = 'port_unavailable';
  readonly retryable = false;
  override readonly name = 'PortUnavailableError';

  /** The error for a failed `listen`, or undefined when it failed for something else. */
  static from(error: unknown, wanted: Wanted): PortUnavailableError | undefined {
    const why = REASONS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''];
    if (!why) return undefined;
    const setting = wanted.portSetting ?? 'PORT';
    return new PortUnavailableError(
      `Port ${wanted.port} on ${wanted.host}, which ${wanted.name} wants, ${why}: stop what uses it, or set ${setting} to a free port.`,
      { cause: error },
    );
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program',
  EACCES: 'may not be opened by this user',
  EADDRNOTAVAIL: 'is not an address of this machine',
};
