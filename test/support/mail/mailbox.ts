/** A mailbox that is read by IMAP, for tests: what it hands on is written down. */
import { expect, onTestFinished } from 'vitest';
import { type ImapOptions, imapOption } from '../../../src/channels/email/connection/options.js';
import { type ArrivedMail, Mailbox } from '../../../src/channels/email/imap/mailbox.js';
import { type Clock, systemClock } from '../../../src/machine/clock.js';
import type { FakeClock } from '../../../src/testing/index.js';
import { patience } from '../processes.js';
import { linesLogged } from '../slack/world.js';
import { ImapServer, type ImapServerOptions, rawMail } from './imap-server.js';

/** A mail that was handed on. */
export interface HandedOn extends ArrivedMail {
  readonly raw: string;
}

/** How the mailbox is read. */
export interface ReadingOptions extends Partial<ImapOptions> {
  readonly clock?: Clock;
  /** Called before a mail counts as recorded; may throw or wait. */
  readonly before?: (mail: HandedOn) => void | Promise<void>;
}

/** Reads the mailbox of the server at that port, until the test is over. */
export async function readMailbox(port: number, { clock = systemClock, before, ...imap }: ReadingOptions = {}) {
  const mails: HandedOn[] = [];
  const { lines, logger } = linesLogged();
  const auth = { user: 'testuser', pass: 'testpass' };
  const options = imapOption({ host: '127.0.0.1', port, secure: false, auth, ...imap }, 'imap');
  const accept = async (raw: Uint8Array, about: ArrivedMail) => {
    const mail = { ...about, raw: Buffer.from(raw).toString('latin1') };
    await before?.(mail);
    mails.push(mail);
    return 'done' as const;
  };
  const mailbox = new Mailbox(options, { name: 'mail', clock, logger, accept });
  onTestFinished(() => mailbox.stop());
  await mailbox.start();
  return { mails, lines, mailbox };
}

/** Waits until it holds, and fails if it does not in time. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  await expect.poll(holds, { timeout: patience, interval: 10, message: what }).toBe(true);
}

/** What a recorded mail is marked with. */
export const keyword = '$AskbackDone';

/** An IMAP server until the test is over. */
export async function imapServer(options: ImapServerOptions = {}): Promise<ImapServer> {
  const server = await ImapServer.begin(options);
  onTestFinished(() => server.stop());
  return server;
}

/** Lets the fake time go on, a second at a time, until it holds: what happens over the socket takes real time. */
export async function advanceUntil(clock: FakeClock, holds: () => boolean, what: string): Promise<void> {
  await until(() => {
    if (holds()) return true;
    void clock.advance(1_000);
    return false;
  }, what);
}

/** A mail with that number. */
export function said(count: number): string {
  return rawMail({ 'Message-ID': `<${count}@example.com>` }, `Number ${count}`);
}

/** The numbers of mails. */
export const numbersIn = (mails: readonly { readonly raw: string }[]) =>
  mails.map(({ raw }) => Number(/Number (\d+)/.exec(raw)?.[1]));
