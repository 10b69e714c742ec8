import { randomBytes } from 'node:crypto';
import { type Envelope, type Mail, mailId } from './mail.js';
import type { MailFolder } from './mail-folder.js';

/** How much the inbox keeps. When either is passed, the oldest mails go. */
export interface MailLimits {
  readonly maxMessages: number;
  /** Bytes of raw mail. At least the size of the largest mail that is accepted. */
  readonly maxBytes: number;
}

/** What happened to the kept mails. `received` carries the mail; a mail that is dropped for room is part of `received`. */
export type MailChange = { readonly type: 'received'; readonly mail: Mail } | { readonly type: 'removed' };

/** The kept mails: in memory, and in a {@link MailFolder} too when there is one. */
export class MailStore {
  /** By id, oldest first. */
  private readonly mails = new Map<string, Mail>();
  private readonly listeners = new Set<(change: MailChange) => void>();
  private bytes = 0;
  private latestAt = 0;

  constructor(
    private readonly limits: MailLimits,
    private readonly folder?: MailFolder,
  ) {}

  /** Reads what an earlier process kept; drops the oldest when the limits have become smaller. */
  async load(): Promise<{ readonly loaded: number; readonly skipped: number }> {
    if (this.folder === undefined) return { loaded: 0, skipped: 0 };
    const { mails, skipped } = await this.folder.load();
    for (const mail of mails) this.keep(mail);
    await this.dropOldest();
    return { loaded: this.mails.size, skipped };
  }

  /**
   * Resolves when the mail is kept: with a folder, when it is on the disk. Rejects when the folder cannot take it, and
   * then keeps nothing.
   */
  async add(envelope: Envelope, raw: Buffer): Promise<Mail> {
    // Ids sort by arrival even when the machine's clock is set back.
    this.latestAt = Math.max(Date.now(), this.latestAt + 1);
    const receivedAt = new Date(this.latestAt);
    const mail: Mail = { id: mailId(receivedAt, randomBytes(16).toString('hex')), envelope, receivedAt, raw };
    await this.folder?.write(mail);
    this.keep(mail);
    await this.dropOldest();
    this.announce({ type: 'received', mail });
    return mail;
  }

  get(id: string): Mail | undefined {
    return this.mails.get(id);
  }

  /** Newest first. */
  list(): readonly Mail[] {
    return [...this.mails.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  get size(): number {
    return this.mails.size;
  }

  /** False when there is no such mail. */
  async remove(id: string): Promise<boolean> {
    if (!this.forget(id)) return false;
    await this.folder?.remove([id]);
    this.announce({ type: 'removed' });
    return true;
  }

  async removeAll(): Promise<void> {
    const ids = [...this.mails.keys()];
    for (const id of ids) this.forget(id);
    await this.folder?.remove(ids);
    this.announce({ type: 'removed' });
  }

  /** Calls `listener` after every change; returns the function that ends it. */
  onChange(listener: (change: MailChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private keep(mail: Mail): void {
    this.mails.set(mail.id, mail);
    this.bytes += mail.raw.length;
    this.latestAt = Math.max(this.latestAt, mail.receivedAt.getTime());
  }

  private forget(id: string): boolean {
    const mail = this.mails.get(id);
    if (mail === undefined) return false;
    this.bytes -= mail.raw.length;
    return this.mails.delete(id);
  }

  private async dropOldest(): Promise<void> {
    const dropped: string[] = [];
    for (const id of this.mails.keys()) {
      if (this.mails.size <= this.limits.maxMessages && this.bytes <= this.limits.maxBytes) break;
      this.forget(id);
      dropped.push(id);
    }
    // The new mail is kept already, so this must not fail it. A file that stays is dropped at the next start.
    await this.folder?.remove(dropped).catch(() => undefined);
  }

  private announce(change: MailChange): void {
    for (const listener of this.listeners) listener(change);
  }
}
