import { join } from 'node:path';
import { readBookingConfig } from '@eticket/booking';
import { readInboxConfig } from '@eticket/inbox';
import { readMailEticketConfig } from '@eticket/mail-eticket';
import { readPaymentSandboxConfig } from '@eticket/payment-sandbox';
import { ConfigurationError } from '@eticket/service';
import type { Ports } from './ports.js';
import type { StandaloneConfig } from './standalone-config.js';

/** Stands for the embedded PostgreSQL's address while settings are checked before it is started. */
const UNKNOWN_DATABASE = 'postgres://127.0.0.1/unknown';

/** The environment of each part: the start's own, with what differs between them. */
export class PartSettings {
  constructor(
    private readonly config: StandaloneConfig,
    private readonly ports: Ports,
    private readonly databaseUrl: string,
  ) {}

  booking(): NodeJS.ProcessEnv {
    return {
      ...this.shared(),
      PORT: String(this.ports.booking),
      PUBLIC_URL: this.config.env.PUBLIC_URL || `http://127.0.0.1:${this.ports.booking}`,
      ...(this.config.smtpUrl === undefined ? { INBOX_URL: `http://127.0.0.1:${this.ports.inbox}` } : {}),
      ...(this.config.paymentGatewayUrl === undefined
        ? { PAYMENT_GATEWAY_URL: `http://127.0.0.1:${this.ports.payment}` }
        : {}),
    };
  }

  payment(): NodeJS.ProcessEnv {
    // However the traveller has written this machine's name.
    const local = ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${this.ports.booking}`);
    const origins = [...local, this.config.env.PUBLIC_URL].filter(Boolean);
    return {
      ...this.shared(),
      PORT: String(this.ports.payment),
      MERCHANT_ORIGINS: this.config.env.MERCHANT_ORIGINS || origins.join(','),
    };
  }

  worker(port?: number): NodeJS.ProcessEnv {
    return {
      ...this.shared(),
      ...(port === undefined ? {} : { PORT: String(port) }),
      SMTP_URL: this.config.smtpUrl ?? `smtp://127.0.0.1:${this.ports.smtp}`,
    };
  }

  inbox(): NodeJS.ProcessEnv {
    return {
      ...this.shared(),
      PORT: String(this.ports.inbox),
      SMTP_PORT: String(this.ports.smtp),
      INBOX_DIR: this.config.env.INBOX_DIR || join(this.config.dataDir, 'mails'),
    };
  }

  private shared(): NodeJS.ProcessEnv {
    return {
      ...this.config.env,
      DATABASE_URL: this.databaseUrl,
      DATA_DIR: this.config.dataDir,
      LOG_LEVEL: this.config.logLevel,
    };
  }
}

/** What is wrong with the settings of the parts, found before anything is started. */
export function problemsOfParts(config: StandaloneConfig): readonly string[] {
  const ports = {
    booking: config.bookingPort,
    inbox: config.inboxPort,
    smtp: config.smtpPort,
    payment: config.paymentPort,
    workers: [config.workerPort],
  };
  const settings = new PartSettings(config, ports, config.databaseUrl ?? UNKNOWN_DATABASE);
  const reads: readonly (() => unknown)[] = [
    () => readBookingConfig(settings.booking()),
    () => readMailEticketConfig(settings.worker()),
    () => readInboxConfig(settings.inbox()),
    () => readPaymentSandboxConfig(settings.payment()),
  ];
  return [...new Set(reads.flatMap(problemsOf))];
}

/** The problems that a reading of settings ends with. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}
