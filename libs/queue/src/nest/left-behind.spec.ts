import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Jest has a `process` of its own, which hears of no rejection: the built library in a process that is real. */
const PROGRAM = `
  import { Ackline, jsonMessage } from 'ackline';
  import { MemoryStore } from 'ackline/memory';
  import { QueueServer } from 'ackline/nest';
  import { Logger } from '@nestjs/common';
  const until = async (condition) => { while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2)); };
  const said = [];
  Logger.overrideLogger({ log() {}, warn() {}, error: (message) => said.push(message) });
  const ackline = new Ackline({ driver: new MemoryStore().driver() });
  const handled = [];
  let rejectLate;
  const servers = ['shop', 'audit'].map((group) =>
    new QueueServer({ ackline, group, consume: { maxDeliveries: 2, backoff: { baseMs: 1, maxMs: 1 } } }));
  servers[0].addHandler('orders', async ({ left }) => {
    if (left === 'at once') void Promise.reject(new TypeError('left behind'));
    if (left === 'while it ran') {
      void (async () => { await new Promise(setImmediate); throw 'left behind'; })();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    if (left === 'for later') void (async () => { await new Promise((resolve) => (rejectLate = resolve)); throw new Error('too late'); })();
    handled.push(left);
  }, true);
  servers[1].addHandler('others', async () => {}, true);
  for (const server of servers) server.listen((error) => { if (error) throw error; });
  await ackline.publish('orders', ['at once', 'while it ran', 'for later', 'nothing'].map((left, n) => jsonMessage({ left }, { id: 'm' + n })));
  const settled = async () => { const { ready, waiting, inFlight } = await ackline.stats('orders', 'shop'); return ready + waiting + inFlight === 0; };
  await until(async () => handled.length >= 6 && (await settled()));
  const dead = [];
  for await (const { id, errorCode } of ackline.deadLetters('orders', 'shop').list()) dead.push([id, errorCode]);
  rejectLate();
  await until(() => said.length > 0);
  console.log(JSON.stringify({ handled: handled.sort(), dead: dead.sort(), said }));
  Promise.reject(new Error('of somebody else'));
  await new Promise((resolve) => setTimeout(resolve, 30_000));
`;

describe('A promise that a handler left behind', () => {
  it('fails its message when it is rejected in time, else is reported; others still end the process', async () => {
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const args = ['--input-type=module', '--eval', PROGRAM];
    const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, args, { cwd, timeout: 50_000 }, (error, out, err) =>
        resolve({ code: error?.code, stdout: out, stderr: err }),
      );
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('of somebody else') as unknown });
    const { handled, dead, said } = JSON.parse(stdout) as Record<string, unknown[]>;
    expect(handled).toEqual(['at once', 'at once', 'for later', 'nothing', 'while it ran', 'while it ran']);
    expect(dead).toEqual([
      ['m0', 'typeerror'],
      ['m1', 'not_an_error'],
    ]);
    expect(said).toEqual([expect.stringContaining('Message m2 of queue orders was settled in group shop')]);
  });
});
