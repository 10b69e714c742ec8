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

const SOMEWHERE = 'http://here.invalid';

/** The address to come back to after another language was chosen: of what was posted there is none. */
export function pageOf({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string | undefined {
  if (method !== 'GET') return undefined;
  // Of the searches alone the query says what the page shows; that of a link may be a secret.
  return url.startsWith('/flights?') ? url : url.split('?', 1)[0];
}

/** What an address asks to be led back to, when it is a page of ours; else the start page. */
export function pageToReturnTo(to: unknown): string {
  if (typeof to !== 'string' || !to.startsWith('/') || !URL.canParse(to, SOMEWHERE)) return '/';
  const { origin, pathname, search } = new URL(to, SOMEWHERE);
  // `/.//evil.test` is a path here, and would be another site once more.
  if (origin !== SOMEWHERE || pathname.startsWith('//') || pathname.startsWith('/language/')) return '/';
  return pathname + search;
}
