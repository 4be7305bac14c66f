/** Mail on loopback with a channel on it: an SMTP server that people read from, and mails of theirs that a server receives and checks. */
import { onTestFinished } from 'vitest';
import { parseAddress } from '../../../src/channels/email/addresses.js';
import { EmailChannel, type EmailChannelOptions } from '../../../src/channels/email/index.js';
import type { Acknowledged, ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { linesLogged } from '../slack/world.js';
import { type Mail, readMail } from './read.js';
import { type Arrival, received, type SenderDomain, signed } from './receiving-server.js';
import { SmtpServer } from './smtp-server.js';

export const mailSecret = 'a secret for reply addresses, long enough';
export const bearer = 'the-bearer-token-of-the-mail-server-long-enough';
export const mailServer = 'mx.shop.example';

/** What somebody finds in their mailbox. */
export interface FoundMail extends Mail {
  /** Where an answer goes. */
  readonly replyTo: string;
  /** Where it comes back to. */
  readonly returnPath: string;
  readonly raw: string;
  header(name: string): string | undefined;
}

/** How a mail is written. */
export interface WrittenMail {
  readonly from?: string;
  readonly to: string;
  readonly subject?: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The domain whose server signs it; false if nobody does. */
  readonly signedBy?: SenderDomain | false;
  readonly arrival?: Arrival;
}

/** A mail as the server that received it keeps it. */
export async function arrived({ from = 'Anna <anna@example.com>', ...written }: WrittenMail): Promise<string> {
  const { to, subject = 'Hello', text, headers = {}, signedBy = 'example.com', arrival } = written;
  const fields = {
    From: from,
    To: to,
    Subject: subject,
    Date: 'Tue, 17 Nov 2026 08:59:00 +0000',
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const raw = [...head, '', ...text.split('\n'), ''].join('\r\n');
  const sender = parseAddress(from)?.address ?? '';
  return received(signedBy === false ? raw : await signed(raw, signedBy), { mta: mailServer, sender, ...arrival });
}

/** The answer to a mail, as mail programs write it: above the quote, unless it says otherwise. */
export function answerTo(mail: FoundMail, text: string, more: Partial<WrittenMail> = {}): WrittenMail {
  const quote = mail.text.split('\n').map((line) => `> ${line}`);
  const sent = new Date(mail.header('date') ?? '').toUTCString().slice(0, 'Tue, 17 Nov 2026'.length);
  const references = [...mail.references, ...(mail.messageId === undefined ? [] : [mail.messageId])];
  return {
    to: mail.replyTo,
    subject: `Re: ${mail.subject}`,
    text: [text, '', `On ${sent} at 08:00, Refunds <refunds@shop.example> wrote:`, ...quote].join('\n'),
    ...more,
    headers: { 'In-Reply-To': mail.messageId ?? '', References: references.join(' '), ...more.headers },
  };
}

/** The mails that were handed to the server for an address. */
export async function mailsTo(smtp: SmtpServer, address: string): Promise<readonly FoundMail[]> {
  const mine = smtp.mails.filter(({ to }) => to.includes(address));
  return Promise.all(
    mine.map(async ({ raw, from }): Promise<FoundMail> => {
      const mail = await readMail(Buffer.from(raw, 'latin1'));
      const header = (name: string) => mail.headers.find((field) => field.name === name)?.value.trim();
      return { ...mail, raw, returnPath: from, header, replyTo: header('reply-to') ?? '' };
    }),
  );
}

/** A channel of mail that takes posted mails, on an SMTP server of its own. */
export async function mailChannel(options: Partial<EmailChannelOptions> = {}) {
  const smtp = await SmtpServer.begin();
  onTestFinished(() => smtp.stop());
  const { lines, logger } = linesLogged();
  const channel = new EmailChannel({
    from: 'Refunds <refunds@shop.example>',
    smtp: { host: '127.0.0.1', port: smtp.port, secure: false },
    secret: mailSecret,
    receive: { webhook: { bearer } },
    trust: { authservId: mailServer },
    logger,
    ...options,
  });
  /** Posts a mail to the channel as its server does. */
  const posts = async (raw: string): Promise<Response> => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'message/rfc822' };
    const request = new Request('https://shop.example/mail', { method: 'POST', headers, body: Buffer.from(raw) });
    return (await channel.fetch?.(request)) ?? new Response(null, { status: 404 });
  };
  const writes = async (mail: WrittenMail): Promise<Response> => posts(await arrived(mail));
  return { smtp, channel, lines, posts, writes };
}

const told = ({ status }: Response): Acknowledged => (status === 200 ? 'received' : 'refused');

/** One person who writes to the channel, for the channel contract. */
export async function mailDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { smtp, channel, posts } = await mailChannel({ clock });
  const toUs = 'refunds@shop.example';
  /** A mail that comes a second time is the same to the byte. */
  const mails = new Map<string, Promise<string>>();
  const delivers = async (id: string, mail: WrittenMail): Promise<Acknowledged> => {
    const headers = { 'Message-ID': `<${id}@example.com>`, ...mail.headers };
    const raw = mails.get(id) ?? arrived({ ...mail, headers });
    mails.set(id, raw);
    return told(await posts(await raw));
  };
  return {
    channel,
    participantId: 'mail:anna@example.com',
    address: 'anna@example.com',
    secrets: [mailSecret, bearer],
    says: ({ id, text }) => delivers(id, { to: toUs, text }),
    quotes: async ({ id, text }) => {
      const found = (await mailsTo(smtp, 'anna@example.com')).findLast(({ replyTo }) => replyTo !== toUs);
      if (found === undefined) throw new Error('Nobody was asked.');
      return delivers(id, answerTo(found, text));
    },
    poses: async ({ id, text }, participantId) => {
      const address = participantId.replace(/^mail:/, '');
      const headers = { Sender: address, 'X-Participant': participantId };
      return delivers(id, { from: `"${participantId}" <anna@example.com>`, to: toUs, text, headers });
    },
    garbage: async () => {
      const request = async (headers: Record<string, string>, body = 'From: a@example.com\r\n\r\nHello') =>
        channel.fetch?.(new Request('https://shop.example/mail', { method: 'POST', headers, body }));
      const type = { 'content-type': 'message/rfc822' };
      const wrong = [
        request(type),
        request({ ...type, authorization: `Bearer ${bearer}0` }),
        request({ 'content-type': 'application/json', authorization: `Bearer ${bearer}` }),
        request({ ...type, authorization: `Bearer ${bearer}` }, ''),
      ];
      return (await Promise.all(wrong)).map((response) => told(response ?? new Response(null, { status: 404 })));
    },
    fails: (isOn) => {
      smtp.faults = isOn ? (step) => (step === 'mail' ? { code: 451, text: 'Not now' } : undefined) : () => undefined;
    },
    seen: async () => {
      const mails = await mailsTo(smtp, 'anna@example.com');
      const shown = new Map(mails.map((mail) => [mail.messageId, mail])); // a mail program shows two of one id as one
      const whole = (text: string) => text.replace(/(?<!\n)\n(?!\n)/g, ' '); // lines are broken at blanks
      return [...shown.values()].map(({ text }) => ({ text: whole(text), controls: [] }));
    },
    wire: () => smtp.mails.map(({ raw }) => raw).join('\n'),
  };
}
