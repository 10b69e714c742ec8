import {
  host,
  logLevel,
  makeValidator,
  port,
  postgresUrl,
  readEnvironment,
  SettingError,
  type LogLevel,
} from '@eticket/service';

/** Settings of the payment sandbox. */
export interface PaymentSandboxConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Origins of the pages that may show the card form in a frame. */
  readonly merchantOrigins: readonly string[];
  readonly logLevel: LogLevel;
}

const EXAMPLE = 'http://127.0.0.1:3000,http://localhost:3000';

const origins = makeValidator<string>((input) => {
  const all = input.split(',').map((each) => each.trim());
  if (!all.every((each) => URL.canParse(each) && /^https?:$/.test(new URL(each).protocol)))
    throw new SettingError(`addresses with commas between them, like ${EXAMPLE}`);
  return all.map((each) => new URL(each).origin).join(',');
});

/** @throws ConfigurationError that names every bad setting. */
export function readPaymentSandboxConfig(env: NodeJS.ProcessEnv = process.env): PaymentSandboxConfig {
  const settings = readEnvironment(
    {
      HOST: host({ default: '127.0.0.1', desc: 'the address to listen on' }),
      PORT: port({ default: 3003, desc: 'a TCP port' }),
      DATABASE_URL: postgresUrl({
        desc: 'a PostgreSQL address',
        example: 'postgres://user:password@host:5432/eticket',
      }),
      MERCHANT_ORIGINS: origins({ default: EXAMPLE, desc: 'addresses', example: EXAMPLE }),
      LOG_LEVEL: logLevel({ default: 'info', desc: 'a log level' }),
    },
    env,
  );
  return {
    host: settings.HOST,
    port: settings.PORT,
    databaseUrl: settings.DATABASE_URL,
    merchantOrigins: settings.MERCHANT_ORIGINS.split(','),
    logLevel: settings.LOG_LEVEL,
  };
}
