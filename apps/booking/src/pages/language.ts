import '@fastify/cookie';
import type { FastifyRequest } from 'fastify';

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_COOKIE = 'lang';

export function isLanguage(tag: unknown): tag is Language {
  return (LANGUAGES as readonly unknown[]).includes(tag);
}

/** What the reader has chosen, else the best of Accept-Language (RFC 9110 12.5.4), else English. */
export function languageOf({ cookies, headers }: Pick<FastifyRequest, 'cookies' | 'headers'>): Language {
  const chosen = cookies?.[LANGUAGE_COOKIE];
  if (isLanguage(chosen)) return chosen;
  const wanted = (headers['accept-language'] ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((each) => /^\s*q=([\d.]+)$/.exec(each)?.[1]).find(Boolean);
      return { tag: range.split('-', 1)[0], weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .find(({ tag }) => isLanguage(tag));
  return isLanguage(wanted?.tag) ? wanted.tag : 'en';
}
