import { type DynamicModule, Module } from '@nestjs/common';
import { OperationsModule, ServiceMetrics } from '@eticket/service';
import { INBOX_FACTS, type InboxFacts } from './inbox-facts.js';
import { MailhogV1Controller } from './mailhog/mailhog-v1.controller.js';
import { MailhogV2Controller } from './mailhog/mailhog-v2.controller.js';
import { MailReader } from './mails/mail-reader.js';
import { MailStore } from './mails/mail-store.js';
import { MailsController } from './page/mails.controller.js';

/** What the module needs from outside. */
export interface InboxParts {
  readonly store: MailStore;
  readonly facts: InboxFacts;
  readonly metrics: ServiceMetrics;
}

/** The HTTP side of the inbox. */
@Module({})
export class InboxModule {
  static with({ store, facts, metrics }: InboxParts): DynamicModule {
    return {
      module: InboxModule,
      imports: [OperationsModule.forRoot({ metrics, readiness: [] })],
      controllers: [MailhogV1Controller, MailhogV2Controller, MailsController],
      providers: [MailReader, { provide: MailStore, useValue: store }, { provide: INBOX_FACTS, useValue: facts }],
    };
  }
}
