import { createTransport } from 'nodemailer';
import type { EticketMailEvent } from '../receipt/mail-occasion.js';
import { composeMail } from '../sending/compose-mail.js';
import type { MailSettings, Sender } from '../sending/compose-mail.js';

export const TEST_SENDER: Sender = { name: 'Meridian Travel', address: 'tickets@meridian.example' };

export const TEST_MAIL: MailSettings = {
  sender: TEST_SENDER,
  attachPdf: true,
  envelopeSender: TEST_SENDER.address,
};

/** The bytes that a relay would get for an event. */
export async function mailBytes(event: EticketMailEvent, settings = TEST_MAIL): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const info = await transport.sendMail((await composeMail(event, settings)).message);
  return info.message as Buffer;
}
