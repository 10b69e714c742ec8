import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

describe('The Nest example', () => {
  let shop: ChildProcess | undefined;
  let output = '';

  afterEach(() => shop?.kill('SIGKILL'));

  async function said(what: RegExp): Promise<string> {
    const deadline = Date.now() + 45_000;
    for (let found = what.exec(output); ; found = what.exec(output)) {
      if (found) return found[1] ?? found[0];
      if (Date.now() > deadline) throw new Error(`${what.source} was not said within 45 s, but: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('sends receipts by the queue, shows what is hopeless, and ends what it began when it is stopped', async () => {
    const { DATABASE_URL: _none, ...env } = process.env;
    const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
    shop = spawn(process.execPath, [main], { env: { ...env, PORT: '0', NO_COLOR: '1' } });
    for (const stream of [shop.stdout!, shop.stderr!])
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    const exited = once(shop, 'exit');
    const url = await said(/The shop is open at (\S+)/);

    const order = (id: string, amount: number): Promise<Response> =>
      fetch(`${url}/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id, email: 'ana@example.com', amount }),
      });
    expect(await (await order('o-1', 42)).json()).toEqual({ accepted: 'o-1' });
    await order('o-2', 0);
    await said(/receipt of o-1 sent at delivery 2/);
    const letters = async (): Promise<unknown> => (await fetch(`${url}/dead-letters`)).json();
    while (((await letters()) as unknown[]).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await letters()).toEqual([{ id: 'o-2', errorCode: 'nothing_to_pay' }]);
    const health = await fetch(`${url}/health`);
    expect({ status: health.status, body: await health.json() }).toMatchObject({
      status: 200,
      body: { details: { queue: { status: 'up', queues: ['orders'] } } },
    });

    shop.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
