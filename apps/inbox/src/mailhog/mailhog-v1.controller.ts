import {
  type BeforeApplicationShutdown,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  NotFoundException,
  Param,
  Res,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { attachmentDisposition } from '../http/download.js';
import { EventStream } from '../http/event-stream.js';
import { MAIL_BYTES_POLICY } from '../http/security-headers.js';
import type { Mail } from '../mails/mail.js';
import { MailStore } from '../mails/mail-store.js';
import { MAILHOG_JSON, messagesJson } from './json-stream.js';
import { mailhogMessage } from './mailhog-message.js';

/** MailHog lists no more than this many in version 1. */
const V1_LIST_LIMIT = 1_000;

/** MailHog's API, version 1. An unknown message is 404, where MailHog answers `null` or 500. */
@Controller('api/v1')
export class MailhogV1Controller implements BeforeApplicationShutdown {
  private readonly events = new EventStream();
  private readonly unsubscribe: () => void;

  constructor(private readonly store: MailStore) {
    this.unsubscribe = store.onChange((change) => {
      if (change.type !== 'received' || this.events.readerCount === 0) return;
      this.events.send(JSON.stringify(mailhogMessage(change.mail)));
    });
  }

  beforeApplicationShutdown(): void {
    this.unsubscribe();
    this.events.close();
  }

  @Get('messages')
  list(@Res() reply: FastifyReply): void {
    void reply.type(MAILHOG_JSON).send(messagesJson(this.store.list().slice(0, V1_LIST_LIMIT), '[', ']'));
  }

  @Get('messages/:id')
  one(@Param('id') id: string, @Res() reply: FastifyReply): void {
    void reply.type(MAILHOG_JSON).send(JSON.stringify(mailhogMessage(this.find(id))));
  }

  /** The exact bytes. */
  @Get('messages/:id/download')
  download(@Param('id') id: string, @Res() reply: FastifyReply): void {
    const mail = this.find(id);
    void reply
      .type('message/rfc822')
      .header('content-disposition', attachmentDisposition(`${mail.id}.eml`))
      .header('content-security-policy', MAIL_BYTES_POLICY)
      .send(mail.raw);
  }

  @Delete('messages')
  @HttpCode(200)
  @Header('content-type', MAILHOG_JSON)
  async removeAll(): Promise<void> {
    await this.store.removeAll();
  }

  @Delete('messages/:id')
  @HttpCode(200)
  @Header('content-type', MAILHOG_JSON)
  async remove(@Param('id') id: string): Promise<void> {
    if (!(await this.store.remove(id))) throw new NotFoundException();
  }

  /** One event without a name for each message that comes in; its data is the message. */
  @Get('events')
  stream(@Res() reply: FastifyReply): void {
    this.events.open(reply);
  }

  private find(id: string): Mail {
    const mail = this.store.get(id);
    if (mail === undefined) throw new NotFoundException();
    return mail;
  }
}
