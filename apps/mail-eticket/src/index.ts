import 'reflect-metadata';

export { readMailEticketConfig } from './mail-eticket-config.js';
export type { MailEticketConfig } from './mail-eticket-config.js';
export { startMailEticket } from './start-mail-eticket.js';
export type { MailEticketContext } from './start-mail-eticket.js';
