/** Form code of all tickets here: visibly fictive, no airline's own. */
const FORM_CODE = '99';
const SERIAL_DIGITS = 8;

/** Serials run from 0 to this, once around. */
export const LARGEST_SERIAL = 10 ** SERIAL_DIGITS - 1;

/**
 * 13 digits: the validating carrier's accounting code, then form and serial; no check digit, which is a fourteenth
 * and not part of the number (cybersource: "carrier code, form, and serial number, without the check digit").
 * @throws RangeError for a serial out of its range.
 */
export function ticketNumber(accountingCode: string, serial: number): string {
  if (!/^\d{3}$/.test(accountingCode) || !Number.isInteger(serial) || serial < 0 || serial > LARGEST_SERIAL) {
    throw new RangeError(`No ticket number has accounting code ${accountingCode} and serial ${serial}`);
  }
  return accountingCode + FORM_CODE + String(serial).padStart(SERIAL_DIGITS, '0');
}
