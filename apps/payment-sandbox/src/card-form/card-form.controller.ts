import type { Logger } from '@eticket/service';
import { Body, Controller, Get, Header, Inject, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CardsRepository } from '../cards/cards.repository.js';
import { CARD_FIELDS, readCard, type TypedCard } from '../cards/read-card.js';
import { SandboxProblem } from '../problem.js';
import { LOGGER } from '../tokens.js';
import { CardFormPage, type FormRequest } from './card-form.page.js';
import { languageOf } from './words.js';

type Fields = Readonly<Record<string, unknown>>;

/** Made by the shop, one for each payment: 128 bits that nobody guesses. */
const TOKEN = /^tok_[0-9a-f]{32}$/;
const EMPTY: TypedCard = { number: '', expiry: '', cvc: '' };

/**
 * The card form, which a shop's page shows in a frame. The shop has chosen the token beforehand and pays by it
 * afterwards: no script has to carry it from the form to the shop.
 */
@Controller()
export class CardFormController {
  constructor(
    private readonly cards: CardsRepository,
    private readonly page: CardFormPage,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  about(@Query('lang') lang: unknown): string {
    return this.page.about(languageOf(lang));
  }

  @Get('card-form')
  async show(@Query() query: Fields, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(query, request, reply, async (form) => {
      const card = query.another === undefined ? await this.cards.find(form.token) : undefined;
      return card ? this.page.saved(form, card) : this.page.form(form, EMPTY, new Map());
    });
  }

  @Post('card-form')
  async save(
    @Body() body: Fields | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const fields = body ?? {};
    await this.answer(fields, request, reply, async (form) => {
      const typed = typedCard(fields);
      const read = readCard(typed, new Date());
      if (read.card === undefined) {
        void reply.status(422);
        return this.page.form(form, typed, read.errors);
      }
      await this.cards.save(form.token, read.card);
      const { token, language } = form;
      void reply.redirect(`/card-form?${new URLSearchParams({ card: token, lang: language }).toString()}`, 303);
      return undefined;
    });
  }

  /** @throws SandboxProblem 404 without a token of the shop's. */
  private async answer(
    { card: token, lang }: Fields,
    request: FastifyRequest,
    reply: FastifyReply,
    make: (form: FormRequest) => Promise<string | undefined>,
  ): Promise<void> {
    if (typeof token !== 'string' || !TOKEN.test(token)) throw new SandboxProblem('not_found', 'No payment is meant.');
    const language = languageOf(lang);
    void reply.type('text/html; charset=utf-8').header('cache-control', 'no-store');
    if (isOutsideOfFrame(request)) {
      await reply.status(403).send(this.page.message('elsewhere', language));
      return;
    }
    try {
      const html = await make({ token, language });
      if (html !== undefined) await reply.send(html);
    } catch (err) {
      this.logger.error({ err }, 'the card form cannot be shown');
      await reply.status(503).send(this.page.message('unavailable', language));
    }
  }
}

/** Somebody was led here without the shop's page around it. Browsers say so where the address is safe enough. */
function isOutsideOfFrame({ headers }: FastifyRequest): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination !== undefined && destination !== 'iframe';
}

function typedCard(fields: Fields): TypedCard {
  const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 30) : '');
  return Object.fromEntries(CARD_FIELDS.map((name) => [name, text(fields[name])])) as unknown as TypedCard;
}
