import { simpleParser, type ParsedMail } from 'mailparser';
import { asciiAddress } from './eticket-facts.js';

interface MailhogItem {
  readonly ID: string;
  readonly Raw: { readonly Data: string };
}

/** Reads the inbox, or a MailHog in its place. */
export class InboxClient {
  constructor(private readonly url: string) {}

  /** Mails to this address whose text holds `containing`, newest first, parsed from their source. */
  async mailsTo(address: string, containing: string): Promise<readonly ParsedMail[]> {
    const query = new URLSearchParams({ kind: 'to', query: asciiAddress(address), limit: '200' });
    const response = await fetch(`${this.url}/api/v2/search?${query.toString()}`, {
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`the inbox answered ${response.status}`);
    const { items } = (await response.json()) as { readonly items: readonly MailhogItem[] };
    const mails = await Promise.all(items.map(({ Raw }) => simpleParser(Raw.Data)));
    return mails.filter(({ subject, text }) => `${subject}\n${text}`.includes(containing));
  }
}
