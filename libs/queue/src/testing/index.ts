export { contractCases, promises } from './contract.js';
export type { ContractCase, PromiseNumber } from './contract-case.js';
export type { ContractHarness, HarnessAbility } from './contract-harness.js';
export { describeQueueDriver } from './describe-queue-driver.js';
export type { DescribeOptions } from './describe-queue-driver.js';
export { memoryHarness } from './memory-harness.js';
export { VirtualClock } from '../drivers/memory/virtual-clock.js';
export { tcpProxy } from './tcp-proxy.js';
export type { TcpProxy } from './tcp-proxy.js';
