import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * The number in E.164 (`+34911234567`), or undefined when it is none. It has to begin with `+` and the country's code;
 * spaces, hyphens, dots and parentheses are left out. "Possible" is asked, not "valid": numbering plans change faster
 * than any copy of them.
 */
export function readPhone(typed: string): string | undefined {
  if (typed.length > 40 || !/^\+[\d\s().-]+$/.test(typed) || /[\r\n]/.test(typed)) return undefined;
  const number = parsePhoneNumberFromString(typed);
  return number?.isPossible() === true && /^\+\d{6,15}$/.test(number.number) ? number.number : undefined;
}
