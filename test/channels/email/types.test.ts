/** What the types of the channel know. */
import { expect, expectTypeOf, test } from 'vitest';
import { EmailChannel, type EmailChannelOptions } from '../../../src/channels/email/index.js';
import type { Channel } from '../../../src/channels/port.js';
import { mailSecret } from '../../support/mail/world.js';

type Fetch = (request: Request) => Promise<Response>;

const base = { from: 'refunds@shop.example', smtp: 'smtp://localhost', secret: mailSecret };
const trust = { authservId: 'mx.shop.example' };

test('a channel with receive.webhook has fetch, without a question mark; other channels may have none', () => {
  const bearer = 'a-bearer-token-of-32-characters-0';
  const posted = new EmailChannel({ ...base, trust, receive: { webhook: { bearer } } });
  expectTypeOf(posted.fetch).toEqualTypeOf<Fetch>();
  expect(posted.fetch).toBeTypeOf('function');
  const sending = new EmailChannel(base);
  expectTypeOf(sending.fetch).toEqualTypeOf<Fetch | undefined>();
  expect(sending.fetch).toBeUndefined();
  const options: EmailChannelOptions = base;
  expectTypeOf(new EmailChannel(options).fetch).toEqualTypeOf<Fetch | undefined>();
  expectTypeOf<EmailChannel>().toExtend<Channel>();
  expectTypeOf(posted).toExtend<EmailChannel>();
  expectTypeOf(posted).toExtend<Channel>();
  // @ts-expect-error an option that does not exist
  expect(() => new EmailChannel({ ...base, trust, recieve: { webhook: { bearer } } })).toThrow(/recieve/);
});
