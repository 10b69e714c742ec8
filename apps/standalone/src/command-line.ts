import { parseArgs } from 'node:util';

/** What the command line asks for. Each option wins over the environment variable of the same meaning. */
export interface CommandLine {
  readonly help: boolean;
  /** Undefined: one worker inside this process. */
  readonly workers: number | undefined;
  readonly port: string | undefined;
  readonly dataDir: string | undefined;
}

/** The command line cannot be understood. The message is for the person who typed it. */
export class UsageError extends Error {
  readonly code = 'usage';
  readonly retryable = false;
  override readonly name = 'UsageError';
}

/** More would only wait for each other on one machine. */
const MAX_WORKERS = 32;

export const HELP = `Usage: npm start -- [options]

Runs the whole e-ticket pipeline on this machine: PostgreSQL, the booking service with its page,
the mail worker, a payment sandbox and an inbox that shows the mails.

Options
  --workers <n>      run n mail workers as processes of their own (0 to ${MAX_WORKERS}; without
                     this option one runs inside the main process)
  --port <n>         port of the booking service (PORT; 3000)
  --data-dir <path>  where everything is kept between starts (DATA_DIR; ./data)
  -h, --help         show this

Environment
  DATABASE_URL       use this PostgreSQL instead of the embedded one
  SMTP_URL           send mail through this relay instead of into the inbox
  KAFKA_BROKERS      keep the queue on these Kafka brokers (host:port, with commas)
                     instead of in PostgreSQL
  INBOX_PORT         port of the inbox page (8025)
  SMTP_PORT          port on which the inbox takes mail (1025)
  PAYMENT_PORT       port of the payment sandbox: card form and test cards (3003)
  PAYMENT_GATEWAY_URL  pay through this gateway instead of the sandbox
  WORKER_PORT        port of the mail worker's health and metrics (3001)
  LOG_LEVEL          least level in data/logs and, when set, on the terminal too (info; terminal: warn)

A port of 0 takes any free one. Everything listens on 127.0.0.1 only.
`;

/** @throws UsageError */
export function readCommandLine(args: readonly string[], env: NodeJS.ProcessEnv = process.env): CommandLine {
  const { values, positionals } = parse(args);
  if (positionals.length > 0) {
    // npm keeps options that stand before the "--" for itself and passes only their values.
    const swallowed = env.npm_config_workers ?? env.npm_config_port ?? env.npm_config_data_dir;
    throw new UsageError(
      swallowed === undefined
        ? `"${positionals[0]}" is not understood: npm start -- --help lists the options.`
        : `npm kept the option for itself: put -- before it, as in npm start -- --workers 4.`,
    );
  }
  return {
    help: values.help ?? false,
    workers: values.workers === undefined ? undefined : readWorkers(values.workers),
    port: values.port,
    dataDir: values['data-dir'],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        workers: { type: 'string' },
        port: { type: 'string' },
        'data-dir': { type: 'string' },
      },
    });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const option = /'(-[^' ]*)/.exec(message)?.[1] ?? '';
    throw new UsageError(
      code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
        ? `There is no option ${option}: npm start -- --help lists the options.`
        : `The option ${option} is not used rightly (${message.split('\n')[0]}): npm start -- --help shows how.`,
      { cause },
    );
  }
}

function readWorkers(text: string): number {
  const workers = Number(text);
  if (!/^\d{1,3}$/.test(text) || workers > MAX_WORKERS) {
    throw new UsageError(`--workers must be a whole number from 0 to ${MAX_WORKERS}, not "${text}".`);
  }
  return workers;
}
