/**
 * Promises about messages that go out: drawn whole and inert, once for a key, and nothing that is not for the person.
 */
import assert from 'node:assert/strict';
import type { ChannelStory } from './world.js';
import { privateContext, shownLabels } from './world.js';

/** Markup of many platforms. Each piece must be seen as it stands. */
const markup =
  '<b>b</b> <script>x()</script> &amp; *s* _u_ `c` [t](https://a.example) <@U1> <!channel> @everyone {{7*7}}';

/** Control characters but line breaks and tabs, and direction overrides: they could change what is around them. */
const hostile = /[^\P{Cc}\n\r\t]|\p{Bidi_Control}/u;

export const messagesOut: readonly ChannelStory[] = [
  [
    'what is said is shown, in order',
    async (stage) => {
      stage.reply = 'First answer.';
      await stage.says('one');
      await stage.eventually('the first is shown', async () => (await stage.texts()).includes('First answer.'));
      stage.reply = 'Second answer.';
      await stage.says('two');
      await stage.eventually('the second is shown', async () => (await stage.texts()).includes('Second answer.'));
      const texts = await stage.texts();
      assert.ok(texts.indexOf('First answer.') < texts.indexOf('Second answer.'));
    },
  ],
  [
    'a message that is sent twice is shown once, or carries its key twice',
    async (stage) => {
      stage.reply = 'Only once.';
      await stage.says('Hello');
      const message = await stage.eventually('it is sent', () => stage.sent[0]);
      await stage.eventually('it is shown', async () => (await stage.texts()).includes('Only once.'));
      await stage.driver.channel.send(message);
      await stage.settle();
      const shown = (await stage.driver.seen()).filter(({ text }) => text.includes('Only once.'));
      const keys = new Set(shown.map(({ key }) => key));
      assert.ok(shown.length === 1 || (keys.size === 1 && !keys.has(undefined)), `it is shown ${shown.length} times`);
    },
  ],
  [
    'a question shows its text, its details and its options',
    async (stage) => {
      await stage.asks();
      const texts = `${await stage.texts()}\n${(await stage.controls()).join('\n')}`;
      for (const part of ['Which size?', 'Order', 'order-4711', ...shownLabels])
        assert.ok(texts.includes(part), `${JSON.stringify(part)} is not shown`);
    },
  ],
  [
    'text is shown as it stands, and without characters that change what is around it',
    async (stage) => {
      stage.reply = `${markup} \u001b[31mred\u001b]0;title\u0007 \u202eevil\u2066 \u0000 \ud800 end`;
      await stage.says('Hello');
      await stage.eventually('it is shown', async () => (await stage.texts()).includes('end'));
      const texts = await stage.texts();
      assert.ok(texts.includes(markup), `the markup is not shown as it stands: ${JSON.stringify(texts)}`);
      assert.ok(!hostile.test(texts), `a control character is shown: ${JSON.stringify(texts)}`);
      assert.ok(texts.isWellFormed(), 'half a character is shown');
    },
  ],
  [
    'a character that draws nothing is shown as its code, and ordinary text as it stands',
    async (stage) => {
      const ordinary = '👩🏽‍💻 ❤️ 1️⃣ می\u200cخواهم क्\u200dष';
      stage.reply = `${ordinary} Pay 10\u31640 EUR\u2800 now end`;
      await stage.says('Hello');
      await stage.eventually('it is shown', async () => (await stage.texts()).includes('end'));
      const texts = await stage.texts();
      assert.ok(texts.includes(ordinary), `ordinary text is changed: ${JSON.stringify(texts)}`);
      assert.ok(
        texts.includes('Pay 10\\u{3164}0 EUR\\u{2800} now'),
        `a character that draws nothing is not shown as its code: ${JSON.stringify(texts)}`,
      );
    },
  ],
  [
    'the context of an ask never leaves',
    async (stage) => {
      await stage.asks();
      assert.ok(!(await stage.driver.wire()).includes(privateContext), 'the context was sent');
      assert.ok(!JSON.stringify(await stage.driver.seen()).includes(privateContext), 'the context is shown');
    },
  ],
  [
    'a send that the platform did not take rejects, and it is shown when the platform is back',
    async (stage) => {
      const fails = stage.can('fails');
      stage.reply = 'Back again.';
      fails(true);
      await stage.says('Hello');
      await stage.eventually('the send fails', () => stage.told.length > 0);
      assert.ok(!(await stage.texts()).includes('Back again.'));
      fails(false);
      await stage.eventually('it is shown', async () => (await stage.texts()).includes('Back again.'), 5_000);
    },
  ],
  [
    'errors and logs carry no secrets',
    async (stage) => {
      assert.ok(stage.driver.secrets.length > 0, 'the driver names no secrets');
      stage.can('fails')(true);
      await stage.says('Hello');
      await stage.eventually('the send fails', () => stage.told.length > 0);
      const told = stage.told.join('\n');
      for (const secret of stage.driver.secrets) assert.ok(!told.includes(secret), 'an error quotes a secret');
    },
  ],
];
