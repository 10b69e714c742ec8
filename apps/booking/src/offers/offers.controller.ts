import { Controller, Get, Header, Param, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiProblems } from '../problems/api-problems.decorator.js';
import { clientOf, RateLimits } from '../security/rate-limits.js';
import { offerToDto } from './offer-to-dto.js';
import { OfferResponse, OffersResponse } from './offer.dto.js';
import { OffersService } from './offers.service.js';
import { SearchOffersQuery } from './search-offers.query.js';

@ApiTags('offers')
@Controller('api/offers')
export class OffersController {
  constructor(
    private readonly offers: OffersService,
    private readonly limits: RateLimits,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Search',
    description:
      'The same search gives the same offers, ids and all, within five minutes. Unknown parameters are refused.',
  })
  @ApiQuery({ type: SearchOffersQuery })
  @ApiOkResponse({ type: OffersResponse })
  @ApiProblems('validation_error', 'rate_limited', 'service_unavailable', 'internal_error')
  async search(@Query() query: unknown, @Req() request: FastifyRequest): Promise<OffersResponse> {
    this.limits.take('search', clientOf(request.ip));
    const { offers, limit, total, after } = await this.offers.search(query);
    return { data: offers.map(offerToDto), meta: { limit, total, ...(after !== undefined && { after }) } };
  }

  @Get(':id')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Select: the same offer, priced again' })
  @ApiParam({ name: 'id', description: 'Of an offer of a search.' })
  @ApiOkResponse({ type: OfferResponse })
  @ApiProblems(
    'bad_url',
    'offer_not_found',
    'offer_no_longer_available',
    'price_changed',
    'service_unavailable',
    'internal_error',
  )
  async select(@Param('id') id: string): Promise<OfferResponse> {
    return { data: offerToDto(await this.offers.find(id)) };
  }
}
