import { OperationsModule, type Logger, type ServiceMetrics } from '@eticket/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { AssetsController } from './card-form/assets.controller.js';
import { CardFormController } from './card-form/card-form.controller.js';
import { CardFormPage, MerchantOrigins } from './card-form/card-form.page.js';
import { CardsRepository } from './cards/cards.repository.js';
import { SandboxStore } from './database/sandbox-store.js';
import { PaymentRetention } from './payments/payment-retention.js';
import { PaymentsController } from './payments/payments.controller.js';
import { PaymentsRepository } from './payments/payments.repository.js';
import { LOGGER } from './tokens.js';

export interface PaymentSandboxParts {
  readonly store: SandboxStore;
  readonly merchantOrigins: readonly string[];
  readonly metrics: ServiceMetrics;
  readonly logger: Logger;
}

@Module({})
export class PaymentSandboxModule {
  static with({ store, merchantOrigins, metrics, logger }: PaymentSandboxParts): DynamicModule {
    const readiness = [{ name: 'database', check: () => store.check() }];
    return {
      module: PaymentSandboxModule,
      imports: [OperationsModule.forRoot({ metrics, readiness })],
      controllers: [AssetsController, CardFormController, PaymentsController],
      providers: [
        CardFormPage,
        CardsRepository,
        PaymentRetention,
        PaymentsRepository,
        { provide: LOGGER, useValue: logger },
        { provide: MerchantOrigins, useValue: new MerchantOrigins(merchantOrigins) },
        { provide: SandboxStore, useValue: store },
      ],
    };
  }
}
