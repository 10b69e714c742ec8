import { createServer, type AddressInfo } from 'node:net';
import type { StandaloneConfig } from './standalone-config.js';

/** Ports that are known before anything listens, as the parts name each other's addresses. */
export interface Ports {
  readonly booking: number;
  readonly inbox: number;
  readonly smtp: number;
  readonly payment: number;
  readonly workers: readonly number[];
}

/** Ports that other programs use. One sentence that says what to do about all of them. */
export class PortsTakenError extends Error {
  readonly code = 'ports_taken';
  readonly retryable = false;
  override readonly name = 'PortsTakenError';

  constructor(taken: readonly { readonly port: number; readonly wantedBy: string; readonly setting: string }[]) {
    const ports = taken.map(({ port, wantedBy }) => `${port} (for ${wantedBy})`);
    const settings = [...new Set(taken.map(({ setting }) => setting))];
    super(
      taken.length === 1
        ? `Port ${ports.join()} is taken by another program: stop that program, or choose a free port with ${settings.join()}.`
        : `The ports ${listOf(ports)} are taken by other programs: stop those, or choose free ports with ${listOf(settings)}.`,
    );
  }
}

/** @throws PortsTakenError that names every port that cannot be had, and the setting that changes it. */
export async function checkPorts(config: StandaloneConfig, ports: Ports): Promise<void> {
  const [firstWorker] = ports.workers;
  const wanted = [
    { port: ports.booking, wantedBy: 'the booking service', setting: '--port' },
    ...(config.smtpUrl === undefined
      ? [
          { port: ports.inbox, wantedBy: 'the inbox page', setting: 'INBOX_PORT' },
          { port: ports.smtp, wantedBy: 'mail to the inbox', setting: 'SMTP_PORT' },
        ]
      : []),
    ...(config.paymentGatewayUrl === undefined
      ? [{ port: ports.payment, wantedBy: 'the payment sandbox', setting: 'PAYMENT_PORT' }]
      : []),
    ...(firstWorker === undefined ? [] : [{ port: firstWorker, wantedBy: 'the mail worker', setting: 'WORKER_PORT' }]),
  ];
  const tried = await Promise.all(
    wanted.map(async (one) => {
      const holder = await holdPort(one.port).catch(() => undefined);
      await holder?.release();
      return { ...one, free: holder !== undefined };
    }),
  );
  const taken = tried.filter(({ free }) => !free);
  if (taken.length > 0) throw new PortsTakenError(taken);
}

export async function choosePorts(config: StandaloneConfig): Promise<Ports> {
  const workers = config.workers ?? 1;
  const [booking, inbox, smtp, payment, firstWorker, ...more] = await freePorts([
    config.bookingPort,
    config.inboxPort,
    config.smtpPort,
    config.paymentPort,
    config.workerPort,
    ...Array<number>(Math.max(0, workers - 1)).fill(0),
  ]);
  return {
    booking: booking ?? 0,
    inbox: inbox ?? 0,
    smtp: smtp ?? 0,
    payment: payment ?? 0,
    workers: [firstWorker ?? 0, ...more].slice(0, workers),
  };
}

/** The ports wanted, and for each 0 one that is free now. All are held until the last is found, so that they differ. */
async function freePorts(wanted: readonly number[]): Promise<readonly number[]> {
  const holders = await Promise.all(wanted.map(async (port) => (port === 0 ? await holdPort(0) : undefined)));
  const ports = wanted.map((port, index) => holders[index]?.port ?? port);
  for (const holder of holders) await holder?.release();
  return ports;
}

function holdPort(wanted: number): Promise<{ readonly port: number; release(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ port, release: () => new Promise((released) => server.close(() => released())) });
    });
  });
}

function listOf(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' and $1');
}
