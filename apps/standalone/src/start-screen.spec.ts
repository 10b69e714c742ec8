import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { bookingCommand, startScreen } from './start-screen.js';

const run = promisify(execFile);

describe('The start screen', () => {
  it('names every address, where the data lies, and how to stop', () => {
    const screen = startScreen({
      seconds: 2.34,
      bookingUrl: 'http://127.0.0.1:3000',
      inbox: { url: 'http://127.0.0.1:8025', smtpPort: 1025 },
      relay: undefined,
      paymentUrl: 'http://127.0.0.1:3003',
      workers: 'http://127.0.0.1:3001/health/ready',
      database: 'embedded PostgreSQL on 127.0.0.1:41234',
      dataDir: './data',
      departureDate: '2027-01-14',
      color: false,
    });
    for (const fact of [
      ':3000',
      ':3000/docs',
      ':8025',
      'port 1025',
      ':3001',
      '127.0.0.1:41234',
      './data',
      'Ctrl+C',
      'npm run demo',
    ]) {
      expect(screen).toContain(fact);
    }
    expect(screen.split('\n').length).toBeLessThanOrEqual(24);
  });

  it.each(['sh', 'bash'])(
    'has a command that works as pasted into %s, each time with a key of its own',
    async (shell) => {
      const requests: { readonly request: IncomingMessage; readonly body: string }[] = [];
      const server = createServer((request, response) => {
        void text(request).then((body) => {
          requests.push({ request, body });
          response.end(
            request.method === 'GET'
              ? '{"data":[{"id":"off_a-1.b"},{"id":"off_2"}]}'
              : '{"data":{"confirmationUrl":"http://confirmed"}}',
          );
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const command = bookingCommand(url, '2027-01-14');
      await run(shell, ['-c', command]);
      const { stdout } = await run(shell, ['-c', command]);
      server.close();
      expect(stdout).toBe('http://confirmed\n');
      const [search, booking, , again] = requests;
      expect(search?.request.url).toBe(
        '/api/offers?origin=MAD&destination=LHR&departureDate=2027-01-14&adults=1&cabin=economy&currency=EUR',
      );
      expect(booking?.request.headers['content-type']).toBe('application/json');
      expect(JSON.parse(booking?.body ?? '')).toMatchObject({
        offerId: 'off_a-1.b',
        passengers: [{ givenName: 'Lucía' }],
      });
      const keys = [booking, again].map((one) => String(one?.request.headers['idempotency-key']));
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(keys[0]).not.toBe(keys[1]);
    },
  );
});
