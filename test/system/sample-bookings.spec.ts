import { eventually } from '@eticket/service/testing';
import { sampleBookings, type SampleBooking } from '@eticket/standalone/sample-bookings';
import {
  cancellationFacts,
  expectedEvents,
  expectedReservations,
  missingFacts,
  readGoldenMail,
  receiptFacts,
} from './support/golden-mail.js';
import { Mailbox, parseMail, type ReceivedMail } from './support/mailbox.js';
import { asciiAddress, PersonalData } from './support/personal-data.js';
import { Pipeline } from './support/pipeline.js';
import { QueueView } from './support/queue-view.js';
import { factsInHtml, factsInText, factsOf, recipientsOf } from './support/receipt-facts.js';
import { Traveller, type Answer, type Booking, type BookingAnswer, type Offer } from './support/traveller.js';

interface Posted {
  readonly sample: SampleBooking;
  readonly offer: Offer;
  readonly answer: Answer<BookingAnswer>;
}

describe('The sample bookings, posted to a running npm start', () => {
  const personal = new PersonalData();
  let pipeline: Pipeline;
  let queue: QueueView;
  let traveller: Traveller;
  let posted: readonly Posted[];
  let mails: readonly ReceivedMail[];

  beforeAll(async () => {
    const samples = await sampleBookings();
    pipeline = await Pipeline.start();
    queue = new QueueView(await pipeline.databaseUrl());
    traveller = new Traveller(pipeline.bookingUrl, personal);
    posted = await Promise.all(samples.map((sample) => post(sample)));
    await queue.settled(60_000);
    mails = await new Mailbox(pipeline.inboxUrl).all();
  }, 120_000);
  afterAll(async () => {
    await queue?.close();
    await pipeline?.remove();
  }, 60_000);

  async function post(sample: SampleBooking): Promise<Posted> {
    const offer = await traveller.cheapestOffer(sample.search);
    return { sample, offer, answer: await traveller.post(sample.body(offer.id)) };
  }

  const booked = () =>
    posted.flatMap(({ answer, ...one }) => (answer.body.data ? [{ ...one, booking: answer.body.data }] : []));
  const mailsOf = ({ reference }: Booking) => mails.filter(({ subject }) => subject.includes(reference));

  it('are answered with the right status and code', () => {
    expect(posted.length).toBeGreaterThanOrEqual(10);
    expect(posted.map(({ sample, answer }) => [sample.name, answer.status, answer.body.code])).toEqual(
      posted.map(({ sample: { name, expected } }) => [name, expected.status, expected.code]),
    );
  });

  it('are booked as they were offered', () => {
    for (const { sample, offer, booking } of booked()) {
      const segments = offer.slices.flatMap((slice) => slice.segments);
      expect(booking).toMatchObject({ total: offer.total, segments });
      expect(booking.total.currency).toBe(sample.search.currency);
      expect(booking.segments[0]?.origin.iataCode).toBe(sample.search.origin);
      expect(booking.segments[0]?.departingAt.slice(0, 10)).toBe(sample.search.departureDate);
      expect(booking.segments.map(({ destination }) => destination.iataCode)).toContain(sample.search.destination);
    }
  });

  it('get exactly one mail each, and one that was refused gets none', () => {
    expect(mails).toHaveLength(booked().length);
    for (const { sample, booking } of booked()) {
      const own = mailsOf(booking);
      expect([sample.name, own.length]).toEqual([sample.name, 1]);
      expect(own[0]?.to).toEqual([asciiAddress(sample.contact.email)]);
    }
  });

  it('get a mail that says what was booked, in its text and in its HTML', async () => {
    for (const { sample, booking } of booked()) {
      const [received] = mailsOf(booking) as [ReceivedMail];
      const mail = await parseMail(received);
      const facts = factsOf(booking, sample);
      expect(facts.flights.length).toBeGreaterThan(0);
      expect([sample.name, factsInText(mail)]).toEqual([sample.name, facts]);
      expect([sample.name, factsInHtml(mail)]).toEqual([sample.name, facts]);
      expect(recipientsOf(mail)).toEqual([asciiAddress(sample.contact.email)]);
    }
  });

  it('show their mail as sent, under the Message-ID that it has', async () => {
    for (const { booking } of booked()) {
      const mail = await eventually(async () => {
        const found = await traveller.mailOf(booking);
        return found.status === 'sent' && found;
      });
      expect(mail.messageId).toBe(mailsOf(booking)[0]?.messageId);
    }
  });

  it('are mailed again on request, and when they are cancelled: each part of every mail says what its event says', async () => {
    const bookings = booked();
    const answers = (ask: (booking: Booking) => Promise<number>) =>
      Promise.all(bookings.map(({ booking }) => ask(booking)));
    expect(new Set(await answers((booking) => traveller.resend(booking)))).toEqual(new Set([202]));
    await queue.settled(60_000);
    expect(new Set(await answers((booking) => traveller.cancel(booking)))).toEqual(new Set([200]));
    await queue.settled(60_000);
    const events = await queue.mailEvents(3 * bookings.length);
    const all = await new Mailbox(pipeline.inboxUrl).all();
    expect([events.length, all.length]).toEqual([3 * bookings.length, 3 * bookings.length]);
    for (const event of events) {
      const { booking, version, type } = event;
      const messageId = `<eticket.${booking.id}.v${version}@meridian.example>`;
      const read = await readGoldenMail(all.find((mail) => mail.messageId === messageId)?.source ?? '');
      const isCancelled = type === 'eticket-cancelled';
      const parts = isCancelled ? [read.text, read.html] : [read.text, read.html, read.pdf];
      const facts = isCancelled ? cancellationFacts(booking, event.refund) : receiptFacts(booking);
      for (const part of parts) if (part !== undefined) expect(missingFacts(part, facts)).toEqual([]);
      for (const part of [read.text, read.html]) {
        const names = booking.passengers.map(({ givenName, familyName }) => `${givenName} ${familyName}`);
        expect(missingFacts(part, names)).toEqual([]);
      }
      expect(read.mail.attachments.map(({ contentType }) => contentType).sort()).toEqual(
        isCancelled ? ['text/calendar'] : ['application/pdf', 'image/png', 'text/calendar'],
      );
      expect(read.qr).toBe(isCancelled ? undefined : booking.manageUrl);
      expect(read.calendar.method).toBe(isCancelled ? 'CANCEL' : 'PUBLISH');
      const status = isCancelled ? 'CANCELLED' : 'CONFIRMED';
      expect(read.calendar.events).toMatchObject(expectedEvents(booking, { version, status }));
      const reservationStatus = isCancelled ? 'ReservationCancelled' : 'ReservationConfirmed';
      expect(read.reservations).toMatchObject(expectedReservations(booking, reservationStatus));
    }
  }, 180_000);

  it('leave nothing unsettled, no dead letter, and nothing personal in any log', async () => {
    expect(await queue.unsettled()).toBe(0);
    expect(await queue.deadLetters()).toEqual([]);
    expect(await pipeline.interrupt()).toBe(0);
    const logs = await pipeline.logs();
    expect(logs).toContain('e-ticket sent');
    expect(personal.size).toBeGreaterThan(80);
    expect(personal.foundIn(logs)).toEqual([]);
  });
});
