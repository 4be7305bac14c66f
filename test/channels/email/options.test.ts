/** Mistakes in the options of a mail channel: each is told by the name of the option, and no error has a password, a token or a secret. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { EmailChannel, type EmailChannelOptions } from '../../../src/channels/email/index.js';
import { AgentRegistry, agent, confirm } from '../../../src/index.js';
import { mailSecret } from '../../support/mail/world.js';
import { linesLogged } from '../../support/slack/world.js';

const imap = { host: 'imap.shop.example', auth: { user: 'replies', pass: 'right' } };
const base = {
  from: 'Refunds <refunds@shop.example>',
  smtp: 'smtps://user:password@smtp.shop.example',
  secret: mailSecret,
  receive: { imap },
  trust: { authservId: 'mx.shop.example' },
};
/** With options as somebody without a compiler may give them. */
const made = (more: object) => () => new EmailChannel({ ...base, ...more } as unknown as EmailChannelOptions);
const withImap = (more: object) => made({ receive: { imap: { ...imap, ...more } } });

const secret = 'hunter2-hunter2';

test.each<[string, object, RegExp]>([
  ['a URL for receive', { receive: `imaps://u:${secret}@h` }, /receive must be an object.*got a string/],
  ['a URL for a mailbox', { receive: { imap: `imaps://u:${secret}@h` } }, /receive\.imap must be.*got a string/],
  ['a string for who logs in', { receive: { imap: { ...imap, auth: `u:${secret}` } } }, /imap\.auth must be/],
  [
    'a token that is no function',
    { receive: { imap: { ...imap, auth: { user: 'u', accessToken: secret } } } },
    /a funct/,
  ],
  [
    'a URL for a host',
    { receive: { imap: { ...imap, host: `imaps://u:${secret}@h` } } },
    /imap\.host must be the name/,
  ],
  ['a secret for a webhook', { receive: { webhook: secret } }, /receive\.webhook must be an object/],
  ['a string for who logs in to send', { smtp: { host: 'h', auth: `u:${secret}` } }, /smtp\.auth must be/],
  [
    'a token that is no function to send',
    { smtp: { host: 'h', auth: { user: 'u', accessToken: secret } } },
    /a function/,
  ],
  ['a URL for a host to send', { smtp: { host: `smtps://u:${secret}@h` } }, /smtp\.host must be the name/],
  ['a number for a password', { smtp: { host: 'h', auth: { user: 'u', pass: 123_456_789 } } }, /a non-empty string/],
  ['a URL with a # in the password', { smtp: `smtps://u:${secret}#1@h` }, /encodeURIComponent/],
  ['a URL with a / in the password', { smtp: `smtps://u:${secret}/1@h:465` }, /encodeURIComponent/],
  ['a URL with a password of digits and a /', { smtp: `smtps://u:123456789/1@h:465` }, /encodeURIComponent/],
  ['a URL with a % in the password', { smtp: `smtps://u:${secret}%@h` }, /encodeURIComponent/],
])('%s: the error says what was expected and does not quote it', (_, more, message) => {
  expect(made(more)).toThrow(message);
  expect(made(more)).not.toThrow(/hunter2|123456789/);
});

describe('a mailbox without encryption', () => {
  test('on another machine is refused, as a server to send by is: the password would be sent as it is', () => {
    expect(withImap({ secure: false })).toThrow(/imap: without encryption the password would be sent to imap\.shop/);
  });

  test.each(['localhost', '127.0.0.1', '::1', '[::1]'])('on this machine is allowed: %s', (host) => {
    expect(withImap({ secure: false, host })).not.toThrow();
  });
});

test.each(['mail.example.com:587', 'smtps://mail.example.com', 'user@mail.example.com', 'mail.example.com/', 'a b'])(
  'a host is a name and nothing else: %j is refused',
  (host) => {
    expect(made({ smtp: { host } })).toThrow(/smtp\.host must be the name of a server.*Give the port as port/);
    expect(withImap({ host })).toThrow(/imap\.host must be the name of a server/);
  },
);

test('the path of a certificate is no certificate', () => {
  expect(withImap({ ca: '/etc/ssl/ca.pem' })).toThrow(/imap\.ca must be certificates as PEM.*readFileSync/);
  expect(made({ smtp: { host: 'h', ca: '/etc/ssl/ca.pem' } })).toThrow(/smtp\.ca must be certificates as PEM/);
});

test.each([60, 604_800, 2_592_000])('an age of %i is one in seconds, and is refused', (maxAge) => {
  expect(withImap({ maxAge })).toThrow(/imap\.maxAge must be a number of milliseconds, at least 3600000 \(an hour\)/);
});

test.each<[string, unknown, RegExp]>([
  ['another spelling', { authServId: 'mx.example.com' }, /trust\.authServId is unknown\. Did you mean authservId\?/],
  ['white space', { authservId: ' mx.example.com ' }, /trust\.authservId must be a name.*got " mx\.example\.com "/],
  ['a whole field', { authservId: 'mx.example.com; dmarc=pass' }, /trust\.authservId must be a name/],
  ['a list', ['mx.example.com'], /trust must be an object such as.*got a list/],
  ['a name alone', 'mx.example.com', /trust must be an object such as.*got "mx\.example\.com"/],
  ['nothing in it', {}, /trust must be either.*got neither/],
  ['both', { authservId: 'mx.example.com', microsoft: true }, /trust must be either.*got both/],
  ['no', { microsoft: false }, /trust\.microsoft must be true, or left out, got false/],
])('trust with %s is refused with what was expected and what came', (_, trust, message) => {
  expect(made({ trust })).toThrow(message);
});

test.each<[string, object, RegExp]>([
  ['host', { host: '' }, /imap\.host must be the name of a server/],
  ['user', { auth: { user: '', pass: 'x' } }, /imap\.auth\.user must be/],
  ['password', { auth: { user: 'u', pass: '' } }, /imap\.auth\.pass must be a non-empty string/],
])('an empty %s may be an environment variable that is not set', (_, more, message) => {
  expect(withImap(more)).toThrow(message);
  expect(withImap(more)).toThrow(
    /got an empty string\. If it comes from an environment variable, that one may not be set/,
  );
});

test('an empty secret may be an environment variable that is not set', () => {
  expect(made({ secret: '' })).toThrow(
    /secret must be .*got an empty string\. If it comes from an environment variable/,
  );
});

test('a secret that is too short is told so without quoting it', () => {
  expect(made({ secret: 'hunter2' })).toThrow(/EmailChannel: secret must be a string of at least 32 characters/);
  expect(made({ secret: 'hunter2' })).not.toThrow(/hunter2/);
});

test('a port that is a string is told with what it must be', () => {
  expect(withImap({ port: '993' })).toThrow(
    /imap\.port must be a whole number from 1 to 65535, got "993"\. Give the number: 993, not a string/,
  );
  expect(withImap({ port: 'imaps' })).toThrow(/imap\.port must be a whole number from 1 to 65535, got "imaps"/);
});

test.each([
  ['Acme, Inc <refunds@shop.example>', 'is put in quotes: "Acme, Inc" <refunds@shop.example>'],
  ['Acme (Refunds); <refunds@shop.example>', 'is put in quotes: "Acme (Refunds);" <refunds@shop.example>'],
  ['Acme <refunds>', 'one mail address such as'],
])('an address of which the name must be quoted is told so: %s', (from, message) => {
  expect(made({ from })).toThrow(message);
  expect(made({ from })).toThrow(`got ${JSON.stringify(from)}`);
});

test('a mail goes to an address, or to the id of a participant', () => {
  const email = new EmailChannel(base as EmailChannelOptions);
  for (const to of ['anna@example.com', 'Anna@Example.com', 'Anna <anna@example.com>', 'mail:anna@example.com'])
    expect([email.addressFor(to), email.participantAt(to)]).toEqual(['anna@example.com', 'mail:anna@example.com']);
  for (const to of ['email:anna@example.com', 'mail:Anna@example.com', 'mail: anna@example.com', 'mail:', 'anna'])
    expect(() => email.addressFor(to)).toThrow(/to must be a mail address such as .*or the id of a participant/);
});

/** What a registry warns of at its start where a question may be answered by these. */
async function warnedOf(answerableBy: readonly string[]): Promise<readonly string[]> {
  const { lines, logger } = linesLogged();
  const refunds = agent('refunds');
  refunds.question('sure', confirm('Refund?'), { answerableBy, mail: 'decide', onAnswer: () => 'Done.' });
  const email = new EmailChannel({
    ...base,
    receive: { webhook: { bearer: 'a-bearer-token-of-32-characters-0' } },
    logger,
  });
  const registry = new AgentRegistry({ agents: [refunds], channels: [email], logger });
  onTestFinished(() => registry.stop());
  await registry.start();
  return lines.filter((line) => line.startsWith('answerableBy names an id'));
}

test('an id in answerableBy without mail: is warned of, with the form of an id', async () => {
  const [warned, ...more] = await warnedOf(['anna@example.com', 'mail:ben@example.com']);
  expect(more).toEqual([]);
  expect(warned).toMatch(/^answerableBy names an id without a realm/);
  expect(warned).toContain('"id":"anna@example.com","forms":["mail:anna@example.com"]');
});

test('an id in answerableBy that is almost one of mail is warned of, with the form of an id', async () => {
  const wrong = ['email:anna@example.com', 'mail:Anna@example.com', 'mail: anna@example.com', ' Mail:anna@example.com'];
  expect(await warnedOf([...wrong, 'mail:ben@example.com', 'web:4711', 'staff:email:ben'])).toEqual(
    wrong.map((id) => expect.stringContaining(`"id":${JSON.stringify(id)},"forms":["mail:`)),
  );
});

describe('a long address in from', () => {
  const from = 'customer-support-emea@shop.example';

  test('is told to need replyTo where replies are received', () => {
    expect(made({ from })).toThrow(/replyTo, which is the address of from.*at most 15 bytes before the @/);
    expect(made({ from, replyTo: 'replies@shop.example' })).not.toThrow();
  });

  test('is fine where nothing is received', () => {
    expect(made({ from, receive: undefined, trust: undefined })).not.toThrow();
  });
});
