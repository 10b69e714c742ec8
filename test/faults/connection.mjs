/** One way to open a driver for the program, its workers and its relay: `{ kafka: [brokers] }` or `{ postgres: url }`. */
import { connect } from 'node:net';
import { kafkaDriver } from 'ackline/kafka';
import { postgresDriver } from 'ackline/postgres';

/** @param {Record<string, number>} [detours] a broker's port to the port of the network in front of it */
export function openDriver(connection, { detours = {}, logger = () => undefined, partitions } = {}) {
  if (connection.postgres) return postgresDriver({ connectionString: connection.postgres });
  const socketFactory = ({ host, port, onConnect }) => {
    const socket = connect({ host, port: detours[port] ?? port }, onConnect);
    socket.setKeepAlive(true, 60_000);
    return socket;
  };
  return kafkaDriver({
    brokers: connection.kafka,
    socketFactory,
    logger: (line) => line.level !== 'debug' && logger(line),
    ...(partitions && { partitions }),
  });
}
