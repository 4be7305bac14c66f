/**
 * The id under which a mail of a mailbox is recorded: the same for every process that reads it and for every time it is read, so that a
 * repeat does nothing. Nobody who writes a mail can make it that of somebody else's mail.
 */
import type { FetchMessageObject } from 'imapflow';
import { digest } from '../../../core/ids.js';
import { headerBlock, valuesOf } from '../incoming/header-fields.js';

/** Where a mail lies. */
export interface MailPlace {
  readonly user: string;
  readonly mailbox: string;
  /** UIDVALIDITY. */
  readonly validity: bigint;
}

const longestHeader = 256 * 1024;

/**
 * EMAILID, where the server has it (RFC 8474), stays when a mail is moved or the mailbox is rebuilt. So do the fields by which the servers
 * on its way have numbered it; a mail of another author never has the same id. A mail without them, which no server has received, goes by
 * UIDVALIDITY and UID; the arrival keeps it apart from one of the same numbers on a server that was set up anew. The whole text is no part
 * of an id: some servers write the parts of a mail anew for each reader.
 */
export function mailId(
  { emailId, uid, internalDate }: FetchMessageObject,
  raw: Uint8Array,
  { user, mailbox, validity }: MailPlace,
): string {
  if (emailId !== undefined && emailId !== '') return digest('mail by emailid', user, emailId);
  const { fields } = headerBlock(raw, longestHeader) ?? { fields: [] };
  const [received, messageId, from] = ['received', 'message-id', 'from'].map((name) => valuesOf(fields, name));
  if (received?.length !== 0 && messageId?.length !== 0)
    return digest('mail by received', user, mailbox, JSON.stringify([received, messageId, from]));
  const arrived = internalDate instanceof Date ? internalDate.toISOString() : String(internalDate);
  return digest('mail by uid', user, mailbox, String(validity), String(uid), arrived);
}
