/**
 * One rule for every secret that proves who sent something. A secret that was pasted or read from a file often has a line end behind it:
 * used like that, it fits nothing. A short or repeated one can be guessed.
 */
import { expect, test } from 'vitest';
import { mailWebhookOption } from '../../../src/channels/email/webhook.js';
import { SlackApi } from '../../../src/channels/slack/api.js';
import { SlackChannel } from '../../../src/channels/slack/index.js';
import { signVisitor, WebChannel } from '../../../src/channels/web/index.js';
import { WebhookChannel } from '../../../src/channels/webhook/index.js';
import { AgentRegistry } from '../../../src/index.js';
import { systemClock } from '../../../src/machine/clock.js';
import { createInbox } from '../../../src/server/index.js';
import { checkedMcpOptions } from '../../../src/tools/mcp/options.js';

const long = 'not-to-be-quoted-0123456789-0123456789';
const webhook = `whsec_${Buffer.from(long).toString('base64')}`;
const slack = { signingSecret: 'not-to-be-quoted-8e1f5c07a9b24d36', token: 'xoxb-not-to-be-quoted' };

const uses: readonly (readonly [name: string, secret: string, use: (secret: string) => unknown])[] = [
  [
    'SlackChannel: signingSecret',
    slack.signingSecret,
    (signingSecret) => new SlackChannel({ ...slack, signingSecret }),
  ],
  ['SlackChannel: token', slack.token, (token) => new SlackChannel({ ...slack, token })],
  ['SlackChannel: appToken', 'xapp-not-to-be-quoted', (appToken) => new SlackChannel({ ...slack, appToken })],
  ['WebChannel: secret', long, (secret) => new WebChannel({ secret, origins: ['https://shop.example'] })],
  ['signVisitor(): secret', long, (secret) => signVisitor(secret, { id: '4711' })],
  ['WebhookChannel: secret', webhook, (secret) => new WebhookChannel({ secret })],
  ['webhook.secret', webhook, (secret) => mailWebhookOption({ secret }, 'webhook')],
  ['webhook.bearer', long, (bearer) => mailWebhookOption({ bearer }, 'webhook')],
  ['createInbox(): secret', long, (secret) => createInbox(new AgentRegistry(), { secret })],
  [
    'mcpServer(): secret',
    long,
    (secret) => checkedMcpOptions({ participant: { id: 'mcp:me' }, channel: 'mail', conversationId: 'c', secret }),
  ],
];

test.each(uses)('%s with white space around it is refused, and not quoted', (name, secret, use) => {
  expect(() => use(secret)).not.toThrow();
  for (const padded of [`${secret}\n`, `${secret}\r\n`, ` ${secret}`, `${secret} `]) {
    let said = '';
    try {
      use(padded);
    } catch (error) {
      said = String(error);
    }
    expect(said).toContain(`${name} begins or ends with white space or a line end`);
    expect(said).not.toContain('quoted');
  }
});

const keyed = uses.filter(([name]) => !/[tT]oken$/.test(name)); // a token is Slack's: only Slack compares it

test.each(keyed)(
  '%s is refused where it is short, or of few different characters, and not quoted',
  (_name, secret, use) => {
    const prefix = secret.startsWith('whsec_') ? 'whsec_' : '';
    const inBase64 = (text: string) => (prefix === '' ? text : `${prefix}${Buffer.from(text).toString('base64')}`);
    for (const guessable of [
      'a',
      'a'.repeat(31),
      'a'.repeat(32),
      'q'.repeat(60),
      'xy'.repeat(20),
      '\u{1f512}'.repeat(20),
    ]) {
      let said = '';
      try {
        use(inBase64(guessable));
      } catch (error) {
        said = String(error);
      }
      expect(said, guessable).toMatch(/must be .*, got one of /);
      for (const each of guessable.match(/.{1,4}/gu) as string[]) if (each.length > 3) expect(said).not.toContain(each);
    }
  },
);

test('what makes secrets makes none that is refused: random hex digits, base64, and the secret that Slack shows', () => {
  const made = ['8f742231b10e8888abcd99eee7a785a5', 'q0Jt3mWm7Ck5bq1YcBq0hXn8nXrE3m6nJ0aWc0n2u1E='];
  for (const [, , use] of keyed.filter(([, secret]) => !secret.startsWith('whsec_')))
    for (const secret of made) expect(() => use(secret)).not.toThrow();
});

test('the token that a function gives for a workspace of Slack is looked at when it is used', async () => {
  const api = new SlackApi({ token: () => `${slack.token}\n`, apiUrl: 'http://127.0.0.1:9/', clock: systemClock });
  await expect(api.identity('T1')).rejects.toThrow('what token() gave begins or ends with white space');
});
