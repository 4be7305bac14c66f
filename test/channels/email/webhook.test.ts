/** Mails that are posted: proved, read up to a limit, and answered with 2xx only once they are recorded. */
import { expect, test } from 'vitest';
import type { ArrivedMail } from '../../../src/channels/email/imap/mailbox.js';
import { longestRead } from '../../../src/channels/email/incoming/mime.js';
import { mailWebhook, mailWebhookOption } from '../../../src/channels/email/webhook.js';
import { signWebhook } from '../../../src/channels/webhook/index.js';
import { AgentError } from '../../../src/core/errors.js';
import { systemClock } from '../../../src/machine/clock.js';
import { rawMail } from '../../support/mail/imap-server.js';
import { linesLogged } from '../../support/slack/world.js';

const secret = `whsec_${Buffer.from('a webhook secret of thirty-two bytes').toString('base64')}`;
const bearer = 'a-bearer-token-of-32-characters-0';

function webhook(options: object = { secret, bearer }) {
  const mails: (ArrivedMail & { readonly raw: string })[] = [];
  const { lines, logger } = linesLogged();
  const told = { fail: undefined as Error | undefined };
  const accept = async (raw: Uint8Array, about: ArrivedMail) => {
    if (told.fail !== undefined) throw told.fail;
    mails.push({ ...about, raw: Buffer.from(raw).toString('latin1') });
    return 'done' as const;
  };
  const parts = { name: 'mail', clock: systemClock, logger, accept };
  const fetch = mailWebhook(mailWebhookOption(options, 'webhook'), parts);
  const post = (body: string | Uint8Array, headers: Record<string, string>) =>
    fetch(
      new Request('https://example.com/mail', {
        method: 'POST',
        headers: { 'content-type': 'message/rfc822', ...headers },
        body: Buffer.from(body),
      }),
    );
  return { fetch, post, mails, lines, told };
}

const signed = (id: string, body: string) => ({ ...signWebhook(secret, { id, body }) });
const byBearer = { authorization: `Bearer ${bearer}` };

test('a signed mail is handed on, with the signed id as its own; a repeat of it has the same one', async () => {
  const { post, mails } = webhook();
  const mail = rawMail();
  const response = await post(mail, signed('m1', mail));
  expect(response.status).toBe(200);
  await post(mail, signed('m1', mail));
  await post(mail, signed('m2', mail));
  expect(mails[0]).toMatchObject({ raw: mail, size: mail.length });
  expect(mails[1]?.id).toBe(mails[0]?.id);
  expect(mails[2]?.id).not.toBe(mails[0]?.id);
});

test('without a signature the id is of the whole mail: two that differ only after what is read are two', async () => {
  const { post, mails } = webhook({ bearer });
  const mail = rawMail({}, 'x'.repeat(longestRead));
  expect((await post(mail, byBearer)).status).toBe(200);
  await post(mail, byBearer);
  await post(`${mail}!`, byBearer);
  expect(mails.map(({ raw }) => raw.length)).toEqual([longestRead, longestRead, longestRead]);
  expect(mails.map(({ size }) => size)).toEqual([mail.length, mail.length, mail.length + 1]);
  expect(mails[1]?.id).toBe(mails[0]?.id);
  expect(mails[2]?.id).not.toBe(mails[0]?.id);
});

test.each([
  ['nothing', {}],
  ['a wrong token', { authorization: `Bearer ${'c'.repeat(32)}` }],
  ['part of the token', { authorization: `Bearer ${'b'.repeat(31)}` }],
  ['another scheme', { authorization: `Basic ${bearer}` }],
  ['a signature of another mail', signed('m1', 'another')],
  ['a signature that is too old', signWebhook(secret, { id: 'm1', body: rawMail(), now: 1_000_000 })],
])('a mail with %s as its proof is refused with 401', async (_, headers) => {
  const { post, mails } = webhook();
  const response = await post(rawMail(), { ...headers });
  expect(response.status).toBe(401);
  expect(await response.text()).not.toContain(bearer);
  expect(mails).toEqual([]);
});

test('a token is no proof where only signatures are expected, and the other way round', async () => {
  expect((await webhook({ secret }).post(rawMail(), byBearer)).status).toBe(401);
  expect((await webhook({ bearer }).post(rawMail(), signed('m1', rawMail()))).status).toBe(401);
});

test('each of several secrets is taken while one is replaced', async () => {
  const next = `whsec_${Buffer.from('the next webhook secret, long enough').toString('base64')}`;
  const { post } = webhook({ secret: [next, secret], bearer: ['the-next-bearer-token-of-32-characters', bearer] });
  expect((await post(rawMail(), signed('m1', rawMail()))).status).toBe(200);
  expect((await post(rawMail(), byBearer)).status).toBe(200);
});

test('whatever keeps a mail from being recorded is answered with 503, so that it is sent again, and says no more', async () => {
  const { post, told, lines } = webhook();
  for (const error of [new Error('disk of anna@example.com'), new AgentError('bad-data', 'too large')]) {
    told.fail = error;
    const response = await post(rawMail(), byBearer);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.text()).not.toContain(error.message);
  }
  expect(lines).toHaveLength(2);
});

test('what is no mail is refused: by its method, its type, its length, and if it is empty', async () => {
  const { fetch, post, mails } = webhook({ bearer, bodyBytes: 1_000 });
  expect((await fetch(new Request('https://example.com/mail'))).status).toBe(405);
  expect((await post(rawMail(), { ...byBearer, 'content-type': 'application/json' })).status).toBe(415);
  expect((await post('x'.repeat(1_001), byBearer)).status).toBe(413);
  expect((await post('', byBearer)).status).toBe(400);
  expect((await post(rawMail(), { ...byBearer, 'content-type': 'application/octet-stream' })).status).toBe(200);
  expect(mails).toHaveLength(1);
});

test('a mail that is too long without saying so is refused while it is read', async () => {
  const { fetch, mails } = webhook({ bearer, bodyBytes: 1_000 });
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(400));
    },
  });
  const headers = { ...byBearer, 'content-type': 'message/rfc822' };
  const init = { method: 'POST', headers, body, duplex: 'half' as const };
  expect((await fetch(new Request('https://example.com/mail', init))).status).toBe(413);
  expect(pulled).toBeLessThan(10);
  expect(mails).toEqual([]);
});

test.each([
  [{}, 'secret or bearer is needed'],
  [{ bearer: 'short' }, 'at least 32 characters'],
  [{ secret: 'whsec_c2hvcnQ=' }, '24 to 64 bytes'],
  [{ bearer, bodyBytes: 0 }, 'webhook.bodyBytes must be'],
])('wrong options are refused, and no secret is quoted: %#', (options, message) => {
  expect(() => mailWebhookOption(options, 'webhook')).toThrow(message);
});
