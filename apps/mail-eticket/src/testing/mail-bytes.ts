import type { EticketConfirmedEvent } from '@eticket/contracts';
import { createTransport } from 'nodemailer';
import { composeMail } from '../sending/compose-mail.js';
import type { Sender } from '../sending/compose-mail.js';

export const TEST_SENDER: Sender = { name: 'Meridian Travel', address: 'tickets@meridian.example' };

/** The bytes that a relay would get for an event. */
export async function mailBytes(event: EticketConfirmedEvent): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const info = await transport.sendMail(composeMail(event, TEST_SENDER).message);
  return info.message as Buffer;
}
