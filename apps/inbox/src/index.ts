import 'reflect-metadata';

export { readInboxConfig } from './inbox-config.js';
export type { InboxConfig } from './inbox-config.js';
export { startInbox } from './start-inbox.js';
export type { InboxContext, RunningInbox } from './start-inbox.js';
