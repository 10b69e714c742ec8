import { simpleParser, type ParsedMail } from 'mailparser';

interface MailhogItem {
  readonly ID: string;
  readonly Content: { readonly Headers: Readonly<Record<string, readonly string[]>> };
  readonly Raw: { readonly To: readonly string[]; readonly Data: string };
}

/** A mail as the inbox holds it. */
export interface ReceivedMail {
  /** With its angle brackets. */
  readonly messageId: string;
  /** Recipients of the envelope. */
  readonly to: readonly string[];
  readonly subject: string;
  /** The whole source. */
  readonly source: string;
}

/** MailHog gives no more at once. */
const PAGE = 250;

/** Reads the inbox through MailHog's API. */
export class Mailbox {
  constructor(private readonly inboxUrl: string) {}

  /** How many mails there are. */
  async count(): Promise<number> {
    return (await this.page(0, 1)).total;
  }

  /** All mails, newest first. Asked for when no more are on their way: a mail that comes meanwhile moves the pages. */
  async all(): Promise<readonly ReceivedMail[]> {
    const items: MailhogItem[] = [];
    for (let total = Infinity; items.length < total;) {
      const page = await this.page(items.length, PAGE);
      items.push(...page.items);
      total = page.total;
    }
    return items.map(({ Content: { Headers }, Raw }) => ({
      // Folded where it is long, which leaves a blank before it.
      messageId: (Headers['Message-ID']?.[0] ?? '').trim(),
      to: Raw.To,
      subject: Headers['Subject']?.[0] ?? '',
      source: Raw.Data,
    }));
  }

  private async page(start: number, limit: number) {
    const response = await fetch(`${this.inboxUrl}/api/v2/messages?start=${start}&limit=${limit}`, {
      signal: AbortSignal.timeout(10_000),
    });
    return (await response.json()) as { readonly total: number; readonly items: readonly MailhogItem[] };
  }
}

export function parseMail({ source }: ReceivedMail): Promise<ParsedMail> {
  return simpleParser(source);
}

/** The mails under each Message-ID. */
export function mailsByMessageId(mails: readonly ReceivedMail[]): ReadonlyMap<string, readonly ReceivedMail[]> {
  const groups = new Map<string, ReceivedMail[]>();
  for (const mail of mails) groups.set(mail.messageId, [...(groups.get(mail.messageId) ?? []), mail]);
  return groups;
}
