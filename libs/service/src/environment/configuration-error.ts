/**
 * The settings cannot be used. The message is for the person who starts the program: shown alone, without a stack.
 * Its lines name every bad variable and what would be right.
 */
export class ConfigurationError extends Error {
  readonly code = 'configuration';
  readonly retryable = false;
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(
      problems.length === 1
        ? `Wrong setting: ${problems[0]}.`
        : `Wrong settings:\n${problems.map((problem) => `  ${problem}.`).join('\n')}`,
    );
  }
}
