import type { IssuingAgent } from '@eticket/contracts';

/** The agency: fictive, and its IATA number is nobody's. */
export const ISSUING_AGENT: IssuingAgent = {
  name: 'Meridian Travel',
  iataNumber: '99999992',
  place: 'Dublin, Ireland',
  supportEmail: 'support@meridian.example',
  supportPhone: '+353 1 555 0199',
};
