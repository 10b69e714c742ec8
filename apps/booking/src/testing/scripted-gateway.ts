import type { AuthorisationOutcome, AuthorisationRequest } from '../payments/payment-gateway.js';
import { SandboxPaymentGateway } from '../payments/sandbox-payment-gateway.js';

/** A sandbox that a spec can stop in the middle of an authorisation. */
export class ScriptedGateway extends SandboxPaymentGateway {
  readonly requests: AuthorisationRequest[] = [];
  private gate: Promise<void> | undefined;
  private openGate: (() => void) | undefined;

  /** Authorisations asked for from now on are answered when `release` is called. */
  hold(): void {
    this.gate = new Promise((resolve) => (this.openGate = resolve));
  }

  release(): void {
    this.openGate?.();
    this.gate = undefined;
  }

  override async authorise(request: AuthorisationRequest, deadlineMs: number): Promise<AuthorisationOutcome> {
    this.requests.push(request);
    await this.gate;
    return super.authorise(request, deadlineMs);
  }
}
