import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy that stands for the network between a service and its database: it can be cut and mended. */
export class TcpLink {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async to(host: string, port: number): Promise<TcpLink> {
    const holder: { link?: TcpLink } = {};
    const server = createServer((near) => {
      const link = holder.link;
      if (!link || link.isCut) return void near.destroy();
      const far = connect(port, host);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        link.sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          link.sockets.delete(one);
          other.destroy();
        });
      }
      near.pipe(far);
      far.pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    holder.link = new TcpLink(server, (server.address() as AddressInfo).port);
    return holder.link;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
