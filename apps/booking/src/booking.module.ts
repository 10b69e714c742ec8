import { NO_TRACING, OperationsModule, type Logger, type ServiceMetrics, type ServiceTracing } from '@eticket/service';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { Outbox } from 'ackline/outbox';
import type { BookingConfig } from './booking-config.js';
import { AccessTokens } from './bookings/access-tokens.js';
import { BookingAccess } from './bookings/booking-access.js';
import { BookingAnswers } from './bookings/booking-answers.js';
import { BookingEvents, CommittedEvents } from './bookings/booking-events.js';
import { BookingLookup } from './bookings/booking-lookup.js';
import { BookingOutcomes } from './bookings/booking-outcomes.js';
import { BookingWriter } from './bookings/booking-writer.js';
import { BookingsController } from './bookings/bookings.controller.js';
import { BookingsRepository } from './bookings/bookings.repository.js';
import { CancelBookingService } from './bookings/cancel-booking.service.js';
import { CreateBookingService } from './bookings/create-booking.service.js';
import { ManageBookingController } from './bookings/manage-booking.controller.js';
import { PublicAddress } from './bookings/public-address.js';
import { ResendEticketService } from './bookings/resend-eticket.service.js';
import { DocsController } from './docs/docs.controller.js';
import { BookingStore } from './database/booking-database.js';
import { SchemaKeeper } from './database/schema-keeper.js';
import { IdempotencyExpiry } from './idempotency/idempotency-expiry.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { MailStatusController } from './mail-status/mail-status.controller.js';
import { MailStatusRepository } from './mail-status/mail-status.repository.js';
import { MailStatusStreams } from './mail-status/mail-status-streams.js';
import { OffersController } from './offers/offers.controller.js';
import { OffersService } from './offers/offers.service.js';
import { AssetsController } from './pages/assets.controller.js';
import { PageForms } from './pages/page-forms.js';
import { PageRenderer } from './pages/page-renderer.js';
import { BookingPageController, LookupPageController } from './pages/booking-page.controller.js';
import { BookingPagesController } from './pages/booking-pages.controller.js';
import { InboxLink, SearchPagesController } from './pages/search-pages.controller.js';
import { CardForm, CardFormAddress } from './payments/card-form.js';
import { CardPayments } from './payments/card-payments.js';
import { HttpPaymentGateway } from './payments/http-payment-gateway.js';
import { PaymentGateway } from './payments/payment-gateway.js';
import { PaymentRecovery } from './payments/payment-recovery.js';
import { PaymentSettlement } from './payments/payment-settlement.js';
import { PaymentsRepository } from './payments/payments.repository.js';
import { SandboxPaymentGateway } from './payments/sandbox-payment-gateway.js';
import { TracedPaymentGateway } from './payments/traced-payment-gateway.js';
import { PersonalDataRepository } from './personal-data/personal-data.repository.js';
import { PersonalDataRetention } from './personal-data/personal-data-retention.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { BackgroundWork } from './schedule/background-work.js';
import { FormGuard } from './security/form-guard.js';
import { FIXED_LIMITS, perMinute, RateLimits } from './security/rate-limits.js';
import { SecretKeys } from './security/secret-keys.js';
import { StoredSecret } from './security/stored-secret.js';
import { TicketSerials } from './tickets/ticket-serials.js';
import { Clock } from './times/clock.js';
import { IDEMPOTENCY_KEY_HOURS, LOGGER, PAYMENT_DEADLINE_MS, PERSONAL_DATA_DAYS } from './tokens.js';

/** What the service is put together from; specs put their own clock or gateway in. */
export interface BookingParts {
  readonly config: BookingConfig;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
  readonly tracing: ServiceTracing;
  readonly store: BookingStore;
  readonly schema: SchemaKeeper;
  readonly outbox: Outbox;
  readonly committed: CommittedEvents;
  readonly address: PublicAddress;
  /** Why the queue's consumer does not take messages, or undefined. */
  readonly queueTrouble: () => string | undefined;
  readonly clock?: Clock;
  readonly gateway?: PaymentGateway;
}

@Module({})
export class BookingModule {
  static forRoot(parts: BookingParts): DynamicModule {
    return {
      module: BookingModule,
      imports: [OperationsModule.forRoot({ metrics: parts.metrics, readiness: readinessOf(parts) })],
      controllers: [
        OffersController,
        BookingsController,
        ManageBookingController,
        MailStatusController,
        SearchPagesController,
        BookingPagesController,
        BookingPageController,
        LookupPageController,
        AssetsController,
        DocsController,
      ],
      providers: [...given(parts), ...features()],
    };
  }
}

function readinessOf({ schema, queueTrouble }: BookingParts) {
  return [
    { name: 'database', check: () => schema.check() },
    {
      name: 'mail-status-consumer',
      check: () => {
        const why = queueTrouble();
        return why === undefined ? Promise.resolve() : Promise.reject(new Error(why));
      },
    },
  ];
}

function given(parts: BookingParts): Provider[] {
  const { config, store } = parts;
  const clock = parts.clock ?? new Clock();
  const limits = {
    search: perMinute(config.searchesPerMinute),
    booking: perMinute(config.bookingsPerMinute),
    ...FIXED_LIMITS,
  };
  const { secret } = config;
  const source = secret === undefined ? new StoredSecret(store) : { secret: () => Promise.resolve(secret) };
  return [
    { provide: LOGGER, useValue: parts.logger },
    { provide: PAYMENT_DEADLINE_MS, useValue: config.paymentDeadlineMs },
    { provide: IDEMPOTENCY_KEY_HOURS, useValue: config.idempotencyKeyHours },
    { provide: PERSONAL_DATA_DAYS, useValue: config.personalDataDays },
    { provide: BookingStore, useValue: store },
    { provide: SchemaKeeper, useValue: parts.schema },
    { provide: Outbox, useValue: parts.outbox },
    { provide: CommittedEvents, useValue: parts.committed },
    { provide: PublicAddress, useValue: parts.address },
    { provide: InboxLink, useValue: new InboxLink(config.inboxUrl) },
    { provide: CardFormAddress, useValue: new CardFormAddress(config.paymentFormUrl) },
    { provide: SecretKeys, useValue: new SecretKeys(source) },
    { provide: Clock, useValue: clock },
    { provide: RateLimits, useValue: new RateLimits(limits, clock) },
    { provide: PaymentGateway, useValue: gatewayOf(parts) },
  ];
}

function gatewayOf({ config: { paymentGatewayUrl: url }, gateway: given, tracing }: BookingParts): PaymentGateway {
  const gateway = given ?? (url === undefined ? new SandboxPaymentGateway() : new HttpPaymentGateway(url));
  return tracing === NO_TRACING ? gateway : new TracedPaymentGateway(gateway, tracing);
}

function features(): Provider[] {
  return [
    AccessTokens,
    BackgroundWork,
    BookingAccess,
    BookingAnswers,
    BookingEvents,
    BookingLookup,
    BookingOutcomes,
    BookingsRepository,
    BookingWriter,
    CancelBookingService,
    CardForm,
    CardPayments,
    CreateBookingService,
    FormGuard,
    IdempotencyExpiry,
    IdempotencyRepository,
    IdempotencyService,
    MailStatusRepository,
    MailStatusStreams,
    OffersService,
    PageForms,
    PageRenderer,
    PaymentRecovery,
    PaymentSettlement,
    PaymentsRepository,
    PersonalDataRepository,
    PersonalDataRetention,
    ProblemFilter,
    ResendEticketService,
    TicketSerials,
  ];
}
