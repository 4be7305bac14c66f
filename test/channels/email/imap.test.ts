/** The mailbox that is read by IMAP: every mail is handed on, once it is recorded it is marked, and no failure loses one. */
import { expect, onTestFinished, test } from 'vitest';
import { imapOption } from '../../../src/channels/email/connection/options.js';
import { MailboxProgress } from '../../../src/channels/email/imap/progress.js';
import { longestRead } from '../../../src/channels/email/incoming/mime.js';
import { FakeClock } from '../../../src/testing/index.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { ImapServer, rawMail } from '../../support/mail/imap-server.js';
import { advanceUntil, imapServer, keyword, numbersIn, readMailbox, said, until } from '../../support/mail/mailbox.js';

test('what is there and what comes later is handed on in the order of arrival, and marked; \\Seen stays as it is', async () => {
  const server = await imapServer();
  server.deliver(said(1));
  server.deliver(said(2));
  const { mails } = await readMailbox(server.port);
  await until(() => server.commands.includes('IDLE'), 'everything is read');
  server.deliver(said(3));
  await until(() => server.flagged(keyword).length === 3, 'three mails are marked');
  expect(numbersIn(mails)).toEqual([1, 2, 3]);
  expect(server.mails().flatMap(({ flags }) => flags)).toEqual([keyword, keyword, keyword]);
  expect(mails[0]).toMatchObject({ size: server.mails()[0]?.raw.length, raw: server.mails()[0]?.raw });
});

test('a mail that somebody else has read already is handed on, and one that is older than maxAge is not', async () => {
  const server = await imapServer();
  const week = 7 * 24 * 60 * 60_000;
  server.deliver(said(1), { date: new Date(Date.now() - 2 * week) });
  server.deliver(said(2), { date: new Date(Date.now() - week + 60_000), flags: ['\\Seen', '\\Answered'] });
  const { mails } = await readMailbox(server.port);
  await until(() => server.commands.includes('IDLE'), 'everything is read');
  expect(numbersIn(mails)).toEqual([2]);
});

test('at most the first bytes of a long mail are read, and its size is told', async () => {
  const server = await imapServer();
  server.deliver(rawMail({}, 'x'.repeat(longestRead)));
  const { mails } = await readMailbox(server.port);
  await until(() => mails.length === 1, 'the mail is handed on');
  expect(mails[0]?.raw).toHaveLength(longestRead);
  expect(mails[0]?.size).toBe(server.mails()[0]?.raw.length);
});

test('a mail that came while the server could not be reached is found after it, once', async () => {
  const server = await imapServer();
  const proxy = await FaultProxy.begin(server.port, { isRedis: false });
  onTestFinished(() => proxy.close());
  const clock = new FakeClock(Date.now());
  server.deliver(said(1));
  const { mails, lines } = await readMailbox(proxy.port, { clock });
  await until(() => server.commands.includes('IDLE'), 'everything is read');
  proxy.down();
  server.deliver(said(2));
  await advanceUntil(clock, () => proxy.accepted >= 4, 'it was tried again and again');
  proxy.heal();
  const isReadAgain = () => lines.at(-1)?.includes('The mailbox is read again') === true; // said once the server has marked the last one
  await advanceUntil(clock, isReadAgain, 'it is told that the mailbox is read again');
  expect(server.flagged(keyword)).toHaveLength(2);
  expect(numbersIn(mails)).toEqual([1, 2]);
  expect(lines.filter((line) => line.includes('could not be read'))).toHaveLength(1);
});

test('a server that is not there when the mailbox starts is no error of start, and is told once', async () => {
  const clock = new FakeClock(Date.now());
  const gone = await ImapServer.begin();
  const { port } = gone;
  await gone.stop();
  const { mails, lines } = await readMailbox(port, { clock });
  await advanceUntil(clock, () => clock.elapsed() > 10_000, 'it was tried several times');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('ECONNREFUSED');
  const server = await imapServer({ port });
  server.deliver(said(1));
  await advanceUntil(clock, () => mails.length === 1, 'the mail is handed on');
});

test('an access token is asked for at every connection', async () => {
  const server = await imapServer({ plugins: ['SASL-IR', 'XOAUTH2', 'IDLE'] });
  const clock = new FakeClock(Date.now());
  const tokens = ['', 'testtoken'];
  const accessToken = () => tokens.shift() ?? 'testtoken';
  const { mails, lines } = await readMailbox(server.port, { clock, auth: { user: 'testuser', accessToken } });
  server.deliver(said(1));
  await advanceUntil(clock, () => mails.length === 1, 'the mail is handed on');
  expect(lines[0]).toContain('imap.auth.accessToken must give a non-empty string');
});

test('two that read one mailbox give a mail the same id; mails that share a Message-ID have different ones', async () => {
  const server = await imapServer();
  server.deliver(said(1));
  server.deliver(said(1));
  let waiting = 0;
  let open = () => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const before = async () => {
    waiting += 1;
    if (waiting === 2) open(); // each has fetched its first mail, and nothing is marked
    await both;
  };
  const one = await readMailbox(server.port, { before });
  const other = await readMailbox(server.port, { before });
  await until(() => one.mails.length + other.mails.length >= 3, 'both have read');
  await until(() => server.flagged(keyword).length === 2, 'all mails are marked');
  const ids = [...one.mails, ...other.mails].map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  expect(one.mails[0]?.id).toBe(other.mails[0]?.id);
});

test('a mail that was left is due again after an hour; while no other is recorded, none is left', () => {
  const progress = new MailboxProgress();
  progress.listed('1', [1, 2]);
  for (let n = 1; n <= 10; n += 1) expect(progress.failed(1, 0)).toMatchObject({ tries: n, isLeft: false });
  expect(progress.untilDue(0)).toBe(60_000);
  progress.recorded(2);
  expect(progress.failed(1, 0)).toMatchObject({ isLeft: true });
  expect(progress.toTry([1, 2, 3], 60 * 60_000 - 1)).toEqual([3]);
  expect(progress.toTry([1, 2, 3], 60 * 60_000)).toEqual([3, 1]);
  progress.listed('2', [1, 2]); // other UIDs
  expect(progress.toTry([1, 2], 0)).toEqual([1, 2]);
});

test('a mail that was recorded and not marked when its process died is handed on again under the same id', async () => {
  const server = await imapServer();
  server.refuse('UID STORE', () => 'close');
  server.deliver(said(1));
  const first = await readMailbox(server.port, { clock: new FakeClock(Date.now()) });
  await until(() => server.commands.some((line) => line.startsWith('UID STORE')), 'the mail was to be marked');
  server.allow('UID STORE');
  const second = await readMailbox(server.port);
  await until(() => server.flagged(keyword).length === 1, 'the mail is marked');
  expect(second.mails).toEqual(first.mails);
});

test('a mail that is removed between the search and the fetch is no error', async () => {
  const server = await imapServer();
  const gone = server.deliver(said(1));
  server.deliver(said(2));
  server.refuse('UID FETCH', (line) => {
    if (line.startsWith(`UID FETCH ${gone} `)) server.expunge(gone);
    return undefined;
  });
  const { mails, lines } = await readMailbox(server.port);
  await until(() => server.flagged(keyword).length === 1, 'the other is marked');
  expect(numbersIn(mails)).toEqual([2]);
  expect(lines).toEqual([]);
});

test('a mailbox that takes no new keyword is not read, and the log says what to do', async () => {
  const server = await imapServer({ allowsKeywords: false });
  server.deliver(said(1));
  const { mails, lines } = await readMailbox(server.port);
  await until(() => lines.length === 1, 'it is logged');
  expect(lines[0]).toContain("Set imap.done: { moveTo: 'Done' }");
  expect(mails).toEqual([]);
});

test('with moveTo a recorded mail is moved, into a mailbox that is made if it is not there', async () => {
  const server = await imapServer({ allowsKeywords: false });
  server.deliver(said(1));
  server.deliver(said(2));
  const { mails } = await readMailbox(server.port, { done: { moveTo: 'Done' } });
  await until(() => server.mails().length === 0, 'both are moved');
  expect(numbersIn(server.mails('Done'))).toEqual([1, 2]);
  expect(numbersIn(mails)).toEqual([1, 2]);
});

test('after the mailbox was rebuilt under other numbers only what is not marked is read', async () => {
  const server = await imapServer();
  const clock = new FakeClock(Date.now());
  server.deliver(said(1));
  server.deliver(said(2));
  server.expunge(1);
  const { mails } = await readMailbox(server.port, { clock });
  await until(() => server.flagged(keyword).length === 1, 'the mail is marked');
  server.rebuild();
  server.deliver(said(3));
  await advanceUntil(clock, () => server.flagged(keyword).length === 2, 'the new one is marked');
  expect(numbersIn(mails)).toEqual([2, 3]);
  expect(mails[0]?.id).not.toBe(mails[1]?.id);
});

test('a mail that could not be marked has the same id after the mailbox was rebuilt; one that shares its Message-ID has another', async () => {
  const server = await imapServer();
  const clock = new FakeClock(Date.now());
  const by = (server: string, id: string) =>
    `from ${server} by mx.shop.example with ESMTPS id ${id}; Tue, 17 Nov 2026 09:00:00 +0000`;
  const more = { 'Message-ID': '<1@example.com>', Received: by('mx.example.com', '4aB1') };
  server.refuse('UID STORE', () => ({ no: '[OVERQUOTA] Quota exceeded' }));
  server.deliver(rawMail(more, 'Number 1'));
  server.deliver(rawMail({ ...more, Received: by('mx.example.com', '4aB2') }, 'Number 2'));
  server.deliver(rawMail({ ...more, From: 'Eve <eve@example.org>' }, 'Number 3'));
  const { mails } = await readMailbox(server.port, { clock });
  await until(() => mails.length === 3, 'all are handed on');
  server.rebuild();
  await advanceUntil(clock, () => mails.length === 6, 'all are handed on again');
  const ids = mails.map(({ id }) => id);
  expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  expect(new Set(ids).size).toBe(3);
});

test('a server without IDLE is asked again and again', async () => {
  const server = await imapServer({ plugins: [] });
  const clock = new FakeClock(Date.now());
  const { mails } = await readMailbox(server.port, { clock });
  await until(() => server.commands.some((line) => line.startsWith('UID SEARCH')), 'it has searched');
  server.deliver(said(1));
  await advanceUntil(clock, () => mails.length === 1, 'the mail is handed on');
});

test('stop waits for the mail that is being recorded, marks it, and logs out', async () => {
  const server = await imapServer();
  let record = () => {};
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const before = () =>
    new Promise<void>((resolve) => {
      record = resolve;
      begun();
    });
  server.deliver(said(1));
  server.deliver(said(2));
  const { mails, mailbox } = await readMailbox(server.port, { before });
  await isBegun;
  const stopped = mailbox.stop();
  record();
  await stopped;
  expect(numbersIn(mails)).toEqual([1]);
  expect(server.flagged(keyword)).toHaveLength(1);
  expect(server.commands.at(-1)).toBe('LOGOUT');
  await until(() => server.open === 0, 'the connection is closed');
});

test('stop ends in bounded time though the server says nothing any more, and though a mail is never recorded', async () => {
  const server = await imapServer();
  const proxy = await FaultProxy.begin(server.port, { isRedis: false });
  onTestFinished(() => proxy.close());
  const clock = new FakeClock(Date.now());
  const silent = await readMailbox(proxy.port, { clock });
  await until(() => server.commands.includes('IDLE'), 'everything is read');
  proxy.stall();
  let isBegun = false;
  const hanging = await readMailbox(server.port, {
    clock,
    before: () => {
      isBegun = true;
      return new Promise<void>(() => {});
    },
  });
  server.deliver(said(1));
  await until(() => isBegun, 'a mail is being recorded');
  let stopped = false;
  void Promise.all([silent.mailbox.stop(), hanging.mailbox.stop()]).then(() => {
    stopped = true;
  });
  const from = clock.elapsed();
  await advanceUntil(clock, () => stopped, 'both are stopped');
  expect(clock.elapsed() - from).toBeLessThan(15_000);
});

test.each([
  [{ auth: { user: 'a', pass: 'b' } }, 'imap.host must be'],
  [{ host: 'h', auth: { user: 'a' } }, 'imap.auth must have either pass or accessToken'],
  [{ host: 'h', auth: { user: 'a', pass: 'b', accessToken: () => 'c' } }, 'either pass or accessToken'],
  [{ host: 'h', auth: { user: 'a', pass: 12_345 } }, 'imap.auth.pass must be a non-empty string, got a number.'],
  [{ host: 'h', auth: { user: 'a', pass: 'b' }, secure: 'yes' }, "true, false or 'starttls'"],
  [{ host: 'h', auth: { user: 'a', pass: 'b' }, done: { moveTo: 'inbox' } }, 'must be another mailbox'],
  [{ host: 'h', auth: { user: 'a', pass: 'b' }, port: 0 }, 'imap.port must be'],
])('wrong options are refused with what was expected: %#', (options, message) => {
  expect(() => imapOption(options, 'imap')).toThrow(message);
});
