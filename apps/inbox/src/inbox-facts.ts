/** What the page tells about the inbox itself. */
export interface InboxFacts {
  /** `host:port` that programs send to. */
  readonly smtpAddress: string;
  /** True when mails outlive the process. */
  readonly durable: boolean;
  readonly maxMessages: number;
}

/** Injection token of {@link InboxFacts}. */
export const INBOX_FACTS = Symbol('InboxFacts');
