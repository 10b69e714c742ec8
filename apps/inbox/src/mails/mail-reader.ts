import libmime from 'libmime';
import {
  type AddressObject,
  type Attachment,
  type EmailAddress,
  type ParsedMail,
  simpleParser,
  type SimpleParserOptions,
} from 'mailparser';
import type { Mail } from './mail.js';

/** A person or mailbox of a header, decoded. */
export interface Address {
  readonly name: string;
  readonly address: string;
}

/** What a list shows of a mail and what a search looks at. */
export interface MailSummary {
  readonly from: readonly Address[];
  /** `To`, `Cc` and `Bcc` headers. */
  readonly to: readonly Address[];
  readonly subject: string;
  /** Files to download; images that the HTML shows are not counted. */
  readonly attachmentCount: number;
  /** Decoded subject, names, addresses, file names, text and HTML, folded by {@link foldForSearch}. */
  readonly searchText: string;
}

/** One attached file. */
export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  /** True for an image that the HTML shows by its `cid:`. */
  readonly inline: boolean;
  readonly content: Buffer;
}

/** A mail, decoded. */
export interface MailContents {
  readonly from: readonly Address[];
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly replyTo: readonly Address[];
  readonly subject: string;
  /** The `Date` header, which is the sender's claim. */
  readonly date?: Date;
  readonly text?: string;
  /** With its `cid:` images as `data:` URLs. Not safe to show without a sandbox. */
  readonly html?: string;
  /** Name and decoded value, in the order of the mail. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly MailAttachment[];
}

/** Longer texts are searched in their first part only, so that one mail cannot slow every search down. */
const SEARCHED_CHARACTERS = 1_000_000;

/** Decodes mails; keeps what lists and searches need for as long as the mail is kept. */
export class MailReader {
  private readonly summaries = new WeakMap<Mail, Promise<MailSummary>>();

  /** Never rejects: a mail that cannot be decoded is listed by its envelope. */
  summary(mail: Mail): Promise<MailSummary> {
    let summary = this.summaries.get(mail);
    if (summary === undefined) {
      // Images inside the HTML are of no use to a list or a search.
      summary = parse(mail, { keepCidLinks: true }).then(
        (contents) => summarize(mail, contents),
        () => undecodable(mail),
      );
      this.summaries.set(mail, summary);
    }
    return summary;
  }

  /** Rejects when the mail cannot be decoded (thousands of parts, a header of megabytes). */
  read(mail: Mail): Promise<MailContents> {
    return parse(mail, {});
  }
}

async function parse(mail: Mail, options: SimpleParserOptions): Promise<MailContents> {
  // The text is shown as it was sent, so none is made of the HTML and no HTML of the text.
  const asSent = { skipHtmlToText: true, skipTextToHtml: true, checksumAlgo: false } as const;
  return contentsOf(await simpleParser(mail.raw, { ...asSent, ...options }));
}

/** Makes texts comparable: case, compatibility forms and composed accents do not matter. */
export function foldForSearch(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function summarize(mail: Mail, contents: MailContents): MailSummary {
  const people = [...contents.from, ...contents.to, ...contents.cc, ...contents.replyTo];
  const searched = [
    contents.subject,
    ...people.flatMap(({ name, address }) => [name, address]),
    mail.envelope.from,
    ...mail.envelope.to,
    ...contents.attachments.map((attachment) => attachment.filename),
    (contents.text ?? '').slice(0, SEARCHED_CHARACTERS),
    (contents.html ?? '').slice(0, SEARCHED_CHARACTERS),
  ];
  return {
    from: contents.from,
    to: [...contents.to, ...contents.cc],
    subject: contents.subject,
    attachmentCount: contents.attachments.filter((attachment) => !attachment.inline).length,
    searchText: foldForSearch(searched.join('\n')),
  };
}

function undecodable(mail: Mail): MailSummary {
  const { from, to } = mail.envelope;
  return {
    from: [{ name: '', address: from }],
    to: to.map((address) => ({ name: '', address })),
    subject: '',
    attachmentCount: 0,
    searchText: foldForSearch([from, ...to].join('\n')),
  };
}

function contentsOf(parsed: ParsedMail): MailContents {
  return {
    from: addresses(parsed.from),
    to: [...addresses(parsed.to), ...addresses(parsed.bcc)],
    cc: addresses(parsed.cc),
    replyTo: addresses(parsed.replyTo),
    subject: parsed.subject ?? '',
    headers: headersOf(parsed),
    attachments: parsed.attachments.map(attachmentOf),
    ...(parsed.date !== undefined && { date: parsed.date }),
    ...(parsed.text !== undefined && { text: parsed.text }),
    ...(typeof parsed.html === 'string' && { html: parsed.html }),
  };
}

function attachmentOf(attachment: Attachment, index: number): MailAttachment {
  return {
    filename: attachment.filename ?? `part-${index + 1}`,
    contentType: attachment.contentType,
    inline: attachment.related === true,
    content: attachment.content,
  };
}

function addresses(header: AddressObject | readonly AddressObject[] | undefined): readonly Address[] {
  if (header === undefined) return [];
  const objects = Array.isArray(header) ? (header as readonly AddressObject[]) : [header as AddressObject];
  return objects.flatMap((object) => object.value.flatMap(mailboxes));
}

function mailboxes(entry: EmailAddress): readonly Address[] {
  if (entry.group !== undefined) return entry.group.flatMap(mailboxes);
  return [{ name: entry.name, address: entry.address ?? '' }];
}

function headersOf(parsed: ParsedMail): readonly (readonly [string, string])[] {
  return parsed.headerLines.map(({ key, line }) => {
    const colon = line.indexOf(':');
    const value = line
      .slice(colon + 1)
      .replace(/\r?\n[ \t]+/g, ' ')
      .trim();
    return [line.slice(0, Math.max(colon, 0)) || key, libmime.decodeWords(value)];
  });
}
