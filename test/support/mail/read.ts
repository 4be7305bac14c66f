/** Mails read as a whole: the header, and what stands below it. */

import type { SentMail } from '../../../src/channels/email/incoming/attribution.js';
import { type MailBody, type MailHead, MailReader } from '../../../src/channels/email/incoming/mime.js';
import { newText } from '../../../src/channels/email/incoming/new-text.js';

export type Mail = MailHead & MailBody;

export const reader = await MailReader.load();

export async function readMail(raw: Uint8Array, { size = raw.length } = {}): Promise<Mail> {
  return { ...reader.head(raw, size), ...(await reader.read(raw, size)) };
}

/** The shop that asks in tests, and Anna, whom it asks. */
export const people = {
  author: { address: 'anna@example.com', name: 'Anna Smith' },
  ourName: 'The shop',
  isOurs: (address: string) => /^replies(?:\+[a-z2-7]+)?@shop\.example\.com$/.test(address),
};

/** What Anna wrote now, in a mail with this text. */
export function written(text: string, sent: readonly SentMail[] = []): string {
  return newText(text, { sent, ...people });
}
