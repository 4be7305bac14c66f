/** The text of a mail costs time to read: that of an author who is not proved is not looked at. */
import { expect, test } from 'vitest';
import type { MailReader } from '../../../src/channels/email/incoming/mime.js';
import { MailReceiver } from '../../../src/channels/email/incoming/receiver.js';
import { ReplyAddresses } from '../../../src/channels/email/reply-address.js';
import type { Desk } from '../../../src/channels/port.js';
import { rawMail } from '../../support/mail/imap-server.js';
import { reader } from '../../support/mail/read.js';
import { mailSecret, mailServer } from '../../support/mail/world.js';
import { linesLogged } from '../../support/slack/world.js';

const from = { address: 'refunds@shop.example' };

/** Takes a mail whose author the server found to be `dmarc`, and returns whether its text was read. */
async function isRead(dmarc: 'pass' | 'fail'): Promise<boolean> {
  const receiver = new MailReceiver({
    name: 'email',
    from,
    replies: new ReplyAddresses({ base: from.address, secrets: [mailSecret], channel: 'email' }),
    trust: { authservId: mailServer },
    logger: linesLogged().logger,
    send: async () => undefined,
    drawn: () => ({ subject: '', texts: [] }),
    isStranger: () => undefined,
  });
  let reads = 0;
  const read = async () => {
    reads += 1;
    return { text: 'Hello', attachments: [], isMeetingReply: false };
  };
  const desk: Desk = { receive: async () => 'recorded' };
  const proof = `${mailServer}; dmarc=${dmarc} header.from=example.com`;
  const headers = { From: 'anna@example.com', To: from.address, 'Authentication-Results': proof };
  const raw = Buffer.from(rawMail(headers, '<div>'.repeat(180_000)));
  const head = (bytes: Uint8Array) => reader.head(bytes);
  const taken = await receiver.accept(desk, { head, read } as unknown as MailReader, raw, {
    id: 'm1',
    size: raw.length,
  });
  expect(taken).toBe('done');
  return reads > 0;
}

test('the text of a proved author is read, that of another author is not', async () => {
  expect(await isRead('pass')).toBe(true);
  expect(await isRead('fail')).toBe(false);
});
