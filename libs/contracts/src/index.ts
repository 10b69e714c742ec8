// class-transformer reads the types of fields from it.
import 'reflect-metadata';

export {
  Airline,
  Airport,
  BaggageAllowance,
  BookingPrice,
  BookingSnapshot,
  CABINS,
  CARD_BRANDS,
  Contact,
  FareCondition,
  FareConditions,
  FormOfPayment,
  IssuingAgent,
  LocalName,
  LocalNames,
  PASSENGER_TYPES,
  TicketedPassenger,
  TicketedSegment,
  TITLES,
  VersionedEvent,
} from './booking-snapshot.js';
export type { Cabin, CardBrand, PassengerType, Title } from './booking-snapshot.js';
export { EticketCancelledEvent } from './eticket-cancelled.event.js';
export { EticketConfirmedEvent } from './eticket-confirmed.event.js';
export { EticketMailStatusEvent, MAIL_STATUSES } from './eticket-mail-status.event.js';
export type { MailStatus } from './eticket-mail-status.event.js';
export { isValid } from './is-valid.js';
export { Money, TaxAmount } from './money.js';
export { CONSUMER_GROUPS, QUEUES } from './queues.js';
export type { QueueName } from './queues.js';
