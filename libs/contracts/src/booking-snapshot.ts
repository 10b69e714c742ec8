import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { Money, TaxAmount } from './money.js';
import { Nested, NestedList } from './nested.js';

export const PASSENGER_TYPES = ['adult', 'child', 'infant'] as const;
export type PassengerType = (typeof PASSENGER_TYPES)[number];

export const TITLES = ['mr', 'mrs', 'ms', 'miss', 'mstr', 'dr'] as const;
export type Title = (typeof TITLES)[number];

export const CABINS = ['economy', 'premium_economy', 'business', 'first'] as const;
export type Cabin = (typeof CABINS)[number];

/** An ISO 8601 instant that carries the airport's own offset, e.g. `2027-03-14T07:15:00+01:00`. */
const LOCAL_TIME_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/;
const ISO_8601_DURATION = /^P(\d+D)?(T(\d+H)?(\d+M)?)?$/;

export class Airline {
  /** IATA airline designator, two characters. */
  @Matches(/^[A-Z0-9]{2}$/)
  readonly iataCode!: string;

  @IsString()
  @IsNotEmpty()
  readonly name!: string;
}

export class Airport {
  @Matches(/^[A-Z]{3}$/)
  readonly iataCode!: string;

  @IsString()
  @IsNotEmpty()
  readonly name!: string;

  /** In English; see {@link LocalNames}. */
  @IsString()
  @IsNotEmpty()
  readonly cityName!: string;

  /** ISO 3166-1 alpha-2. */
  @Matches(/^[A-Z]{2}$/)
  readonly countryCode!: string;

  /** IANA zone, e.g. `Europe/Madrid`. */
  @Matches(/^[A-Za-z0-9_+\-/]{1,64}$/)
  readonly timeZone!: string;

  @IsOptional()
  @IsString()
  @MaxLength(4)
  readonly terminal?: string;
}

/** What one kind of passenger may take on one flight. */
export class BaggageAllowance {
  @IsIn(PASSENGER_TYPES)
  readonly passengerType!: PassengerType;

  @IsInt()
  @Min(0)
  readonly carryOnPieces!: number;

  /** Kilograms a piece. */
  @IsInt()
  @Min(0)
  readonly carryOnKg!: number;

  @IsInt()
  @Min(0)
  readonly checkedPieces!: number;

  /** Kilograms a piece. */
  @IsInt()
  @Min(0)
  readonly checkedKg!: number;
}

export class TicketedSegment {
  @IsString()
  @IsNotEmpty()
  readonly id!: string;

  /** 0 for the way out, 1 for the way back. */
  @IsInt()
  @Min(0)
  readonly slice!: number;

  @Nested(() => Airline)
  readonly marketingCarrier!: Airline;

  /** Without the carrier: `"117"`, not `"BA117"`. */
  @Matches(/^\d{1,4}$/)
  readonly flightNumber!: string;

  @Nested(() => Airline)
  readonly operatingCarrier!: Airline;

  @IsIn(CABINS)
  readonly cabin!: Cabin;

  /** Reservation booking designator, one letter. */
  @Matches(/^[A-Z]$/)
  readonly bookingClass!: string;

  @Matches(/^[A-Z0-9]{1,18}$/)
  readonly fareBasis!: string;

  @Nested(() => Airport)
  readonly origin!: Airport;

  @Nested(() => Airport)
  readonly destination!: Airport;

  @Matches(LOCAL_TIME_WITH_OFFSET)
  readonly departingAt!: string;

  @Matches(LOCAL_TIME_WITH_OFFSET)
  readonly arrivingAt!: string;

  @Matches(ISO_8601_DURATION)
  readonly duration!: string;

  @IsString()
  @IsNotEmpty()
  readonly aircraft!: string;

  /** As the coupon prints it: `OK` is confirmed. */
  @IsIn(['OK'])
  readonly status!: 'OK';

  @NestedList(() => BaggageAllowance, { min: 1 })
  readonly baggage!: readonly BaggageAllowance[];
}

export class TicketedPassenger {
  @IsIn(PASSENGER_TYPES)
  readonly type!: PassengerType;

  @IsIn(TITLES)
  readonly title!: Title;

  /** As typed. */
  @IsString()
  @Length(1, 60)
  readonly givenName!: string;

  /** As typed. */
  @IsString()
  @Length(1, 60)
  readonly familyName!: string;

  /** `SURNAME/GIVENNAMES TITLE`, A–Z only. */
  @Matches(/^[A-Z]+\/[A-Z]+ [A-Z]+$/)
  readonly ticketName!: string;

  /** 13 digits: airline accounting code, then form and serial number; no check digit. */
  @Matches(/^\d{13}$/)
  readonly ticketNumber!: string;

  /** Of an infant: index of the adult on whose lap it travels. */
  @IsOptional()
  @IsInt()
  @Min(0)
  readonly infantOf?: number;

  @Nested(() => Money)
  readonly base!: Money;

  @NestedList(() => TaxAmount, { max: 40 })
  readonly taxes!: readonly TaxAmount[];

  @Nested(() => Money)
  readonly total!: Money;
}

/** Sums over all passengers; base + taxes + fees = total, always. */
export class BookingPrice {
  @Nested(() => Money)
  readonly base!: Money;

  @NestedList(() => TaxAmount)
  readonly taxes!: readonly TaxAmount[];

  /** The agency's own service fee. */
  @Nested(() => Money)
  readonly fees!: Money;

  @Nested(() => Money)
  readonly total!: Money;
}

export const CARD_BRANDS = ['visa', 'mastercard', 'amex'] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

/** All that is ever known here of a card. */
export class FormOfPayment {
  @IsIn(CARD_BRANDS)
  readonly brand!: CardBrand;

  @Matches(/^\d{4}$/)
  readonly last4!: string;

  @Matches(/^[A-Z0-9]{1,12}$/)
  readonly approvalCode!: string;
}

/** Whether something is allowed before departure, and what it costs a passenger. */
export class FareCondition {
  @IsBoolean()
  readonly allowed!: boolean;

  /** Absent where it is not allowed. */
  @IsOptional()
  @Nested(() => Money)
  readonly penalty?: Money;
}

export class FareConditions {
  @Nested(() => FareCondition)
  readonly changeBeforeDeparture!: FareCondition;

  @Nested(() => FareCondition)
  readonly refundBeforeDeparture!: FareCondition;

  /** As the ticket prints them, e.g. `NONREF/CHG FEE APPLIES`. */
  @IsString()
  readonly endorsements!: string;
}

/** The agency that issued the tickets. */
export class IssuingAgent {
  @IsString()
  @IsNotEmpty()
  readonly name!: string;

  /** Fictive: no IATA number of a real agency. */
  @Matches(/^\d{8}$/)
  readonly iataNumber!: string;

  @IsString()
  readonly place!: string;

  @IsEmail()
  readonly supportEmail!: string;

  @IsString()
  readonly supportPhone!: string;
}

export class Contact {
  /** One addr-spec, at most 254 characters; checked again by the worker before it becomes a recipient. */
  @IsString()
  @Length(3, 254)
  readonly email!: string;

  /** E.164. */
  @Matches(/^\+\d{6,15}$/)
  readonly phone!: string;
}

/** A name of the booking, and what it is called in the traveller's language. */
export class LocalName {
  /** As it stands elsewhere in the booking: a city, a tax, the agent's place. */
  @IsString()
  @IsNotEmpty()
  readonly name!: string;

  @IsString()
  @Length(1, 200)
  readonly localName!: string;
}

/**
 * What is called otherwise in the traveller's language; all else has one name in every language. Everywhere else in the
 * booking names are English, by which two events, or an event and a table, can be compared.
 */
export class LocalNames {
  /** BCP 47, the language alone: `es`. A reader that writes in another one leaves these names alone. */
  @Matches(/^[a-z]{2,3}$/)
  readonly language!: string;

  @NestedList(() => LocalName, { max: 200 })
  readonly names!: readonly LocalName[];
}

/** All that an e-ticket mail shows, as it stood when the event was recorded. No passport and no card but its brand and last four. */
export class BookingSnapshot {
  @IsUUID()
  readonly id!: string;

  /** Six characters of `23456789ABCDEFGHJKLMNPQRSTUVWXYZ`. */
  @Matches(/^[2-9A-HJ-NP-Z]{6}$/)
  readonly reference!: string;

  /** BCP 47. */
  @Matches(/^[a-zA-Z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/)
  readonly locale!: string;

  /** When the tickets were issued, UTC. */
  @IsISO8601({ strict: true })
  readonly issuedAt!: string;

  @Nested(() => IssuingAgent)
  readonly issuedBy!: IssuingAgent;

  @Nested(() => Airline)
  readonly validatingCarrier!: Airline;

  /** Where the traveller manages the booking. Holds no secret and nothing personal. */
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  readonly manageUrl!: string;

  @Nested(() => Contact)
  readonly contact!: Contact;

  @NestedList(() => TicketedPassenger, { min: 1, max: 18 })
  readonly passengers!: readonly TicketedPassenger[];

  @NestedList(() => TicketedSegment, { min: 1, max: 16 })
  readonly segments!: readonly TicketedSegment[];

  @Nested(() => BookingPrice)
  readonly price!: BookingPrice;

  @Nested(() => FormOfPayment)
  readonly payment!: FormOfPayment;

  @Nested(() => FareConditions)
  readonly conditions!: FareConditions;

  /** Absent where nothing is called otherwise, and in bookings from before there was this field. */
  @IsOptional()
  @Nested(() => LocalNames)
  readonly localNames?: LocalNames;
}

/** Events carry a version of the booking: 1 when it was made, one more for every change or wanted resend. */
export class VersionedEvent {
  @IsUUID()
  readonly eventId!: string;

  @IsInt()
  @Min(1)
  @Max(1_000_000)
  readonly version!: number;

  @IsISO8601({ strict: true })
  readonly occurredAt!: string;
}
