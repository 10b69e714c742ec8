import type { Mail } from '../mails/mail.js';
import { foldForSearch, MailReader } from '../mails/mail-reader.js';

export const SEARCH_KINDS = ['from', 'to', 'containing'] as const;

export type SearchKind = (typeof SEARCH_KINDS)[number];

/**
 * MailHog's three searches, all regardless of case. `from` and `to` look at the envelope and the header; `containing`
 * at the mail as it was sent and, beyond MailHog, at its decoded subject, names, addresses and texts, where an encoded
 * word or a base64 part says nothing to a reader.
 */
export function mailMatcher(kind: SearchKind, query: string, reader: MailReader): (mail: Mail) => Promise<boolean> {
  const lowered = query.toLowerCase();
  const folded = foldForSearch(query);
  const rawHas = (mail: Mail): boolean => mail.raw.toString('utf8').toLowerCase().includes(lowered);
  switch (kind) {
    case 'from':
      return async (mail) =>
        anyHas([mail.envelope.from, ...(await reader.summary(mail)).from.map(nameAndAddress)], folded);
    case 'to':
      return async (mail) =>
        anyHas([...mail.envelope.to, ...(await reader.summary(mail)).to.map(nameAndAddress)], folded);
    case 'containing':
      return async (mail) => rawHas(mail) || (await reader.summary(mail)).searchText.includes(folded);
  }
}

function nameAndAddress({ name, address }: { readonly name: string; readonly address: string }): string {
  return `${name} <${address}>`;
}

function anyHas(texts: readonly string[], folded: string): boolean {
  return texts.some((text) => foldForSearch(text).includes(folded));
}
