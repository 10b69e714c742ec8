import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Nest's own lines through pino. Nest passes `(message, …details, context)`, for errors `(message, stack, context)`. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  /** Nest tells each route and module at start as `log`: detail for those who look for it. */
  log(message: unknown, ...details: unknown[]): void {
    this.write('debug', message, details);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.write('error', message, details);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.write('warn', message, details);
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.write('debug', message, details);
  }

  verbose(message: unknown, ...details: unknown[]): void {
    this.write('trace', message, details);
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.write('fatal', message, details);
  }

  private write(level: 'trace' | 'debug' | 'warn' | 'error' | 'fatal', message: unknown, details: unknown[]): void {
    const texts = details.filter((detail) => typeof detail === 'string');
    const context = texts.findLast((text) => !text.includes('\n'));
    const stack = texts.find((text) => text.includes('\n    at '));
    const err = [message, ...details].find((value) => value instanceof Error);
    const text =
      message instanceof Error ? message.message : typeof message === 'string' ? message : JSON.stringify(message);
    this.logger[level]({ ...(context ? { context } : {}), ...(err ? { err } : stack ? { stack } : {}) }, text);
  }
}
