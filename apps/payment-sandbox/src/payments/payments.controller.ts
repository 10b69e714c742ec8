import { once } from 'node:events';
import { ServiceMetrics } from '@eticket/service';
import { Body, Controller, Headers, HttpCode, Param, Post, Req, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CardsRepository } from '../cards/cards.repository.js';
import { SandboxProblem } from '../problem.js';
import { readAmount, readAuthorisationKey, readKey, readToken } from './payment-requests.js';
import { PaymentsRepository, type StoredAuthorisation } from './payments.repository.js';

/** Of a bank that does not answer: longer than any caller waits. */
const NO_ANSWER_MS = 60_000;

interface AuthorisationAnswer {
  readonly id: string;
  readonly approvalCode: string;
  readonly card: { readonly brand: string; readonly last4: string };
}

/** The gateway's calls, for the shop's server. */
@Controller()
export class PaymentsController implements OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly outcomes;

  constructor(
    private readonly cards: CardsRepository,
    private readonly payments: PaymentsRepository,
    metrics: ServiceMetrics,
  ) {
    this.outcomes = metrics.counter('authorisations_total', 'Authorisations asked for, by what the bank says.', [
      'outcome',
    ]);
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  @Post('authorisations')
  async authorise(
    @Headers('idempotency-key') header: string | undefined,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
  ): Promise<AuthorisationAnswer> {
    const asked = { key: readKey(header), token: readToken(body), amount: readAmount(body) };
    const card = await this.cards.find(asked.token);
    // A card that was refused, or has ended, is forgotten; what was said of it is not.
    const authorisation = card ? await this.payments.authorise(asked, card) : await this.payments.find(asked);
    if (!authorisation) throw new SandboxProblem('unknown_token');
    if (card?.outcome === 'no_answer') await this.neverAnswer(request);
    return this.answer(authorisation);
  }

  @Post('authorisations/:id/capture')
  @HttpCode(200)
  async capture(@Headers('idempotency-key') header: string | undefined, @Param('id') id: string): Promise<object> {
    readKey(header);
    await this.payments.capture(id);
    return { id, state: 'captured' };
  }

  @Post('authorisations/:id/refunds')
  async refund(
    @Headers('idempotency-key') header: string | undefined,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<object> {
    const [key, amount] = [readKey(header), readAmount(body)];
    await this.payments.refund(key, id, amount);
    return { authorisationId: id, amount };
  }

  @Post('voids')
  @HttpCode(200)
  async void(@Headers('idempotency-key') header: string | undefined, @Body() body: unknown): Promise<object> {
    readKey(header);
    const authorisationKey = readAuthorisationKey(body);
    await this.payments.void(authorisationKey);
    return { authorisationKey, state: 'voided' };
  }

  private async answer(stored: StoredAuthorisation): Promise<AuthorisationAnswer> {
    const { id, approval_code: approvalCode, brand, last4, decline_code: declineCode } = stored;
    this.outcomes.inc({ outcome: declineCode ?? 'authorised' });
    if (declineCode === null) return { id, approvalCode, card: { brand, last4 } };
    await this.cards.forget(stored.token ?? '');
    throw new SandboxProblem('payment_declined', undefined, { members: { declineCode } });
  }

  private async neverAnswer({ raw }: FastifyRequest): Promise<never> {
    this.outcomes.inc({ outcome: 'no_answer' });
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(NO_ANSWER_MS)]);
    await once(raw.socket, 'close', { signal }).catch(() => undefined);
    throw new SandboxProblem('no_answer');
  }
}
