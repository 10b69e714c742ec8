import { createHash } from 'node:crypto';
import { BOOKING_SHAPE_NAMES, cancelledEvent, eticketEventWithIds } from './eticket-fixtures.js';
import { mailBytes } from './mail-bytes.js';

// Run as a process of its own, under different TZ and LANG: prints a digest of every mail.
for (const name of BOOKING_SHAPE_NAMES) {
  const event = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', name);
  for (const one of [event, { ...event, version: 2 }, cancelledEvent(event)]) {
    const bytes = await mailBytes(one);
    process.stdout.write(`${createHash('sha256').update(bytes).digest('hex')} ${name} ${one.type} ${one.version}\n`);
  }
}
