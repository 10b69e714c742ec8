import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';
import type { ContractHarness } from '../../../testing/contract-harness.js';
import type { QueueDriver } from '../../../queue-driver.js';
import { kafkaDriver } from '../index.js';
import type { KafkaLogger } from '../index.js';

/** The network of one process: it can be cut, and a dead process has none. */
class Network {
  readonly #sockets = new Set<Socket>();
  #cut = false;

  readonly socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = connect({ host, port }, onConnect);
    socket.setKeepAlive(true);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#cut) socket.destroy(broken('ECONNREFUSED'));
    return socket;
  };

  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.destroy(broken('ECONNRESET'));
  }

  mend(): void {
    this.#cut = false;
  }
}

function broken(code: string): Error {
  return Object.assign(new Error('the network is cut'), { code });
}

/** The Kafka driver on real brokers, with processes whose connections can be ended under them. */
export function kafkaHarness(brokers: readonly string[], logger: KafkaLogger = () => undefined): ContractHarness {
  const networks = new Map<QueueDriver, Network>();
  const open = (): Promise<QueueDriver> => {
    const network = new Network();
    const driver = kafkaDriver({ brokers, logger, partitions: 4, socketFactory: network.socketFactory });
    networks.set(driver, network);
    return Promise.resolve(driver);
  };
  return {
    features: kafkaDriver({ brokers }).features,
    open,
    crash: (driver) => {
      networks.get(driver)?.cut();
      return Promise.resolve();
    },
    cutOff: (driver) => {
      const network = networks.get(driver);
      network?.cut();
      return Promise.resolve(() => {
        network?.mend();
        return Promise.resolve();
      });
    },
    visibilityTimeoutMs: 2_000,
    delayMs: 500,
    deadlineMs: 15_000,
    close: () => Promise.resolve(),
  };
}
