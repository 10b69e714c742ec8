import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a gateway can be made to go silent: before it does what it was asked, or after, before it answers. */
export type SilentAt = 'before authorise' | 'after authorise' | 'before capture' | 'after capture' | 'after refund';

interface Authorisation {
  readonly id: string;
  state: 'authorised' | 'captured' | 'voided';
  captures: number;
  refunds: string[];
}

/** A payment gateway in a process of its own with regard to the service: it speaks the HTTP protocol and remembers. */
export class FaultGateway {
  readonly byKey = new Map<string, Authorisation | 'voided'>();
  private readonly refundKeys = new Set<string>();
  /** Requests that go unanswered. */
  silenced = 0;
  private silentAt: SilentAt | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FaultGateway> {
    const holder: { gateway?: FaultGateway } = {};
    const server = createServer((request, response) => void holder.gateway?.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    holder.gateway = new FaultGateway(server);
    return holder.gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  goSilent(at: SilentAt | undefined): void {
    this.silentAt = at;
    this.silenced = 0;
  }

  get authorisations(): readonly Authorisation[] {
    return [...this.byKey.values()].filter((each): each is Authorisation => each !== 'voided');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { readonly authorisationKey?: string };
    const [, id = '', call = ''] = /^\/authorisations\/([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const key = String(request.headers['idempotency-key']);
    const step = request.url === '/voids' ? 'void' : call === '' ? 'authorise' : call === 'refunds' ? 'refund' : call;
    if (this.silentAt === `before ${step}`) return void this.silenced++;
    const [status, answer] =
      step === 'void'
        ? this.void(body.authorisationKey ?? '')
        : step === 'authorise'
          ? this.authorise(key)
          : this.settle(id, step, key);
    if (this.silentAt === `after ${step}`) return void this.silenced++;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  private authorise(key: string): [number, object] {
    const found = this.byKey.get(key) ?? { id: randomUUID(), state: 'authorised', captures: 0, refunds: [] };
    if (found === 'voided' || found.state === 'voided') return [409, {}];
    this.byKey.set(key, found);
    return [201, { id: found.id, approvalCode: 'A1B2C3', card: { brand: 'visa', last4: '4242' } }];
  }

  private void(key: string): [number, object] {
    const found = this.byKey.get(key);
    if (found && found !== 'voided') found.state = 'voided';
    else this.byKey.set(key, 'voided');
    return [200, {}];
  }

  private settle(id: string, step: string, key: string): [number, object] {
    const found = this.authorisations.find((each) => each.id === id);
    if (!found || found.state === 'voided') return [409, {}];
    if (step === 'refund') {
      if (!this.refundKeys.has(key)) found.refunds.push(key);
      this.refundKeys.add(key);
      return [201, {}];
    }
    if (found.state === 'authorised') found.captures++;
    found.state = 'captured';
    return [200, {}];
  }
}
