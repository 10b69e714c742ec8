import { simpleParser } from 'mailparser';
import { MAIL_KINDS } from '../../receipt/mail-occasion.js';
import type { EticketMailEvent, MailKind } from '../../receipt/mail-occasion.js';
import { RECEIPT_LANGUAGES } from '../../receipt/receipt-language.js';
import { BOOKING_SHAPE_NAMES, cancelledEvent, eticketEventWithIds } from '../eticket-fixtures.js';
import type { BookingShapeName } from '../eticket-fixtures.js';
import { mailBytes } from '../mail-bytes.js';

/** One mail of all that there are to see. */
export interface PreviewChoice {
  readonly shape: BookingShapeName;
  readonly kind: MailKind;
  readonly language: string;
}

export const PREVIEW_KINDS = MAIL_KINDS;
export const PREVIEW_LANGUAGES = RECEIPT_LANGUAGES;
export const PREVIEW_SHAPES = BOOKING_SHAPE_NAMES;

/** Every kind of every booking in every language. */
export const PREVIEW_CHOICES: readonly PreviewChoice[] = PREVIEW_SHAPES.flatMap((shape) =>
  PREVIEW_KINDS.flatMap((kind) => PREVIEW_LANGUAGES.map((language) => ({ shape, kind, language }))),
);

export interface PreviewMail {
  readonly subject: string;
  readonly text: string;
  /** With its pictures in it, so that a browser shows what a mail program does. */
  readonly html: string;
  readonly pdf: Buffer | undefined;
  readonly calendar: string;
  readonly source: Buffer;
}

/** The mail as it goes to the relay, taken apart again. */
export async function previewMail({ shape, kind, language }: PreviewChoice): Promise<PreviewMail> {
  const source = await mailBytes(eventOf(shape, kind, language));
  const { subject, text, html, attachments } = await simpleParser(source, { skipTextToHtml: true });
  const attached = (type: string) => attachments.find(({ contentType }) => contentType === type)?.content;
  return {
    subject: subject ?? '',
    text: text ?? '',
    html: html || '',
    pdf: attached('application/pdf'),
    calendar: attached('text/calendar')?.toString() ?? '',
    source,
  };
}

function eventOf(shape: BookingShapeName, kind: MailKind, language: string): EticketMailEvent {
  const confirmed = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', shape, { locale: language });
  if (kind === 'cancelled') return cancelledEvent(confirmed);
  return kind === 'resend' ? { ...confirmed, version: 2 } : confirmed;
}
