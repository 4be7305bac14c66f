/** Sending by a real SMTP server on loopback: what arrives, what is refused for good and what is tried again, and what no error says. */
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { fc, test } from '@fast-check/vitest';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished } from 'vitest';
import { kindOf } from '../../../src/channels/email/incoming/kind.js';
import { Smtp, type SmtpMail, smtpOption } from '../../../src/channels/email/smtp.js';
import { AgentError } from '../../../src/core/errors.js';
import { readMail } from '../../support/mail/read.js';
import { type SmtpFailure, SmtpServer, type SmtpStep } from '../../support/mail/smtp-server.js';

const token = 'a'.repeat(48);
const secretText = 'Refund 48 EUR?';

let server: SmtpServer;
beforeAll(async () => {
  server = await SmtpServer.begin();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.faults = () => undefined;
  server.mails.length = 0;
});

function client(more: object = {}): Smtp {
  return new Smtp(smtpOption({ host: '127.0.0.1', port: server.port, secure: false, ...more }, 'smtp'));
}

let made = 0;
function mail(more: Partial<SmtpMail> = {}): SmtpMail {
  made += 1;
  return {
    from: { address: 'refunds@shop.example', name: 'Refunds' },
    to: 'anna@example.com',
    replyTo: `replies+${token}@shop.example`,
    envelopeFrom: `replies+${token}@shop.example`,
    date: new Date(0),
    subject: 'Refund?',
    text: secretText,
    html: `<p>${secretText}</p>`,
    messageId: `<${made}@shop.example>`,
    ...more,
  };
}

async function received() {
  const [sent] = await server.taken(1);
  return { ...(await readMail(Buffer.from(sent?.raw ?? '', 'latin1'))), envelope: { from: sent?.from, to: sent?.to } };
}

describe('a mail that is sent', () => {
  test('arrives with one author, one recipient, its reply address and its thread', async () => {
    const references = ['<a@x.example>', '<b@x.example>'];
    await client().send(mail({ inReplyTo: '<b@x.example>', references, subject: 'Größe – ok?' }));
    const { from, to, subject, text, headers, envelope, references: read } = await received();
    expect({ from, to, subject, text, read }).toEqual({
      from: [{ address: 'refunds@shop.example', name: 'Refunds' }],
      to: ['anna@example.com'],
      subject: 'Größe – ok?',
      text: secretText,
      read: references,
    });
    const replyTo = `replies+${token}@shop.example`;
    expect(headers).toContainEqual({ name: 'reply-to', value: replyTo });
    expect(envelope).toEqual({ from: replyTo, to: ['anna@example.com'] });
  });

  test('says that a machine sent it, is known as our own, and is no list', async () => {
    await client().send(mail());
    const read = await received();
    const value = (name: string) => read.headers.find((field) => field.name === name)?.value;
    expect([value('auto-submitted'), value('x-auto-response-suppress')]).toEqual(['auto-generated', 'All']);
    expect(kindOf(read, () => false)).toEqual({ kind: 'own', why: 'own-header' });
    expect(read.headers.filter(({ name }) => /^(?:list-|precedence|x-mailer)/.test(name))).toEqual([]);
  });

  test('is sent once if the same mail is given again while it is under way', async () => {
    const smtp = client();
    const one = mail();
    await Promise.all([smtp.send(one), smtp.send(one)]);
    expect(server.mails.length).toBe(1);
  });

  test('more mails than a server takes at once all arrive', async () => {
    const smtp = client();
    await Promise.all(Array.from({ length: 12 }, () => smtp.send(mail())));
    expect(server.mails.length).toBe(12);
  });

  test('closing waits for what is under way, and leaves nothing open', async () => {
    const smtp = client();
    const sent = smtp.send(mail());
    await smtp.close();
    expect(server.mails.length).toBe(1);
    await sent;
  });

  const hostile = fc.string({
    unit: fc.constantFrom('\r', '\n', '\0', ':', '<', '>', '"', ',', '=?', 'Bcc', 'é', ' ', 'x@y.z'),
  });
  test.prop([hostile, hostile, hostile], { numRuns: 8 })(
    'no subject, name or text adds a header field or a recipient',
    async (subject, name, text) => {
      server.mails.length = 0;
      await client().send(
        mail({
          subject: `a${subject}`,
          from: { address: 'refunds@shop.example', name },
          text,
          html: text,
        }),
      );
      const { headers, from, to, envelope } = await received();
      const names = headers.map((field) => field.name).toSorted();
      expect(names).toEqual([
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'reply-to',
        'subject',
        'to',
        'x-askback-message',
        'x-auto-response-suppress',
      ]);
      expect(from.map(({ address }) => address)).toEqual(['refunds@shop.example']);
      expect(to).toEqual(['anna@example.com']);
      expect(envelope.to).toEqual(['anna@example.com']);
    },
  );

  test.each(['anna@example.com, eve@evil.example', 'anna@example.com\r\nRCPT TO:<eve@evil.example>', '', 'anna'])(
    'is for one address: %j is refused',
    async (to) => {
      await expect(client().send(mail({ to }))).rejects.toMatchObject({ code: 'undeliverable' });
      expect(server.mails).toEqual([]);
    },
  );
});

async function failure(step: SmtpStep, fault: SmtpFailure, more: object = {}): Promise<Error> {
  server.faults = (at) => (at === step ? fault : undefined);
  return client(more)
    .send(mail())
    .then(
      () => expect.fail('it was sent'),
      (error: Error) => error,
    );
}

describe('a mail that is refused', () => {
  test.each<[SmtpStep, number, string]>([
    ['rcpt', 550, '5.1.1 no such user'],
    ['rcpt', 550, 'no such user'],
    ['rcpt', 553, '5.1.3 bad address'],
    ['data', 552, '5.3.4 too big'],
    ['data', 554, '5.6.0 content refused'],
  ])('at %s with %i %s is undeliverable', async (step, code, text) => {
    const error = await failure(step, { code, text });
    expect(error).toMatchObject({ code: 'undeliverable', message: expect.stringContaining(`${code}`) });
  });

  test.each<[SmtpStep, SmtpFailure, RegExp]>([
    ['rcpt', { code: 450, text: '4.2.1 try later' }, /450 4\.2\.1.*another try later/],
    ['rcpt', { code: 554, text: '5.7.1 relay access denied' }, /554 5\.7\.1.*SPF, DKIM and DMARC/],
    [
      'mail',
      { code: 550, text: 'sender refused' },
      /refused our own address\. Check that the account may send as refunds@shop\.example, with a return address at shop\.example\.$/,
    ],
    ['mail', { code: 530, text: '5.7.0 authentication required' }, /smtp\.auth/],
    ['data', { code: 451, text: '4.3.0 later' }, /another try later/],
    ['data', { code: 550, text: '5.7.26 unauthenticated sender' }, /SPF, DKIM and DMARC/],
    ['data', { code: 554, text: '5.7.1 refused by policy' }, /SPF, DKIM and DMARC/],
    ['connect', { code: 421, text: 'busy' }, /could not be sent/],
    ['rcpt', 'close', /could not be sent/],
    ['data', 'taken then close', /could not be sent/],
  ])('at %s with %j is tried again', async (step, fault, message) => {
    const error = await failure(step, fault);
    expect(error).not.toBeInstanceOf(AgentError);
    expect(error.message).toMatch(message);
  });

  test('a server that says nothing is given up after the time limit', async () => {
    const error = await failure('rcpt', 'hang', { timeout: 300 });
    expect(error.message).toMatch(/ETIMEDOUT.*did not answer in time/);
  });

  test('a server that is not there is told by its word', async () => {
    const port = await unusedPort();
    await expect(client({ port }).send(mail())).rejects.toThrow(/ECONNREFUSED.*could not be reached/);
  });

  test('no error has the text of the mail, the reply address or the words of the server', async () => {
    const words = `<replies+${token}@shop.example> ${secretText} hunter2`;
    for (const [step, code] of [
      ['rcpt', 550],
      ['mail', 550],
      ['data', 554],
      ['rcpt', 450],
    ] as const) {
      const error = await failure(step, { code, text: words });
      const all = `${error.message} ${JSON.stringify(error)} ${String(error.cause)}`;
      expect(all).not.toMatch(new RegExp(`${token}|Refund 48|hunter2|anna@`));
    }
  });
});

describe('the log-in', () => {
  test('a wrong password is a fault of the set-up: tried again, told clearly, never quoted', async () => {
    const own = await SmtpServer.begin({ auth: { user: 'shop', pass: 'right-one' } });
    onTestFinished(() => own.stop());
    const wrong = client({ port: own.port, auth: { user: 'shop', pass: 'wrong-one' } });
    const error = await wrong.send(mail()).catch((thrown: Error) => thrown);
    expect(error).not.toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ message: expect.stringMatching(/535.*Check smtp\.auth/) });
    expect(String((error as Error).stack)).not.toContain('wrong-one');
    await client({ port: own.port, auth: { user: 'shop', pass: 'right-one' } }).send(mail());
    expect(own.mails.length).toBe(1);
  });

  test('an access token that cannot be had names no secret', async () => {
    const accessToken = () => Promise.reject(new Error('secret-refresh-token is not valid'));
    const sending = client({ auth: { user: 'shop', accessToken } }).send(mail());
    await expect(sending).rejects.toThrow(/EOAUTH2.*Check smtp\.auth/);
    await expect(sending).rejects.not.toThrow(/secret-refresh-token/);
  });
});

describe('TLS', () => {
  test('a server without STARTTLS is sent nothing, unless encryption is switched off', async () => {
    const error = await client({ secure: 'starttls' })
      .send(mail())
      .catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(/No encrypted connection/) });
    expect(server.mails).toEqual([]);
  });
});

describe('the option smtp', () => {
  const checked = (value: unknown) => smtpOption(value, 'EmailChannel: smtp');

  test('a URL says how to connect', () => {
    expect(checked('smtps://us%40er:p%2Fw@smtp.example.com')).toMatchObject({
      host: 'smtp.example.com',
      port: 465,
      secure: true,
      auth: { user: 'us@er', pass: 'p/w' },
    });
    expect(checked('smtp://smtp.example.com')).toMatchObject({ port: 587, secure: 'starttls' });
    expect(checked({ host: 'x', port: 465 })).toMatchObject({ secure: true });
  });

  test.each([
    ['http://smtp.example.com', /smtps:\/\/ or smtp:\/\//],
    ['smtp://user:hunter2@smtp.example.com/x?y=1', /as an object/],
    ['smtp://hunter2@smtp.example.com', /both a user and a password/],
    [{ host: 'mail.example.com', secure: false, auth: { user: 'u', pass: 'hunter2' } }, /without encryption/],
    [{ host: 'x', auth: { user: 'u', pass: 'hunter2', accessToken: () => 'x' } }, /either pass or accessToken/],
    [{ host: 'x', tls: false }, /tls/],
    [{ sendMail: 'no' }, /sendMail must be a function/],
    [7, /a URL, the options of a server, or a transport/],
    [
      '',
      /smtp must be a URL, .*got an empty string\. If it comes from an environment variable, that one may not be set\./,
    ],
    [
      { host: 'x', auth: { user: 'u', pass: '' } },
      /smtp\.auth\.pass must be .*an empty string\. If it comes from an environ/,
    ],
    [{ host: 'x', port: '587' }, /smtp\.port must be a whole number from 1 to 65535, got "587"\. Give the number: 587/],
  ])('%j is refused without quoting a password', (value, message) => {
    expect(() => checked(value)).toThrow(message);
    expect(() => checked(value)).not.toThrow(/hunter2/);
  });

  test('a ready transport is used as it is', async () => {
    const sent: object[] = [];
    const transport = { sendMail: async (given: object) => void sent.push(given) };
    await new Smtp(checked(transport)).send(mail());
    expect(sent).toMatchObject([{ subject: 'Refund?', to: { address: 'anna@example.com' } }]);
  });
});

async function unusedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
