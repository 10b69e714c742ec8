import { FieldRule } from '@eticket/service/problems';
import { CABINS } from '@eticket/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MayBeAbsent } from '../problems/field-rules.js';
import { addDays, isCalendarDate } from '../times/local-time.js';

/** So far ahead that the document's examples can be sent as they stand. */
const EXAMPLE_DATE = addDays(new Date().toISOString().slice(0, 10), 90);

const count = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{1,2}$/.test(value) ? undefined : 'has to be a whole number';
const airportCode = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z]{3}$/.test(value) ? undefined : 'has to be an IATA code of three letters';
const date = (value: unknown): string | undefined =>
  typeof value === 'string' && isCalendarDate(value) ? undefined : 'has to be a date of the calendar, YYYY-MM-DD';

/** As many as a search finds at most, and some. */
export const PAGE_SIZE = 50;

/** Query of `GET /api/offers`, as text; {@link OffersService} checks whether the values exist and fit each other. */
export class SearchOffersQuery {
  @ApiProperty({ description: 'IATA code of the airport.', example: 'MAD', pattern: '^[A-Za-z]{3}$' })
  @FieldRule('invalid_format', airportCode)
  readonly origin!: string;

  @ApiProperty({ description: 'IATA code of the airport.', example: 'JFK', pattern: '^[A-Za-z]{3}$' })
  @FieldRule('invalid_format', airportCode)
  readonly destination!: string;

  @ApiProperty({
    description: 'On the calendar of the origin: today or up to 330 days ahead.',
    format: 'date',
    example: EXAMPLE_DATE,
  })
  @FieldRule('invalid_date', date)
  readonly departureDate!: string;

  @ApiPropertyOptional({ description: 'For a return journey; not before the departure.', format: 'date' })
  @MayBeAbsent()
  @FieldRule('invalid_date', date)
  readonly returnDate?: string;

  @ApiPropertyOptional({ description: '12 or older.', minimum: 1, maximum: 9, default: 1, type: 'integer' })
  @MayBeAbsent()
  @FieldRule('wrong_type', count)
  readonly adults?: string;

  @ApiPropertyOptional({
    description: '2 to 11. Adults and children have a seat each, at most nine.',
    minimum: 0,
    maximum: 8,
    default: 0,
    type: 'integer',
  })
  @MayBeAbsent()
  @FieldRule('wrong_type', count)
  readonly children?: string;

  @ApiPropertyOptional({
    description: 'Under 2, on the lap of an adult; not more than adults.',
    minimum: 0,
    maximum: 9,
    default: 0,
    type: 'integer',
  })
  @MayBeAbsent()
  @FieldRule('wrong_type', count)
  readonly infants?: string;

  @ApiPropertyOptional({ enum: CABINS, default: 'economy' })
  @MayBeAbsent()
  @FieldRule('unknown_value', (value) =>
    (CABINS as readonly unknown[]).includes(value) ? undefined : `has to be one of ${CABINS.join(', ')}`,
  )
  readonly cabin?: (typeof CABINS)[number];

  @ApiPropertyOptional({ description: 'ISO 4217 code.', default: 'EUR', pattern: '^[A-Z]{3}$' })
  @MayBeAbsent()
  @FieldRule('unknown_currency', (value) =>
    typeof value === 'string' && /^[A-Z]{3}$/.test(value) ? undefined : 'has to be an ISO 4217 code of three capitals',
  )
  readonly currency?: string;

  @ApiPropertyOptional({ description: 'Offers a page.', minimum: 1, maximum: 50, default: 50, type: 'integer' })
  @MayBeAbsent()
  @FieldRule('out_of_range', (value) =>
    count(value) === undefined && Number(value) >= 1 && Number(value) <= PAGE_SIZE
      ? undefined
      : `has to be a whole number from 1 to ${PAGE_SIZE}`,
  )
  readonly limit?: string;

  @ApiPropertyOptional({ description: '`meta.after` of the page before, with the same search; good for half an hour.' })
  @MayBeAbsent()
  @FieldRule('invalid_cursor', (value) =>
    typeof value === 'string' && value.length <= 20 ? undefined : 'has to be the `after` of a page',
  )
  readonly after?: string;
}
