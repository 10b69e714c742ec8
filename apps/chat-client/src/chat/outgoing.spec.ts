import { eventually } from '@eticket/service/testing';
import { Outgoing } from './outgoing.js';

describe('what was typed', () => {
  it('is sent one after the other, also what was typed before the join', async () => {
    const sent: string[] = [];
    let open = 0;
    const outgoing = new Outgoing(() => undefined);
    outgoing.add('1');
    outgoing.add('2');
    outgoing.open(async (text) => {
      expect(++open).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open--;
      sent.push(text);
    });
    outgoing.add('3');
    await outgoing.allSent();
    expect(sent).toEqual(['1', '2', '3']);
    expect(outgoing.unsent).toBe(0);
  });

  it('goes on after a refusal, and tells of it', async () => {
    const refused: string[] = [];
    const sent: string[] = [];
    const outgoing = new Outgoing((why, text) => void refused.push(`${text}: ${why}`));
    outgoing.open((text) => (text === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(void sent.push(text))));
    for (const text of ['1', 'bad', '2']) outgoing.add(text);
    await outgoing.allSent();
    expect([sent, refused]).toEqual([['1', '2'], ['bad: no']]);
  });

  it('is all seen when each message came back', async () => {
    const ids: string[] = [];
    const outgoing = new Outgoing(() => undefined);
    outgoing.open((_text, id) => Promise.resolve(void ids.push(id)));
    outgoing.add('1');
    let seen = false;
    void outgoing.allSeen().then(() => (seen = true));
    await outgoing.allSent();
    expect(seen).toBe(false);
    outgoing.seen(ids[0] as string);
    await eventually(() => seen);
  });
});
