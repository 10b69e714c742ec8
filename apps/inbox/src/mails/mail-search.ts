import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Mail } from './mail.js';

/** A search gives way to other work after so long; SMTP and the page must not wait for thousands of mails. */
const TURN_MS = 20;

/** The mails for which `matches` is true, in their order. */
export async function selectMails(
  mails: readonly Mail[],
  matches: (mail: Mail) => boolean | Promise<boolean>,
): Promise<readonly Mail[]> {
  const found: Mail[] = [];
  let turnEnds = performance.now() + TURN_MS;
  for (const mail of mails) {
    if (await matches(mail)) found.push(mail);
    if (performance.now() > turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + TURN_MS;
    }
  }
  return found;
}
