import { createHash } from 'node:crypto';
import type { IssuingAgent } from '@eticket/contracts';
import type { SendMailOptions } from 'nodemailer';
import { flightCalendar } from '../calendar/flight-calendar.js';
import { receiptPdf } from '../pdf/receipt-pdf.js';
import { mailOccasion } from '../receipt/mail-occasion.js';
import type { EticketMailEvent, MailOccasion } from '../receipt/mail-occasion.js';
import { linkQrPng } from '../qr/link-qr.js';
import { renderReceipt } from '../receipt/render-receipt.js';
import { flowedText } from './flowed-text.js';
import { filePart, textPart } from './mime-part.js';
import { asciiAddress, recipientAddress } from './recipient.js';

/** Who sends. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** How mails are made, the same for all. */
export interface MailSettings {
  readonly sender: Sender;
  /** Whether the receipt comes as a PDF too: what takes most of the time that a mail takes. */
  readonly attachPdf: boolean;
  /** Whom relays tell that a mail could not be delivered (RFC 5321 §4.4, Return-Path). */
  readonly envelopeSender: string;
}

/** One mail, to exactly one recipient. */
export interface ComposedMail {
  /** RFC 5322 Message-ID with its angle brackets. */
  readonly messageId: string;
  readonly message: Readonly<SendMailOptions>;
}

type Attachment = NonNullable<SendMailOptions['attachments']>[number];

/**
 * The mail of an event, byte for byte the same whenever and wherever it is composed: a second sending after an unknown
 * outcome is the same mail, which mailboxes that look for duplicates drop.
 * @throws RecipientError where the contact is not one address.
 */
export async function composeMail(
  event: EticketMailEvent,
  { sender, attachPdf, envelopeSender }: MailSettings,
): Promise<ComposedMail> {
  const occasion = mailOccasion(event);
  const { kind, booking } = occasion;
  const recipient = recipientAddress(event.booking.contact.email);
  const messageId = eticketMessageId(event, sender);
  // As unique as the Message-ID (RFC 2392): some mail programs keep pictures by it, across mails.
  const qrContentId = `qr.${messageId.slice(1, -1)}`;
  const receipt = renderReceipt(occasion, qrContentId);
  // Mail programs show what refers to a mail beside it, RFC 5322 §3.6.4.
  const first = eticketMessageId({ ...event, version: 1 }, sender);
  const earlier = event.version > 1 ? { references: first, inReplyTo: first } : {};
  return {
    messageId,
    message: {
      messageId,
      ...earlier,
      from: { name: sender.name, address: sender.address },
      // An object: as a string `a@x, b@y` would be two recipients. No name: it may not be the passenger's own address.
      to: { name: '', address: recipient },
      ...replyTo(booking.issuedBy),
      envelope: { from: envelopeSender, to: [recipient] },
      subject: receipt.subject,
      // When the mail was written, not when a relay could be reached: it must not change from one sending to the next.
      date: new Date(event.occurredAt),
      text: textPart('text/plain; format=flowed', flowedText(receipt.text)),
      html: textPart('text/html', receipt.html),
      attachments: [
        ...(kind === 'cancelled' ? [] : [qrAttachment(booking.manageUrl, qrContentId)]),
        ...(attachPdf && kind !== 'cancelled' ? [await pdfAttachment(occasion)] : []),
        calendarAttachment(occasion, domainOf(sender)),
      ],
      headers: {
        // RFC 3834; Exchange's header asks for no absence notes, and leaves non-delivery reports alone.
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'OOF, AutoReply',
        'Content-Language': receipt.language,
      },
      baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 24),
      xMailer: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
  };
}

/** Beside the HTML rather than linked: shown without a question, and without telling anyone. */
function qrAttachment(link: string, contentId: string): Attachment {
  return {
    cid: contentId,
    ...filePart({
      contentType: 'image/png',
      disposition: 'inline',
      filename: 'manage-booking.png',
      contentId,
      content: linkQrPng(link),
    }),
  };
}

async function pdfAttachment(occasion: MailOccasion): Promise<Attachment> {
  return filePart({
    contentType: 'application/pdf',
    disposition: 'attachment',
    filename: `${occasion.booking.reference}.pdf`,
    content: await receiptPdf(occasion),
  });
}

/** An attachment, not an alternative of the text: that would be shown as an invitation to answer. */
function calendarAttachment(occasion: MailOccasion, uidDomain: string): Attachment {
  const { method, content } = flightCalendar(occasion, uidDomain);
  return filePart({
    contentType: `text/calendar; charset=utf-8; method=${method}`,
    disposition: 'attachment',
    filename: `${occasion.booking.reference}.ics`,
    content,
  });
}

/** Support, where its address is one that can be written to; a wrong one must not cost the traveller the e-ticket. */
function replyTo({ name, supportEmail }: IssuingAgent): Pick<SendMailOptions, 'replyTo'> {
  try {
    return { replyTo: { name, address: asciiAddress(supportEmail) } };
  } catch {
    return {};
  }
}

/** Names the mail of one version of a booking, in every process and on every try. */
export function eticketMessageId(
  { booking, version }: { readonly booking: { readonly id: string }; readonly version: number },
  sender: Sender,
): string {
  return `<eticket.${booking.id}.v${version}@${domainOf(sender)}>`;
}

function domainOf({ address }: Sender): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
