import { BadRequestException, Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Mail } from '../mails/mail.js';
import { MailReader } from '../mails/mail-reader.js';
import { selectMails } from '../mails/mail-search.js';
import { MailStore } from '../mails/mail-store.js';
import { MAILHOG_JSON, messagesJson } from './json-stream.js';
import { mailMatcher, SEARCH_KINDS } from './mailhog-search.js';
import { type Range, readRange } from '../http/range.js';

type MailhogQuery = Readonly<Record<string, unknown>>;

/** MailHog's API, version 2. Newest first. */
@Controller('api/v2')
export class MailhogV2Controller {
  constructor(
    private readonly store: MailStore,
    private readonly reader: MailReader,
  ) {}

  @Get('messages')
  list(@Query() query: MailhogQuery, @Res() reply: FastifyReply): void {
    answer(reply, this.store.list(), readRange(query['start'], query['limit']));
  }

  @Get('search')
  async search(@Query() query: MailhogQuery, @Res() reply: FastifyReply): Promise<void> {
    const kind = SEARCH_KINDS.find((known) => known === query['kind']);
    const words = query['query'];
    if (kind === undefined) throw new BadRequestException(`kind must be one of ${SEARCH_KINDS.join(', ')}`);
    if (typeof words !== 'string' || words === '') throw new BadRequestException('query must be given');
    const found = await selectMails(this.store.list(), mailMatcher(kind, words, this.reader));
    answer(reply, found, readRange(query['start'], query['limit']));
  }
}

function answer(reply: FastifyReply, mails: readonly Mail[], { start, limit }: Range): void {
  const items = mails.slice(start, start + limit);
  const head = JSON.stringify({ total: mails.length, count: items.length, start });
  void reply.type(MAILHOG_JSON).send(messagesJson(items, `${head.slice(0, -1)},"items":[`, ']}'));
}
