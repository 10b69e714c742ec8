import type { IssuingAgent } from '@eticket/contracts';

/** The agency: fictive, and its IATA number is nobody's. */
export const ISSUING_AGENT: IssuingAgent = {
  name: 'Meridian Travel',
  iataNumber: '99999992',
  place: 'Dublin, Ireland',
  supportEmail: 'support@meridian.example',
  supportPhone: '+353 1 555 0199',
};

/** Where it is, in Spanish. */
export const SPANISH_PLACE: Readonly<Record<string, string>> = { [ISSUING_AGENT.place]: 'Dublín, Irlanda' };
