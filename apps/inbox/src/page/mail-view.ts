import type { Mail } from '../mails/mail.js';
import type { Address, MailAttachment, MailContents, MailSummary } from '../mails/mail-reader.js';

/** A row of the list. */
export interface MailItem {
  readonly id: string;
  readonly from: readonly Address[];
  readonly to: readonly Address[];
  readonly subject: string;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** Bytes. */
  readonly size: number;
  readonly attachmentCount: number;
}

/** A mail as the page shows it. */
export interface MailView extends MailItem {
  /** False when the mail cannot be decoded; then there is its source alone. */
  readonly decoded: boolean;
  readonly cc: readonly Address[];
  readonly replyTo: readonly Address[];
  /** The `Date` header, ISO 8601. */
  readonly date?: string;
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly hasHtml: boolean;
  /** The first part of it when it is very long. */
  readonly text?: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly AttachmentView[];
}

/** The download is `/api/mails/{id}/attachments/{index}`. */
export interface AttachmentView {
  readonly filename: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  readonly inline: boolean;
}

const SHOWN_TEXT_CHARACTERS = 500_000;

export function mailItem(mail: Mail, { from, to, subject, attachmentCount }: MailSummary): MailItem {
  return {
    id: mail.id,
    from,
    to,
    subject,
    receivedAt: mail.receivedAt.toISOString(),
    size: mail.raw.length,
    attachmentCount,
  };
}

export function mailView(mail: Mail, item: MailItem, contents: MailContents): MailView {
  const { cc, replyTo, date, text, html, headers, attachments } = contents;
  return {
    ...item,
    to: contents.to,
    decoded: true,
    cc,
    replyTo,
    envelope: { from: mail.envelope.from, to: mail.envelope.to },
    hasHtml: html !== undefined,
    headers,
    attachments: attachments.map(attachmentView),
    ...(date !== undefined && !Number.isNaN(date.getTime()) && { date: date.toISOString() }),
    ...(text !== undefined && { text: text.slice(0, SHOWN_TEXT_CHARACTERS) }),
  };
}

export function undecodableView(mail: Mail, item: MailItem): MailView {
  return {
    ...item,
    decoded: false,
    cc: [],
    replyTo: [],
    envelope: { from: mail.envelope.from, to: mail.envelope.to },
    hasHtml: false,
    headers: [],
    attachments: [],
  };
}

function attachmentView({ filename, contentType, inline, content }: MailAttachment): AttachmentView {
  return { filename, contentType, inline, size: content.length };
}
