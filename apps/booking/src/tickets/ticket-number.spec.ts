import fc from 'fast-check';
import { AIRLINES } from '../airlines/airlines.js';
import { randomReference } from '../bookings/booking-reference.js';
import { LARGEST_SERIAL, ticketNumber } from './ticket-number.js';

describe('A ticket number', () => {
  it('is accounting code, form 99 and serial: 13 digits, each serial its own', () => {
    expect(ticketNumber('075', 42)).toBe('0759900000042');
    const codes = [...AIRLINES.values()].map((airline) => airline.accountingCode);
    const serial = fc.integer({ min: 0, max: LARGEST_SERIAL });
    fc.assert(
      fc.property(fc.constantFrom(...codes), serial, serial, (code, one, other) => {
        expect(ticketNumber(code, one)).toMatch(/^\d{3}99\d{8}$/);
        expect(ticketNumber(code, one) === ticketNumber(code, other)).toBe(one === other);
      }),
    );
  });

  it.each([-1, LARGEST_SERIAL + 1, 0.5])('is not made of serial %p', (serial) => {
    expect(() => ticketNumber('075', serial)).toThrow(RangeError);
  });

  it('has an accounting code that no other airline has', () => {
    const codes = [...AIRLINES.values()].map((airline) => airline.accountingCode);
    expect(new Set(codes).size).toBe(codes.length);
    expect(AIRLINES.size).toBeGreaterThanOrEqual(40);
  });
});

describe('A booking reference', () => {
  it('has six characters that nobody reads for others', () => {
    const references = Array.from({ length: 500 }, randomReference);
    expect(references.every((reference) => /^[2-9A-HJ-NP-Z]{6}$/.test(reference))).toBe(true);
    expect(new Set(references).size).toBe(500);
  });
});
