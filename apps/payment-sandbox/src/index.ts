import 'reflect-metadata';

export { readPaymentSandboxConfig } from './payment-sandbox-config.js';
export type { PaymentSandboxConfig } from './payment-sandbox-config.js';
export { startPaymentSandbox } from './start-payment-sandbox.js';
