import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `30s`, `5m`, `2h`, `7d`, in milliseconds. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('Write a time as 500ms, 30s, 5m, 2h or 7d.');
  return Number(amount) * UNITS[unit!]!;
}

/** `50/s`, `100/m`, `1000/h`, or a number a second. */
export function rate(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/(s|m|h))?$/.exec(text) ?? [];
  if (amount === undefined || Number(amount) === 0) {
    throw new InvalidArgumentError('Write a rate as 50/s, 100/m or 1000/h, above 0.');
  }
  return (Number(amount) * 1_000) / UNITS[unit]!;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('Use a whole number above 0.');
  return Number(text);
}

/** Gathers `--header name=value`, each time it is given. */
export function header(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write a header as name=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** For people: `850 ms`, `12 s`, `3 min`, `5 h`, `2 d`. */
export function spokenDuration(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}
