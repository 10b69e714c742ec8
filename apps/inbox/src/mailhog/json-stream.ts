import { Readable } from 'node:stream';
import type { Mail } from '../mails/mail.js';
import { mailhogMessage } from './mailhog-message.js';

/** MailHog's own; with the character set, which some clients otherwise guess wrong for `text/`. */
export const MAILHOG_JSON = 'text/json; charset=utf-8';

/**
 * A JSON array of messages between `before` and `after`, made one message at a time: a page of 250 large mails has no
 * room in one string.
 */
export function messagesJson(mails: readonly Mail[], before: string, after: string): Readable {
  function* parts(): Generator<string> {
    yield before;
    for (const [index, mail] of mails.entries()) yield (index === 0 ? '' : ',') + JSON.stringify(mailhogMessage(mail));
    yield after;
  }
  return Readable.from(parts(), { objectMode: false });
}
