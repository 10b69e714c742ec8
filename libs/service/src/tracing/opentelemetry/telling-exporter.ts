import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../logging/logger.js';

type Done = Parameters<SpanExporter['export']>[1];

/** Says once that the collector does not take spans, and once that it takes them again. */
export class TellingExporter implements SpanExporter {
  #dropped = 0;

  constructor(
    private readonly inner: SpanExporter,
    /** The collector, without credentials. */
    private readonly endpoint: string,
    private readonly logger: Logger,
  ) {}

  export(spans: ReadableSpan[], done: Done): void {
    this.inner.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#taken();
      else this.notTaken(spans.length, result.error);
      done(result);
    });
  }

  /** `error`'s text is left out of the log: it may be the collector's answer. */
  notTaken(spans: number, error: unknown): void {
    const isFirst = this.#dropped === 0;
    this.#dropped += spans;
    if (!isFirst) return;
    const { endpoint } = this;
    this.logger.warn(
      { endpoint, reason: reasonOf(error) },
      'traces do not reach the collector: spans are dropped until it takes them, nothing else waits for it',
    );
  }

  forceFlush(): Promise<void> {
    return this.inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }

  #taken(): void {
    if (this.#dropped === 0) return;
    this.logger.info({ endpoint: this.endpoint, dropped: this.#dropped }, 'the collector takes traces again');
    this.#dropped = 0;
  }
}

/** A system's code (`ECONNREFUSED`) or an HTTP status, of the error or its causes; else the kind of error. */
function reasonOf(error: unknown): string {
  if (error === null || typeof error !== 'object') return 'unknown';
  const { code, cause, errors, name } = error as Readonly<Record<'code' | 'cause' | 'errors' | 'name', unknown>>;
  if (typeof code === 'string' || typeof code === 'number') return String(code);
  const inner: unknown = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause;
  return inner === undefined ? String(name) : reasonOf(inner);
}
