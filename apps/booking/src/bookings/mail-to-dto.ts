import type { MailStatusRow } from '../mail-status/mail-status.repository.js';
import type { MailDto } from './booking.dto.js';

/** A booking of which no worker has said anything yet is queued. */
export function mailToDto(row: MailStatusRow | undefined): MailDto {
  if (!row) return { status: 'queued' };
  return {
    status: row.status,
    ...(row.sent_at && { sentAt: row.sent_at.toISOString() }),
    ...(row.message_id !== null && { messageId: row.message_id }),
    ...(row.next_try_at && { nextTryAt: row.next_try_at.toISOString() }),
    ...(row.reason !== null && { reason: row.reason }),
  };
}
