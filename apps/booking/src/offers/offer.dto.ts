import { CABINS, PASSENGER_TYPES, type Cabin, type PassengerType } from '@eticket/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FARE_BRANDS, type FareBrand } from './fare-brands.js';

const AMOUNT = {
  description: 'A decimal string with as many decimals as ISO 4217 gives the currency.',
  example: '189.90',
  pattern: '^-?\\d{1,15}(\\.\\d{1,4})?$',
};

export class MoneyDto {
  @ApiProperty(AMOUNT)
  readonly amount!: string;

  @ApiProperty({ description: 'ISO 4217 code.', example: 'EUR' })
  readonly currency!: string;
}

export class TaxDto extends MoneyDto {
  @ApiProperty({ description: 'As the ticket prints it.', example: 'JD' })
  readonly code!: string;

  @ApiProperty({ example: 'Passenger departure charge' })
  readonly name!: string;
}

export class AirlineDto {
  @ApiProperty({ example: 'IB' })
  readonly iataCode!: string;

  @ApiProperty({ example: 'Iberia' })
  readonly name!: string;
}

export class AirportDto {
  @ApiProperty({ example: 'MAD' })
  readonly iataCode!: string;

  @ApiProperty({ example: 'Adolfo Suárez Madrid–Barajas Airport' })
  readonly name!: string;

  @ApiProperty({ example: 'Madrid' })
  readonly cityName!: string;

  @ApiProperty({ description: 'ISO 3166-1 alpha-2.', example: 'ES' })
  readonly countryCode!: string;

  @ApiProperty({ description: 'IANA zone.', example: 'Europe/Madrid' })
  readonly timeZone!: string;

  @ApiPropertyOptional({ example: '4S' })
  readonly terminal?: string;
}

export class BaggageDto {
  @ApiProperty({ enum: PASSENGER_TYPES })
  readonly passengerType!: PassengerType;

  @ApiProperty({ example: 1 })
  readonly carryOnPieces!: number;

  @ApiProperty({ description: 'Kilograms a piece.', example: 8 })
  readonly carryOnKg!: number;

  @ApiProperty({ example: 1 })
  readonly checkedPieces!: number;

  @ApiProperty({ description: 'Kilograms a piece.', example: 23 })
  readonly checkedKg!: number;
}

export class SegmentDto {
  @ApiProperty({ example: 'seg_1' })
  readonly id!: string;

  @ApiProperty({ description: '0 for the way out, 1 for the way back.', example: 0 })
  readonly slice!: number;

  @ApiProperty({ type: AirlineDto })
  readonly marketingCarrier!: AirlineDto;

  @ApiProperty({ description: 'Without the carrier.', example: '3170' })
  readonly flightNumber!: string;

  @ApiProperty({ type: AirlineDto })
  readonly operatingCarrier!: AirlineDto;

  @ApiProperty({ enum: CABINS })
  readonly cabin!: Cabin;

  @ApiProperty({ description: 'Reservation booking designator.', example: 'M' })
  readonly bookingClass!: string;

  @ApiProperty({ example: 'MSOESCL' })
  readonly fareBasis!: string;

  @ApiProperty({ type: AirportDto })
  readonly origin!: AirportDto;

  @ApiProperty({ type: AirportDto })
  readonly destination!: AirportDto;

  @ApiProperty({ description: 'With the offset of the origin.', example: '2027-03-14T11:05:00+01:00' })
  readonly departingAt!: string;

  @ApiProperty({ description: 'With the offset of the destination.', example: '2027-03-14T12:15:00+00:00' })
  readonly arrivingAt!: string;

  @ApiProperty({ description: 'ISO 8601, gate to gate.', example: 'PT2H10M' })
  readonly duration!: string;

  @ApiProperty({ example: 'Airbus A320neo' })
  readonly aircraft!: string;

  @ApiProperty({ type: [BaggageDto], description: 'For each kind of passenger of the offer.' })
  readonly baggage!: readonly BaggageDto[];
}

export class SliceDto {
  @ApiProperty({ description: 'From the first departure to the last arrival.', example: 'PT9H45M' })
  readonly duration!: string;

  @ApiProperty({ example: 1 })
  readonly stops!: number;

  @ApiProperty({ description: 'Calendar days between departure and arrival, both local: the “+1”.', example: 0 })
  readonly dayChange!: number;

  @ApiProperty({ type: [SegmentDto] })
  readonly segments!: readonly SegmentDto[];
}

export class PassengerFareDto {
  @ApiProperty({ enum: PASSENGER_TYPES })
  readonly type!: PassengerType;

  @ApiProperty({ type: MoneyDto })
  readonly base!: MoneyDto;

  @ApiProperty({ type: [TaxDto] })
  readonly taxes!: readonly TaxDto[];

  @ApiProperty({ type: MoneyDto })
  readonly total!: MoneyDto;
}

export class PriceDto {
  @ApiProperty({ type: MoneyDto })
  readonly base!: MoneyDto;

  @ApiProperty({ type: [TaxDto] })
  readonly taxes!: readonly TaxDto[];

  @ApiProperty({ type: MoneyDto, description: 'Our service fee, once a booking.' })
  readonly fees!: MoneyDto;

  @ApiProperty({ type: MoneyDto, description: 'base + taxes + fees, always.' })
  readonly total!: MoneyDto;
}

export class ConditionDto {
  @ApiProperty()
  readonly allowed!: boolean;

  @ApiPropertyOptional({ type: MoneyDto, description: 'A passenger; absent where it is not allowed.' })
  readonly penalty?: MoneyDto;
}

export class ConditionsDto {
  @ApiProperty({ type: ConditionDto })
  readonly changeBeforeDeparture!: ConditionDto;

  @ApiProperty({ type: ConditionDto })
  readonly refundBeforeDeparture!: ConditionDto;

  @ApiProperty({ description: 'As the ticket prints them.', example: 'NONREF/CHG FEE APPLIES' })
  readonly endorsements!: string;
}

export class OfferDto {
  @ApiProperty({ description: 'Sealed; at most 100 characters.', example: 'off_AQFc…' })
  readonly id!: string;

  @ApiProperty({ description: 'UTC; 30 to 35 minutes after the search.', example: '2026-11-30T18:35:00.000Z' })
  readonly expiresAt!: string;

  @ApiProperty({ enum: CABINS, description: 'As searched; short flights may have a lower one.' })
  readonly cabin!: Cabin;

  @ApiProperty({ enum: FARE_BRANDS })
  readonly fareBrand!: FareBrand;

  @ApiProperty({ type: AirlineDto, description: 'Whose ticket stock the tickets are of.' })
  readonly validatingCarrier!: AirlineDto;

  @ApiProperty({ type: [SliceDto], description: 'The way out and, for a return, the way back.' })
  readonly slices!: readonly SliceDto[];

  @ApiProperty({
    type: [PassengerFareDto],
    description: 'One for each passenger: adults, then children, then infants.',
  })
  readonly passengers!: readonly PassengerFareDto[];

  @ApiProperty({ type: PriceDto })
  readonly price!: PriceDto;

  @ApiProperty({ type: MoneyDto, description: 'What the card is charged: `price.total`.' })
  readonly total!: MoneyDto;

  @ApiProperty({ type: ConditionsDto })
  readonly conditions!: ConditionsDto;
}

export class OfferResponse {
  @ApiProperty({ type: OfferDto })
  readonly data!: OfferDto;
}

export class PageDto {
  @ApiProperty({ example: 50 })
  readonly limit!: number;

  @ApiProperty({ description: 'Offers on all pages.', example: 36 })
  readonly total!: number;

  @ApiPropertyOptional({ description: 'Asks for the next page, with the same search; absent on the last.' })
  readonly after?: string;
}

export class OffersResponse {
  @ApiProperty({ type: [OfferDto], description: 'Cheapest first; empty when nothing flies that day.' })
  readonly data!: readonly OfferDto[];

  @ApiProperty({ type: PageDto })
  readonly meta!: PageDto;
}
