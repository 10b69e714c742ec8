import { Catch } from '@nestjs/common';
import type { ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { throwError } from 'rxjs';
import type { Observable } from 'rxjs';

/**
 * Lets what a handler, pipe or guard of an `@EventPattern` throws reach the {@link QueueServer} as it was thrown; Nest's
 * own filter would log it whole and replace it. Over HTTP it does what Nest does by default. Register it for the whole
 * app (`APP_FILTER`), or on the controllers with event handlers (`@UseFilters`).
 */
@Catch()
export class QueueExceptionFilter extends BaseExceptionFilter {
  override catch(exception: unknown, host: ArgumentsHost): Observable<never> | void {
    if (host.getType() === 'rpc') return throwError(() => exception);
    return super.catch(exception, host);
  }
}
