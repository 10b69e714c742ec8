/** The network between workers and brokers, as a proxy for each broker: it can be slow, and it can swallow everything. */
import { connect, createServer } from 'node:net';

export class Network {
  /** One way. */
  delayMs = 0;
  /** Nothing passes, and nobody is told: connections stay open. */
  swallows = false;
  #servers = [];
  #sockets = new Set();
  #release = [];

  /** @returns {Promise<Record<string, number>>} a broker's port to the one to use in its place */
  async before(brokers) {
    const detours = {};
    for (const broker of brokers) {
      const port = Number(broker.split(':').at(-1));
      detours[port] = await this.#listen(port);
    }
    return detours;
  }

  mend() {
    this.swallows = false;
    for (const release of this.#release.splice(0)) release();
  }

  async close() {
    this.mend();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((done) => server.close(done))));
  }

  #listen(port) {
    return new Promise((done, failed) => {
      const server = createServer((near) => {
        const far = connect(port, '127.0.0.1');
        this.#join(near, far);
        this.#join(far, near);
      });
      this.#servers.push(server);
      server.once('error', failed);
      server.listen(0, '127.0.0.1', () => done(server.address().port));
    });
  }

  #join(from, to) {
    this.#sockets.add(from);
    let last = Promise.resolve();
    const inTurn = (act) => {
      const due = performance.now() + this.delayMs;
      last = last.then(async () => {
        if (this.swallows) await new Promise((done) => this.#release.push(done));
        const waitMs = due - performance.now();
        if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
        act();
      });
    };
    from.on('data', (data) => inTurn(() => to.writable && to.write(data)));
    from.on('error', () => inTurn(() => to.destroy()));
    from.on('close', () => {
      this.#sockets.delete(from);
      inTurn(() => to.destroy());
    });
  }
}
