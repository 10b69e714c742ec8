import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a database that can be shut: no connection gets through then, and those that were through are cut. */
export class DatabaseGate {
  private readonly sockets = new Set<Socket>();
  private isOpen = true;

  private constructor(
    private readonly server: Server,
    /** Of the database, through the gate. */
    readonly connectionString: string,
  ) {}

  static async before(connectionString: string): Promise<DatabaseGate> {
    const url = new URL(connectionString);
    const { hostname, port } = url;
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    url.port = String((server.address() as AddressInfo).port);
    const gate = new DatabaseGate(server, url.toString());
    server.on('connection', (near) => gate.let(near, () => connect(Number(port), hostname)));
    return gate;
  }

  open(): void {
    this.isOpen = true;
  }

  shut(): void {
    this.isOpen = false;
    for (const socket of this.sockets) socket.destroy();
  }

  async remove(): Promise<void> {
    this.shut();
    await new Promise((closed) => this.server.close(closed));
  }

  private let(near: Socket, connectToDatabase: () => Socket): void {
    if (!this.isOpen) {
      near.destroy();
      return;
    }
    const far = connectToDatabase();
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
