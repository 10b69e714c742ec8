import { domainToASCII } from 'node:url';

interface Request {
  readonly contact?: { readonly email?: unknown; readonly phone?: unknown };
  readonly passengers?: readonly {
    readonly givenName?: unknown;
    readonly familyName?: unknown;
    readonly bornOn?: unknown;
  }[];
  readonly payment?: { readonly token?: unknown };
}

interface Booked {
  readonly accessToken: string;
  readonly confirmationUrl: string;
  readonly passengers: readonly { readonly ticketName: string }[];
}

/** Shorter names are ordinary words and initials, of which a log has many. */
const MIN_LENGTH = 3;

/** Everything personal or secret that a spec sent or was given, to be looked for where it must not be. */
export class PersonalData {
  private readonly values = new Set<string>();

  noteRequest({ contact, passengers, payment }: Request): void {
    const { email, phone } = contact ?? {};
    this.note(email, phone, payment?.token);
    if (typeof email === 'string') this.note(asciiAddress(email));
    if (!Array.isArray(passengers)) return;
    for (const { givenName, familyName, bornOn } of passengers as NonNullable<Request['passengers']>) {
      this.note(givenName, familyName, bornOn);
    }
  }

  noteBooking({ accessToken, confirmationUrl, passengers }: Booked): void {
    this.note(accessToken, new URL(confirmationUrl).searchParams.get('token'));
    for (const { ticketName } of passengers) this.note(ticketName, ticketName.split('/')[0]);
  }

  /** How many different values were noted. */
  get size(): number {
    return this.values.size;
  }

  /** Those that stand in a text, as whole words, in whatever case. */
  foundIn(text: string): readonly string[] {
    const words = text.toLowerCase();
    return [...this.values].filter((value) => hasWord(words, value.toLowerCase()));
  }

  private note(...values: readonly unknown[]): void {
    for (const value of values) if (typeof value === 'string' && value.length >= MIN_LENGTH) this.values.add(value);
  }
}

/** An international domain is ASCII on the wire. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}
