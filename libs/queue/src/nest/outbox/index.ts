export { OutboxModule } from './outbox-module.js';
export type { OutboxModuleExtras, OutboxModuleOptions, OutboxModuleOptionsFactory } from './outbox-module.js';
