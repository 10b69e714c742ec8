const airline = (iataCode: string, name: string) => ({ iataCode, name });
const airport = (iataCode: string, cityName: string, name: string, countryCode: string, timeZone: string) => ({
  iataCode,
  name,
  cityName,
  countryCode,
  timeZone,
});

export const AIRLINES = {
  IB: airline('IB', 'Iberia'),
  AA: airline('AA', 'American Airlines'),
  LX: airline('LX', 'SWISS'),
  SQ: airline('SQ', 'Singapore Airlines'),
  NH: airline('NH', 'ANA All Nippon Airways'),
  EK: airline('EK', 'Emirates'),
  LO: airline('LO', 'LOT Polish Airlines'),
  AI: airline('AI', 'Air India'),
  NZ: airline('NZ', 'Air New Zealand'),
  TP: airline('TP', 'TAP Air Portugal'),
  LA: airline('LA', 'LATAM Airlines'),
} as const;

export const AIRPORTS = {
  MAD: airport('MAD', 'Madrid', 'Adolfo Suárez Madrid–Barajas Airport', 'ES', 'Europe/Madrid'),
  LHR: airport('LHR', 'London', 'London Heathrow Airport', 'GB', 'Europe/London'),
  BCN: airport('BCN', 'Barcelona', 'Josep Tarradellas Barcelona–El Prat Airport', 'ES', 'Europe/Madrid'),
  JFK: airport('JFK', 'New York', 'John F. Kennedy International Airport', 'US', 'America/New_York'),
  ZRH: airport('ZRH', 'Zürich', 'Zürich Airport', 'CH', 'Europe/Zurich'),
  SIN: airport('SIN', 'Singapore', 'Singapore Changi Airport', 'SG', 'Asia/Singapore'),
  SYD: airport('SYD', 'Sydney', 'Sydney Kingsford Smith Airport', 'AU', 'Australia/Sydney'),
  HND: airport('HND', 'Tokyo', 'Tokyo Haneda Airport', 'JP', 'Asia/Tokyo'),
  CTS: airport('CTS', 'Sapporo', 'New Chitose Airport', 'JP', 'Asia/Tokyo'),
  KWI: airport('KWI', 'Kuwait City', 'Kuwait International Airport', 'KW', 'Asia/Kuwait'),
  DXB: airport('DXB', 'Dubai', 'Dubai International Airport', 'AE', 'Asia/Dubai'),
  DUB: airport('DUB', 'Dublin', 'Dublin Airport', 'IE', 'Europe/Dublin'),
  WAW: airport('WAW', 'Warsaw', 'Warsaw Chopin Airport', 'PL', 'Europe/Warsaw'),
  DEL: airport('DEL', 'Delhi', 'Indira Gandhi International Airport', 'IN', 'Asia/Kolkata'),
  KTM: airport('KTM', 'Kathmandu', 'Tribhuvan International Airport', 'NP', 'Asia/Kathmandu'),
  HNL: airport('HNL', 'Honolulu', 'Daniel K. Inouye International Airport', 'US', 'Pacific/Honolulu'),
  AKL: airport('AKL', 'Auckland', 'Auckland Airport', 'NZ', 'Pacific/Auckland'),
  LIS: airport('LIS', 'Lisbon', 'Humberto Delgado Airport', 'PT', 'Europe/Lisbon'),
  GRU: airport('GRU', 'São Paulo', 'São Paulo/Guarulhos International Airport', 'BR', 'America/Sao_Paulo'),
} as const;
