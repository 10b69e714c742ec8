/**
 * Where browsers reach this service: what PUBLIC_URL says, else the address it listens on, known once it does.
 * Without a slash at the end.
 */
export class PublicAddress {
  private current: string;

  constructor(private readonly configured: string | undefined) {
    this.current = configured?.replace(/\/+$/, '') ?? 'http://127.0.0.1:3000';
  }

  get url(): string {
    return this.current;
  }

  /** Cookies are marked `Secure` then. */
  get isSecure(): boolean {
    return this.current.startsWith('https:');
  }

  listeningOn(url: string): void {
    if (this.configured === undefined) this.current = url;
  }
}
