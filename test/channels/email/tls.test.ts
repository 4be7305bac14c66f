/** Encrypted connections to the servers on both sides: nothing is said to a server that nobody vouches for, and the log says what to do. */
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Smtp, type SmtpMail, smtpOption } from '../../../src/channels/email/smtp.js';
import { imapServer, numbersIn, readMailbox, said, until } from '../../support/mail/mailbox.js';
import { certificate, SmtpServer } from '../../support/mail/smtp-server.js';

const ca = readFileSync(certificate, 'utf8');
const host = 'localhost';
const servers = [
  [true, { tls: true }],
  ['starttls', { plugins: ['STARTTLS', 'IDLE', 'UIDPLUS'] }],
] as const;

describe('a mailbox', () => {
  test.each(servers)('secure: %j reads from a server whose certificate is trusted', async (secure, options) => {
    const server = await imapServer(options);
    server.deliver(said(1));
    const { mails, lines } = await readMailbox(server.port, { host, secure, ca });
    await until(() => mails.length === 1, 'the mail is handed on');
    await until(() => server.commands.includes('IDLE'), 'everything is read');
    server.deliver(said(2));
    await until(() => mails.length === 2, 'the mail that came later is handed on');
    expect(numbersIn(mails)).toEqual([1, 2]);
    expect(server.encryptedLogIns).toEqual([true]);
    expect(lines).toEqual([]);
  });

  test.each(servers)('secure: %j gives no password to a server that nobody vouches for', async (secure, options) => {
    const server = await imapServer(options);
    const { lines } = await readMailbox(server.port, { host, secure });
    await until(() => lines.length > 0, 'it is told');
    expect(lines[0]).toMatch(/could not be read.*Nobody vouches for.*give imap\.ca.*SELF_SIGNED/);
    expect(server.encryptedLogIns).toEqual([]);
  });

  test('secure: "starttls" gives no password to a server that has no STARTTLS', async () => {
    const server = await imapServer();
    const { lines } = await readMailbox(server.port, { host, secure: 'starttls', ca });
    await until(() => lines.length > 0, 'it is told');
    expect(lines[0]).toMatch(/could not be read.*No encrypted.*imap\.port and imap\.secure.*no-encryption/);
    expect(server.encryptedLogIns).toEqual([]);
  });

  test('secure: true says what is wrong with a port that speaks no TLS', async () => {
    const server = await imapServer();
    const { lines } = await readMailbox(server.port, { host, secure: true, ca });
    await until(() => lines.length > 0, 'it is told');
    expect(lines[0]).toMatch(/could not be read.*No encrypted.*imap\.port and imap\.secure.*ERR_SSL/);
  });
});

describe('the server that mail is handed to', () => {
  const mail = (count: number): SmtpMail => ({
    from: { address: 'refunds@shop.example' },
    to: 'anna@example.com',
    envelopeFrom: 'refunds@shop.example',
    date: new Date(0),
    subject: 'Refund?',
    text: 'Refund it?',
    html: '<p>Refund it?</p>',
    messageId: `<${count}@shop.example>`,
  });
  const sent = async (port: number, secure: boolean | 'starttls', more: object = {}) =>
    new Smtp(smtpOption({ host, port, secure, ...more }, 'smtp')).send(mail(1));

  test.each([true, 'starttls'] as const)('secure: %j sends nothing where nobody vouches for it', async (tls) => {
    const server = await SmtpServer.begin({ tls });
    onTestFinished(() => server.stop());
    await expect(sent(server.port, tls)).rejects.toThrow(/SELF_SIGNED.*Nobody vouches for.*give smtp\.ca/);
    expect(server.mails).toEqual([]);
    await sent(server.port, tls, { ca });
    expect(server.mails).toHaveLength(1);
  });

  test('an access token logs in, and a wrong one is told without quoting it', async () => {
    const server = await SmtpServer.begin({ tls: true, auth: { user: 'shop', pass: 'the-token' } });
    onTestFinished(() => server.stop());
    const tokens = ['an-old-token', 'the-token'];
    const auth = { user: 'shop', accessToken: async () => tokens.shift() ?? '' };
    const first = sent(server.port, true, { ca, auth });
    await expect(first).rejects.toThrow(/Check smtp\.auth/);
    await expect(first).rejects.not.toThrow(/token\b(?<!accessToken)/);
    await sent(server.port, true, { ca, auth });
    expect(server.mails).toHaveLength(1);
  });
});
