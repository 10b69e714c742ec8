import { createRequire } from 'node:module';
import { resolveKafkaOptions } from '../kafka-options.js';
import { newCluster, newKafka } from './kafkajs-protocol.js';
import { Sockets } from './sockets.js';

// What this driver uses of kafkajs beyond its types: an update that takes it away has to fail here first.
describe('kafkajs, where its types are silent', () => {
  const options = resolveKafkaOptions({ brokers: ['127.0.0.1:1'] });
  const cluster = newCluster(newKafka(options, new Sockets()));

  it.each([
    'connect',
    'disconnect',
    'findBroker',
    'findGroupCoordinator',
    'findControllerBroker',
    'fetchTopicsOffset',
    'removeBroker',
  ])('gives a cluster that can %s', (method) => {
    expect(typeof (cluster as unknown as Record<string, unknown>)[method]).toBe('function');
  });

  it.each([
    'fetch',
    'produce',
    'joinGroup',
    'syncGroup',
    'heartbeat',
    'leaveGroup',
    'offsetCommit',
    'describeGroups',
    'initProducerId',
  ])('has brokers that can %s', (method) => {
    const require = createRequire(import.meta.url);
    const { prototype } = require('kafkajs/src/broker') as { prototype: Record<string, unknown> };
    expect(typeof prototype[method]).toBe('function');
  });
});
