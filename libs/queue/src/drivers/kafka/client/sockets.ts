import { connect as connectPlain, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/**
 * Every socket that kafkajs opens. It forgets one that was being opened while it disconnected, which then keeps the
 * process alive: here none outlives its client.
 */
export class Sockets {
  readonly #open = new Set<Socket>();
  #closed = false;

  constructor(private readonly make: ISocketFactory = nodeSocket) {}

  readonly factory: ISocketFactory = (args) => {
    const socket = this.make(args);
    this.#open.add(socket);
    // Requests that wait for the connection listen for it, one each.
    socket.setMaxListeners(0);
    socket.once('close', () => this.#open.delete(socket));
    if (this.#closed) socket.destroy(new Error('the client is closed'));
    return socket;
  };

  close(): void {
    this.#closed = true;
    for (const socket of this.#open) socket.destroy();
  }
}

const nodeSocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const serverName = isIP(host) ? {} : { servername: host };
  const secure = (ssl as typeof ssl | undefined) && { host, port, ...serverName, ...ssl };
  const socket = secure ? connectTls(secure, onConnect) : connectPlain({ host, port }, onConnect);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
};
