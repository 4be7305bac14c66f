/** A mailbox that is read by IMAP, for tests: what it hands on is written down. */
import { expect, onTestFinished } from 'vitest';
import { type ArrivedMail, Mailbox } from '../../../src/channels/email/imap/mailbox.js';
import { type ImapOptions, imapOption } from '../../../src/channels/email/imap/options.js';
import { type Clock, systemClock } from '../../../src/machine/clock.js';
import { patience } from '../processes.js';
import { linesLogged } from '../slack/world.js';

/** A mail that was handed on. */
export interface HandedOn extends ArrivedMail {
  readonly raw: string;
}

/** How the mailbox is read. */
export interface ReadingOptions extends Partial<ImapOptions> {
  readonly clock?: Clock;
  readonly longestRead?: number;
  /** Called before a mail counts as recorded; may throw or wait. */
  readonly before?: (mail: HandedOn) => void | Promise<void>;
}

/** Reads the mailbox of the server at that port, until the test is over. */
export async function readMailbox(
  port: number,
  { clock = systemClock, longestRead = 1024 * 1024, before, ...imap }: ReadingOptions = {},
) {
  const mails: HandedOn[] = [];
  const { lines, logger } = linesLogged();
  const auth = { user: 'testuser', pass: 'testpass' };
  const options = imapOption({ host: '127.0.0.1', port, secure: false, auth, ...imap }, 'imap');
  const accept = async (raw: Uint8Array, about: ArrivedMail) => {
    const mail = { ...about, raw: Buffer.from(raw).toString('latin1') };
    await before?.(mail);
    mails.push(mail);
  };
  const mailbox = new Mailbox(options, { name: 'mail', clock, logger, longestRead, accept });
  onTestFinished(() => mailbox.stop());
  await mailbox.start();
  return { mails, lines, mailbox };
}

/** Waits until it holds, and fails if it does not in time. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  await expect.poll(holds, { timeout: patience, interval: 10, message: what }).toBe(true);
}
