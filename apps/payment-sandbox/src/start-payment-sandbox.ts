import {
  createHttpApp,
  createPool,
  ServiceMetrics,
  startHttpApp,
  within,
  type Logger,
  type RunningService,
} from '@eticket/service';
import { SandboxStore } from './database/sandbox-store.js';
import type { PaymentSandboxConfig } from './payment-sandbox-config.js';
import { PaymentSandboxModule } from './payment-sandbox.module.js';
import { ProblemFilter } from './problem.filter.js';
import { addSecurityHeaders } from './security-headers.js';

const NAME = 'payment-sandbox';
/** A card form has a few hundred bytes. */
const BODY_LIMIT = 8 * 1024;
const CLOSE_DEADLINE_MS = 3_000;

/** Starts the payment sandbox; it starts without its database too. @throws PortUnavailableError. */
export async function startPaymentSandbox(
  config: PaymentSandboxConfig,
  { logger }: { readonly logger: Logger },
): Promise<RunningService> {
  const pool = createPool({ connectionString: config.databaseUrl, applicationName: NAME, logger });
  const release = async (): Promise<void> => {
    await within(pool.end(), CLOSE_DEADLINE_MS, 'closing the database pool').catch((err: unknown) => {
      logger.warn({ err }, 'the database pool did not close');
    });
  };
  const { merchantOrigins, host, port } = config;
  const store = new SandboxStore(pool, logger);
  const parts = { store, merchantOrigins, metrics: new ServiceMetrics({ service: NAME }), logger };
  const http = { logger, name: NAME, host, port, bodyLimit: BODY_LIMIT };
  try {
    const app = await createHttpApp(PaymentSandboxModule.with(parts), http);
    addSecurityHeaders(app.getHttpAdapter().getInstance(), merchantOrigins);
    app.useGlobalFilters(new ProblemFilter(logger));
    const service = await startHttpApp(app, http);
    let stopping: Promise<void> | undefined;
    return { name: NAME, url: service.url, stop: () => (stopping ??= service.stop().finally(release)) };
  } catch (error) {
    await release();
    throw error;
  }
}
