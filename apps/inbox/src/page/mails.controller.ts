import {
  type BeforeApplicationShutdown,
  Controller,
  Get,
  Header,
  Inject,
  NotFoundException,
  Param,
  Query,
  Res,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { attachmentDisposition } from '../http/download.js';
import { EventStream } from '../http/event-stream.js';
import { MAIL_BYTES_POLICY, MAIL_HTML_POLICY } from '../http/security-headers.js';
import { type InboxFacts, INBOX_FACTS } from '../inbox-facts.js';
import { readRange } from '../http/range.js';
import type { Mail } from '../mails/mail.js';
import { foldForSearch, type MailContents, MailReader } from '../mails/mail-reader.js';
import { selectMails } from '../mails/mail-search.js';
import { MailStore } from '../mails/mail-store.js';
import { type MailItem, type MailView, mailItem, mailView, undecodableView } from './mail-view.js';
import { mailDocument } from './mail-document.js';

/** Longer sources are shown in their first part; the download has all. */
const SHOWN_SOURCE_BYTES = 512 * 1024;

interface MailPage {
  /** Mails that match. */
  readonly total: number;
  /** Mails that are kept. */
  readonly kept: number;
  readonly facts: InboxFacts;
  readonly items: readonly MailItem[];
}

/** What the page asks for: mails decoded, and what is inside them. Programs use MailHog's API. */
@Controller('api/mails')
export class MailsController implements BeforeApplicationShutdown {
  private readonly events = new EventStream();
  private readonly unsubscribe: () => void;

  constructor(
    private readonly store: MailStore,
    private readonly reader: MailReader,
    @Inject(INBOX_FACTS) private readonly facts: InboxFacts,
  ) {
    this.unsubscribe = store.onChange(({ type }) => this.events.send(type));
  }

  beforeApplicationShutdown(): void {
    this.unsubscribe();
    this.events.close();
  }

  /** Newest first; with `query`, those that have all its words. */
  @Get()
  @Header('cache-control', 'no-store')
  async list(@Query() query: Readonly<Record<string, unknown>>): Promise<{ readonly data: MailPage }> {
    const { start, limit } = readRange(query['start'], query['limit']);
    const words = typeof query['query'] === 'string' ? foldForSearch(query['query']).split(/\s+/).filter(Boolean) : [];
    const mails = this.store.list();
    const found = words.length === 0 ? mails : await selectMails(mails, (mail) => this.hasAll(mail, words));
    const items = await Promise.all(found.slice(start, start + limit).map((mail) => this.item(mail)));
    return { data: { total: found.length, kept: mails.length, facts: this.facts, items } };
  }

  /** An event `received` or `removed` after each change. */
  @Get('events')
  stream(@Res() reply: FastifyReply): void {
    this.events.open(reply);
  }

  @Get(':id')
  @Header('cache-control', 'no-store')
  async one(@Param('id') id: string): Promise<{ readonly data: MailView }> {
    const mail = this.find(id);
    const contents = await this.contents(mail);
    const item = await this.item(mail);
    return { data: contents === undefined ? undecodableView(mail, item) : mailView(mail, item, contents) };
  }

  /** The HTML as it may be framed by the page. */
  @Get(':id/html')
  async html(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const html = (await this.contents(this.find(id)))?.html;
    if (html === undefined) throw new NotFoundException();
    const document =
      mailDocument(html) ?? '<!DOCTYPE html><p>This HTML is too large to be shown here. See the source.</p>';
    await reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', MAIL_HTML_POLICY)
      .header('cache-control', 'no-store')
      .send(document);
  }

  @Get(':id/source')
  source(@Param('id') id: string, @Res() reply: FastifyReply): void {
    void reply
      .type('text/plain; charset=utf-8')
      .header('content-security-policy', MAIL_BYTES_POLICY)
      .header('cache-control', 'no-store')
      .send(this.find(id).raw.subarray(0, SHOWN_SOURCE_BYTES));
  }

  /** Always a download of unnamed bytes: whatever the mail says they are, no browser opens them here. */
  @Get(':id/attachments/:index')
  async attachment(@Param('id') id: string, @Param('index') index: string, @Res() reply: FastifyReply): Promise<void> {
    const attachment = (await this.contents(this.find(id)))?.attachments[/^\d{1,6}$/.test(index) ? Number(index) : -1];
    if (attachment === undefined) throw new NotFoundException();
    await reply
      .type('application/octet-stream')
      .header('content-disposition', attachmentDisposition(attachment.filename))
      .header('content-security-policy', MAIL_BYTES_POLICY)
      .send(attachment.content);
  }

  private async item(mail: Mail): Promise<MailItem> {
    return mailItem(mail, await this.reader.summary(mail));
  }

  private async hasAll(mail: Mail, words: readonly string[]): Promise<boolean> {
    const { searchText } = await this.reader.summary(mail);
    return words.every((word) => searchText.includes(word));
  }

  private find(id: string): Mail {
    const mail = this.store.get(id);
    if (mail === undefined) throw new NotFoundException();
    return mail;
  }

  /** Undefined when the mail cannot be decoded. */
  private contents(mail: Mail): Promise<MailContents | undefined> {
    return this.reader.read(mail).catch(() => undefined);
  }
}
