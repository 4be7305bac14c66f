/** A mail server that cannot be reached or refuses us: every line names the server and what to check, and none repeats what it said. */
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type CheckedImap, imapOption } from '../../../src/channels/email/connection/options.js';
import { smtpFailure, troubleOf } from '../../../src/channels/email/connection/trouble.js';
import { readMailbox, until } from '../../support/mail/mailbox.js';

const auth = { user: 'u', pass: 'p' };
const mailbox = (more: object = {}): CheckedImap => imapOption({ host: 'imap.shop.example', auth, ...more }, 'imap');
const failed = (word: string) => Object.assign(new Error('x'), { code: word });

const sent = { from: 'refunds@shop.example', to: 'anna@example.com', envelopeFrom: 'x@reply.shop.example' };

/** What the log says of sending and of reading after the same failure. */
function lines(word: string, secure: boolean | 'starttls', ports: { readonly smtp: number; readonly imap: number }) {
  const server = { option: 'smtp', host: 'smtp.shop.example', port: ports.smtp, secure } as const;
  return {
    smtp: smtpFailure(Object.assign(failed('ESOCKET'), { originalCode: word }), sent, server).message,
    imap: troubleOf(failed(word), mailbox({ port: ports.imap, secure })).advice,
  };
}

const usual = { smtp: 465, imap: 993 };

test.each<[string, boolean | 'starttls', RegExp]>([
  ['ENOTFOUND', true, /No server of that name was found\. Check (?:smtp|imap)\.host\.$/],
  ['ECONNREFUSED', true, /nothing listens at that port\. Check (?:smtp|imap)\.host and/],
  ['ETIMEDOUT', true, /did not answer in time\. Check (?:smtp|imap)\.host, (?:smtp|imap)\.port and the firewall\.$/],
  ['ETIMEDOUT', 'starttls', /begins with TLS, as one at this port does, is silent until (?:smtp|imap)\.secure is true/],
  ['GREETING_TIMEOUT', 'starttls', /is silent until (?:smtp|imap)\.secure is true/],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    true,
    /No encrypted.*usual are port (?:465|993) with true, and port (?:587|143) with 'starttls'/,
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', true, /Nobody vouches for.*give (?:smtp|imap)\.ca\.$/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', true, /not valid for it.*Check (?:smtp|imap)\.host/],
])('after %s with secure: %j both say what to check', (word, secure, advice) => {
  const { smtp, imap } = lines(word, secure, usual);
  expect(smtp).toMatch(/^A mail could not be sent by smtp\.shop\.example:465: /);
  expect(imap).toMatch(/^imap\.shop\.example:993: /);
  for (const line of [smtp, imap]) {
    expect(line).toMatch(advice);
    expect(line).not.toContain('..');
  }
});

test('a mailbox whose server repeats the password in its refusal: the log names the server and no word of it', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('* OK [CAPABILITY IMAP4rev1] ready\r\n');
    socket.on('data', (data) => {
      const [tag = '*', command = ''] = data.toString().split(' ');
      const isLogin = /^(?:login|authenticate)/i.test(command);
      socket.write(
        isLogin
          ? `${tag} NO [AUTHENTICATIONFAILED] wrong password hunter2 for testuser.\r\n`
          : `* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const { lines, mailbox: reading } = await readMailbox(port, { auth: { user: 'testuser', pass: 'hunter2' } });
  await until(() => lines.length === 1, 'it is logged');
  await reading.stop();
  expect(lines[0]).toContain(`127.0.0.1:${port}: authentication-failed (AUTHENTICATIONFAILED). The server refused`);
  expect(lines[0]).toContain('Check imap.auth');
  expect(lines.join('\n')).not.toContain('hunter2');
});

test('a word in the place of a response code is not repeated', () => {
  const error = Object.assign(new Error('x'), { authenticationFailed: true, serverResponseCode: 'HUNTER2' });
  expect(troubleOf(error, mailbox()).advice).not.toContain('HUNTER2');
});
