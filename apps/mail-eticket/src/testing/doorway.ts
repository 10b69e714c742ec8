import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A TCP port before a server that can be shut and opened again: what is behind seems to go away and come back. */
export class Doorway {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  private constructor(
    private readonly target: { readonly host: string; readonly port: number },
    readonly port: number,
  ) {}

  /** Shut at first. */
  static async before(target: { readonly host: string; readonly port: number }): Promise<Doorway> {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    return new Doorway(target, port);
  }

  async open(): Promise<void> {
    const server = createServer((outside) => {
      const inside = connect(this.target);
      for (const [one, other] of [
        [outside, inside],
        [inside, outside],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.#server = server;
  }

  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }
}
