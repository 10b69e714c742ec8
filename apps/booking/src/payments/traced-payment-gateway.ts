import type { ServiceTracing, WorkSpan } from '@eticket/service';
import { PaymentGateway } from './payment-gateway.js';
import type { AuthorisationOutcome, AuthorisationRequest, CaptureRequest, RefundRequest } from './payment-gateway.js';

/** A span around each call of the gateway: what a booking waits for longest. It names no card, token or authorisation. */
export class TracedPaymentGateway extends PaymentGateway {
  constructor(
    private readonly gateway: PaymentGateway,
    private readonly tracing: ServiceTracing,
  ) {
    super();
  }

  authorise(request: AuthorisationRequest, deadlineMs: number): Promise<AuthorisationOutcome> {
    return this.inSpan('authorise', async (span) => {
      const answer = await this.gateway.authorise(request, deadlineMs);
      span.set({ 'eticket.payment.outcome': answer.outcome });
      return answer;
    });
  }

  capture(request: CaptureRequest, deadlineMs: number): Promise<void> {
    return this.inSpan('capture', () => this.gateway.capture(request, deadlineMs));
  }

  refund(request: RefundRequest, deadlineMs: number): Promise<void> {
    return this.inSpan('refund', () => this.gateway.refund(request, deadlineMs));
  }

  void(authorisationKey: string, deadlineMs: number): Promise<void> {
    return this.inSpan('void', () => this.gateway.void(authorisationKey, deadlineMs));
  }

  private inSpan<T>(call: string, work: (span: WorkSpan) => Promise<T>): Promise<T> {
    return this.tracing.run(`payment ${call}`, 'client', {}, work);
  }
}
