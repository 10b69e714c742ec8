export type { SqlExpression } from '../drivers/postgres/publish-expression.js';
export { Inbox } from './inbox.js';
export { OutboxRelay } from './outbox-relay.js';
export type { OutboxRelayOptions, OutboxStats } from './outbox-relay.js';
export { Outbox } from './outbox.js';
export type { OutboxOptions } from './outbox.js';
export type { CallersTransaction, DrizzleTransaction, KyselyTransaction, PgTransaction } from './transaction.js';
