import type { MailMessage } from 'nodemailer';

type Message = MailMessage['message'];

/** What nodemailer keeps of its connections and has no public names for: its issue 1462 asks for them. */
interface PoolInside {
  readonly _connections?: readonly {
    readonly queueEntry?: { readonly mail?: { readonly message?: unknown } } | false;
    readonly connection?: { readonly _supportedExtensions?: readonly string[] };
  }[];
}

/**
 * Keeps a message from a connection on which SMTPUTF8 was not offered in the answer to EHLO: `refused` is called, nothing
 * of the message is sent, and the connection stays in use. nodemailer leaves the keyword out there and sends the address
 * in UTF-8 all the same, which a relay may cut, change, or deliver to somebody else.
 *
 * Asked when a connection has been chosen and greeted, since a relay's name can stand for several machines. Where
 * nodemailer's inside is not as it was when this was written, nothing counts as offered.
 */
export function sendOnlyOverSmtpUtf8(pool: object, message: Message, refused: () => void): void {
  const envelopeOf = message.getEnvelope.bind(message);
  message.getEnvelope = () => {
    const envelope = envelopeOf();
    if (offersSmtpUtf8(pool, message)) return envelope;
    refused();
    // An envelope without a recipient fails before anything of it is sent.
    return { ...envelope, to: [] };
  };
}

function offersSmtpUtf8(pool: PoolInside, message: Message): boolean {
  const chosen = pool._connections?.find(({ queueEntry }) => queueEntry && queueEntry.mail?.message === message);
  return chosen?.connection?._supportedExtensions?.includes('SMTPUTF8') ?? false;
}
