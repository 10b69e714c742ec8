import { ConfigurationError } from './configuration-error.js';

/**
 * Carries out every reading of settings, so that one error names what is wrong in all of them.
 * @throws ConfigurationError with the problems of each that threw one.
 */
export function allProblems<Readings extends readonly unknown[]>(
  ...readings: { readonly [Index in keyof Readings]: () => Readings[Index] }
): Readings {
  const problems: string[] = [];
  const values = readings.map((read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return values as unknown as Readings;
}
