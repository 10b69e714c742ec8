import { RedeliverError, RejectError, StopTheLineError } from 'ackline';
import type { SendOutcome } from '../sending/smtp-outcome.js';
import { deliveryVerdict } from './delivery-verdict.js';
import { redeliveryDelay } from './redelivery-delay.js';

const facts = { deliveryCount: 1, maxDeliveries: 20, unknownOutcomes: 0, interrupted: false, nextTryInMs: 2_000 };
const deferred: SendOutcome = { kind: 'deliver-again', code: 'recipient_deferred', replyClass: '4xx' };
const full: SendOutcome = { kind: 'deliver-again', code: 'mailbox_full', replyClass: '5xx', atMost: 7 };
const unknown: SendOutcome = { kind: 'unknown', code: 'outcome_unknown', replyClass: 'none', atMost: 3 };
const refused: SendOutcome = { kind: 'refused', code: 'recipient_refused', replyClass: '5xx' };
const away: SendOutcome = { kind: 'stop-the-line', code: 'mail_server_unavailable', replyClass: 'none' };
const sent: SendOutcome = { kind: 'sent', replyClass: '2xx' };

describe('A delivery', () => {
  it('is acked when the mail is sent, also when its worker was told to stop meanwhile', () => {
    for (const interrupted of [false, true]) {
      expect(deliveryVerdict(sent, { ...facts, interrupted })).toEqual({
        ending: { state: 'sent' },
        error: undefined,
        announce: true,
      });
    }
  });

  it('is repeated after a deferral, at the time that the booking is told', () => {
    const { ending, error } = deliveryVerdict(deferred, facts);
    expect(ending).toEqual({ state: 'pending', reason: 'recipient_deferred', nextTryInMs: 2_000 });
    expect(error).toBeInstanceOf(RedeliverError);
    expect(error).toMatchObject({ errorCode: 'recipient_deferred', delayMs: 2_000 });
  });

  it('is the last when the deliveries are used up, and the booking hears of the failure', () => {
    const { ending, error, announce } = deliveryVerdict(deferred, { ...facts, deliveryCount: 20 });
    expect({ ending, announce }).toEqual({ ending: { state: 'failed', reason: 'recipient_deferred' }, announce: true });
    expect(error).toBeInstanceOf(RedeliverError);
  });

  it('to a full mailbox is repeated a few times', () => {
    expect(deliveryVerdict(full, { ...facts, deliveryCount: 6 }).error).toBeInstanceOf(RedeliverError);
    expect(deliveryVerdict(full, { ...facts, deliveryCount: 7 })).toMatchObject({ ending: { state: 'failed' } });
    expect(deliveryVerdict(full, { ...facts, deliveryCount: 7 }).error).toBeInstanceOf(RejectError);
  });

  it('of unknown outcome is repeated, three sendings in all', () => {
    expect(deliveryVerdict(unknown, facts)).toMatchObject({
      ending: { state: 'unknown' },
      error: { errorCode: 'outcome_unknown' },
    });
    expect(deliveryVerdict(unknown, { ...facts, unknownOutcomes: 1 })).toMatchObject({ ending: { state: 'unknown' } });
    const last = deliveryVerdict(unknown, { ...facts, unknownOutcomes: 2 });
    expect(last.ending).toEqual({ state: 'failed', reason: 'outcome_unknown', outcomeUnknown: true });
    expect(last.error).toBeInstanceOf(RejectError);
  });

  it('of unknown outcome stays so when its worker was interrupted', () => {
    expect(deliveryVerdict(unknown, { ...facts, interrupted: true })).toMatchObject({ ending: { state: 'unknown' } });
  });

  it('is a dead letter at once when the recipient is refused', () => {
    const { ending, error } = deliveryVerdict(refused, facts);
    expect(ending).toEqual({ state: 'failed', reason: 'recipient_refused' });
    expect(error).toBeInstanceOf(RejectError);
  });

  it('stops the line when the fault is ours, however often it was tried', () => {
    const { ending, error } = deliveryVerdict(away, { ...facts, deliveryCount: 20 });
    expect(ending).toEqual({ state: 'pending', reason: 'mail_server_unavailable' });
    expect(error).toBeInstanceOf(StopTheLineError);
  });

  it('that its worker had to leave is left as it was, and nothing is announced', () => {
    for (const outcome of [deferred, refused, away]) {
      const { ending, error, announce } = deliveryVerdict(outcome, { ...facts, interrupted: true });
      expect({ ending, announce }).toEqual({ ending: { state: 'pending', reason: 'interrupted' }, announce: false });
      expect(error).toBeInstanceOf(RedeliverError);
    }
  });
});

describe('Deliveries of one mail', () => {
  const usual = { baseMs: 2_000, maxMs: 14_400_000 };

  it('come after 2 s, 8 s, 32 s … and at last every four hours, spread over two days', () => {
    const latest = Array.from({ length: 19 }, (_, index) => redeliveryDelay(usual, index + 1, () => 1));
    expect(latest.slice(0, 4)).toEqual([2_000, 8_000, 32_000, 128_000]);
    expect(latest.at(-1)).toBe(14_400_000);
    const soonest = Array.from({ length: 19 }, (_, index) => redeliveryDelay(usual, index + 1, () => 0));
    const hours = soonest.reduce((sum, delay) => sum + delay, 0) / 3_600_000;
    expect(hours).toBeGreaterThan(24);
    expect(soonest[0]).toBe(1_000);
  });
});
