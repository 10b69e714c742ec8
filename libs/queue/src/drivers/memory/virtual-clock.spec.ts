import { VirtualClock } from './virtual-clock.js';

describe('virtual time', () => {
  it('stands still until it is advanced', () => {
    const clock = new VirtualClock(5_000);
    expect([clock.now(), clock.monotonic()]).toEqual([5_000, 0]);
  });

  it('runs what falls due, earliest first, each at its own time', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    const note = (name: string) => () => ran.push(`${name} ${clock.now()}`);
    clock.schedule(30, note('c'));
    clock.schedule(10, note('a'));
    clock.schedule(10, note('b'));
    clock.schedule(31, note('too late'));
    await clock.advance(30);
    expect(ran).toEqual(['a 10', 'b 10', 'c 30']);
    expect(clock.now()).toBe(30);
  });

  it('lets promises settle before the next timer, also those that set timers of their own', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.schedule(ms, resolve));
    const work = async (): Promise<void> => {
      for (let index = 0; index < 3; index += 1) {
        await pause(10);
        await Promise.resolve();
        ran.push(`work ${clock.now()}`);
      }
    };
    const done = work();
    clock.schedule(11, () => ran.push(`timer ${clock.now()}`));
    await clock.advance(100);
    await done;
    expect(ran).toEqual(['work 10', 'timer 11', 'work 20', 'work 30']);
  });

  it('runs nothing that was cancelled, before or while time passes', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    clock.schedule(5, () => ran.push('cancelled before'))();
    const cancel = clock.schedule(20, () => ran.push('cancelled on the way'));
    clock.schedule(10, cancel);
    await clock.advance(30);
    expect(ran).toEqual([]);
  });

  it('adds up when it is advanced from two places at once', async () => {
    const clock = new VirtualClock(0);
    await Promise.all([clock.advance(10), clock.advance(5)]);
    expect(clock.now()).toBe(15);
  });
});
