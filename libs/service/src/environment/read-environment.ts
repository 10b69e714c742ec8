import { cleanEnv, EnvMissingError, type CleanedEnv, type ValidatorSpec } from 'envalid';
import { ConfigurationError } from './configuration-error.js';

/** Names whose values are not repeated in an error: they may hold credentials. */
const MAY_HOLD_SECRET = /PASSWORD|SECRET|TOKEN|KEY|URL|ENDPOINT|HEADERS/;

/**
 * Reads and checks the environment once, into one typed read-only object. An empty variable counts as unset, as
 * compose files pass it so.
 * @throws ConfigurationError that names every bad variable, each with what would be right.
 */
export function readEnvironment<S extends Record<string, ValidatorSpec<unknown>>>(
  specs: S,
  env: NodeJS.ProcessEnv = process.env,
): Readonly<CleanedEnv<S>> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  let problems: readonly string[] = [];
  const cleaned = cleanEnv(given, specs, {
    reporter: ({ errors }) => {
      problems = Object.entries(errors as Readonly<Record<string, Error>>).map(([name, error]) =>
        describeProblem(name, error, given[name], specs[name]),
      );
    },
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  // A plain copy: envalid's proxy throws on unknown names, which dependency injection asks for.
  const names = Object.keys(specs) as (keyof S)[];
  const values = cleaned as Readonly<Record<keyof S, unknown>>;
  return Object.freeze(Object.fromEntries(names.map((name) => [name, values[name]]))) as Readonly<CleanedEnv<S>>;
}

function describeProblem(
  name: string,
  error: Error,
  value: string | undefined,
  spec: ValidatorSpec<unknown> | undefined,
): string {
  const missing = error instanceof EnvMissingError || value === undefined;
  const found = missing ? 'is not set' : MAY_HOLD_SECRET.test(name) ? 'is not valid' : `is "${value.slice(0, 80)}"`;
  return `${name} ${found}; ${whatIsRight(error, missing, spec)}`;
}

function whatIsRight(error: Error, missing: boolean, spec: ValidatorSpec<unknown> | undefined): string {
  const example = spec?.example ? `, for example ${spec.example}` : '';
  if (spec?.choices) return `it must be one of ${spec.choices.map(String).join(', ')}`;
  if (error instanceof SettingError) return `it must be ${error.expected}${example}`;
  if (spec?.desc) return `it must be ${spec.desc}${example}`;
  return missing ? `it must be set${example}` : `${error.message}${example}`;
}

/** Thrown by a setting's parser. `expected` completes the sentence "it must be …" and repeats no value. */
export class SettingError extends Error {
  constructor(readonly expected: string) {
    super(`it must be ${expected}`);
  }
}
