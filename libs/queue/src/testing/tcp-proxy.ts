import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A way to a server that can be cut, for drivers that reach their store over TCP. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks what is connected and refuses what comes. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 and passes everything on to `host:port`. */
export async function tcpProxy(host: string, port: number): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(port, host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore: () => {
      isCut = false;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
