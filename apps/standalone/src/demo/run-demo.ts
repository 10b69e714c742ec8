import { setTimeout as delay } from 'node:timers/promises';
import type { SampleBooking } from '../sample-bookings.js';
import { BookingClient } from './booking-client.js';
import { factsOfBooking, factsOfMail, missingInHtml, type EticketFacts } from './eticket-facts.js';
import { InboxClient } from './inbox-client.js';

export interface DemoOptions {
  readonly bookingUrl: string;
  readonly inboxUrl: string;
  readonly samples: readonly SampleBooking[];
  readonly print: (text: string) => void;
  /** Until a mail counts as missing; 60,000 when left out. */
  readonly mailDeadlineMs?: number;
}

/** How one sample went; it went well when there are no problems. */
export interface DemoOutcome {
  readonly sample: SampleBooking;
  readonly facts: EticketFacts | undefined;
  readonly problems: readonly string[];
}

const MAIL_DEADLINE_MS = 60_000;

/** Books every sample, reads its mail and compares both; prints a line for each. */
export async function runDemo(options: DemoOptions): Promise<readonly DemoOutcome[]> {
  const booking = new BookingClient(options.bookingUrl);
  const inbox = new InboxClient(options.inboxUrl);
  const width = Math.max(...options.samples.map(({ name }) => name.length));
  const outcomes: DemoOutcome[] = [];
  for (const [index, sample] of options.samples.entries()) {
    const count = `${String(index + 1).padStart(2)}/${options.samples.length}`;
    options.print(`  ${count}  ${sample.name.padEnd(width)}  `);
    const outcome = await runSample(sample, booking, inbox, options).catch((error: unknown) => ({
      sample,
      facts: undefined,
      problems: [error instanceof Error ? error.message : String(error)],
    }));
    outcomes.push(outcome);
    options.print(`${outcome.problems.length === 0 ? 'ok' : 'WRONG'}\n`);
    for (const problem of outcome.problems) options.print(`         ${problem}\n`);
  }
  return recountMails(outcomes, inbox, options.print);
}

async function runSample(
  sample: SampleBooking,
  booking: BookingClient,
  inbox: InboxClient,
  { print, mailDeadlineMs = MAIL_DEADLINE_MS }: DemoOptions,
): Promise<DemoOutcome> {
  const before = sample.expected.status === 201 ? 0 : (await inbox.mailsTo(sample.contact.email, '')).length;
  const { status, code, trip, milliseconds } = await booking.book(sample);
  print(`${status}${code ? ` ${code}` : ''} in ${Math.round(milliseconds)} ms  `);
  if (status !== sample.expected.status || code !== sample.expected.code) {
    const expected = `${sample.expected.status} ${sample.expected.code ?? ''}`.trim();
    return { sample, facts: undefined, problems: [`answered ${status} ${code ?? ''}, expected ${expected}`] };
  }
  if (!trip) {
    const after = (await inbox.mailsTo(sample.contact.email, '')).length;
    print('no mail  ');
    return { sample, facts: undefined, problems: after === before ? [] : ['a mail went out all the same'] };
  }
  print(`${trip.reference}  `);
  const startedAt = performance.now();
  const expected = factsOfBooking(trip, sample.contact.email);
  let [mail] = await inbox.mailsTo(sample.contact.email, trip.reference);
  while (!mail) {
    if (performance.now() - startedAt > mailDeadlineMs) {
      return { sample, facts: expected, problems: [`no mail within ${mailDeadlineMs / 1000} s`] };
    }
    await delay(100);
    [mail] = await inbox.mailsTo(sample.contact.email, trip.reference);
  }
  print(`mail after ${((performance.now() - startedAt) / 1000).toFixed(1)} s  `);
  const problems = [
    ...differences(expected, factsOfMail(mail, expected)),
    ...missingInHtml(mail, expected).map((fact) => `not in the HTML part: ${fact}`),
  ];
  const facts = 3 + expected.flights.length + expected.passengers.length;
  print(`${facts} facts compared  `);
  return { sample, facts: expected, problems };
}

/** At the end, when a second mail would have come: each booking has exactly one. */
async function recountMails(
  outcomes: readonly DemoOutcome[],
  inbox: InboxClient,
  print: (text: string) => void,
): Promise<readonly DemoOutcome[]> {
  return Promise.all(
    outcomes.map(async (outcome) => {
      if (!outcome.facts || outcome.problems.length > 0) return outcome;
      const { length } = await inbox.mailsTo(outcome.sample.contact.email, outcome.facts.reference);
      if (length === 1) return outcome;
      const problem = `${length} mails for ${outcome.facts.reference} instead of one`;
      print(`  ${outcome.sample.name}: ${problem}\n`);
      return { ...outcome, problems: [problem] };
    }),
  );
}

function differences(expected: EticketFacts, found: EticketFacts): readonly string[] {
  const names = Object.keys(expected) as (keyof EticketFacts)[];
  return names.flatMap((name) => {
    const [wanted, got] = [String(expected[name]), String(found[name])];
    return wanted === got ? [] : [`${name}: the booking has "${wanted}", the mail has "${got}"`];
  });
}
