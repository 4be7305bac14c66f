/** Questions with an open answer on a platform with modals: the button opens one, and what is sent off is the answer. */
import { expect, test } from 'vitest';
import { agent, choice, date, form, number, optional, text } from '../../../src/index.js';
import { slackBridge } from '../../support/chat/slack.js';
import { withRegistry } from '../../support/chat/world.js';
import { readableText } from '../../support/slack/block-kit.js';
import type { SlackFields } from '../../support/slack/server.js';
import { seenText } from '../../support/telegram/driver.js';

function clerk() {
  const shop = agent('shop');
  const asks = {
    why: shop.question('why', text('Why?', { minLength: 3 }), { onAnswer: (why) => `Because: ${why}` }),
    secret: shop.question('secret', text('Password?'), { sensitive: true, onAnswer: () => 'Kept.' }),
    order: shop.question(
      'order',
      form('Your order <b>', {
        what: text('What?'),
        amount: number('How many?', { min: 1, max: 5 }),
        size: choice('Which size?', ['S & M', 'Large']),
        note: optional(text('Anything else?')),
      }),
      { onAnswer: (order) => `Got ${JSON.stringify(order)}` },
    ),
    when: shop.question('when', date('When?', { time: true }), { onAnswer: String }),
  };
  return shop.onMessage(({ message, ask }) => ask(asks[message as 'why']));
}

async function asked(what: string) {
  const here = await withRegistry(await slackBridge(), clerk());
  const { slack } = here;
  const ann = slack.person('U1');
  const said = () => slack.said('D1').map((each) => ({ ...each, text: seenText(each.text) }));
  await ann.writes(what, { channel: 'direct' });
  await expect.poll(() => said()).toHaveLength(1);
  const opens = () => ann.presses('Answer', { channel: 'D1' });
  return { ...here, ann, said, opens };
}

test('a text is written in a modal; what is wrong is told in it, and it can be sent off again', async () => {
  const { ann, said, opens, registry } = await asked('why');
  expect((await opens()).status).toBe(200);
  expect(await ann.submits({ Answer: 'x' })).toMatchObject({
    status: 200,
    body: { response_action: 'errors', errors: { f0: expect.stringContaining('at least 3') } },
  });
  const sent = await ann.submits({ Answer: 'Too small' });
  expect(sent.status).toBe(200);
  await expect.poll(() => said().at(-1)?.text).toBe('Because: Too small');
  expect((await sent.again()).status).toBe(200);
  expect(said()[0]?.controls).toEqual([]);
  expect(said()).toHaveLength(2); // nothing was said about the wrong one
  expect((await registry.listAsks({ status: 'answered' })).asks).toHaveLength(1);
});

test('a form is filled in at once, each fault at its field', async () => {
  const { ann, said, opens } = await asked('order');
  await opens();
  const view = ann.modal.view['blocks'] as readonly SlackFields[];
  expect(readableText(view)).toContain('Which size?');
  const values = { 'What?': 'Shoes', 'How many?': '9', 'Which size?': 'S & M' };
  expect(await ann.submits(values)).toMatchObject({
    body: { response_action: 'errors', errors: { f1: expect.any(String) } },
  });
  expect((await ann.submits({ ...values, 'How many?': '2' })).body).toBe('');
  await expect.poll(() => said().at(-1)?.text).toContain('"what":"Shoes","amount":2,"size":"S & M"');
});

test('a modal that was lost is opened by pressing again, and a reply that is typed still counts', async () => {
  const { slack, ann, said, opens, lines } = await asked('why');
  slack.fails({ error: 'expired_trigger_id' }, { method: 'views.open', times: 1 });
  expect((await opens()).status).toBe(200);
  expect(lines.join('\n')).toContain('Pressing the button again opens it');
  expect(slack.views).toEqual([]);
  await opens();
  expect(slack.views).toHaveLength(1);
  await ann.writes('Too large', { channel: 'direct' });
  await expect.poll(() => said().at(-1)?.text).toBe('Because: Too large');
  expect((await ann.submits({ Answer: 'Too late' })).status).toBe(200);
  expect(said().filter((each) => each.text.startsWith('Because'))).toHaveLength(1);
});

test('a modal whose answer cannot be recorded is answered with 5xx, stays open, and counts when it is sent off again', async () => {
  const { ann, said, opens, isDown } = await asked('why');
  await opens();
  isDown(true);
  const sent = await ann.submits({ Answer: 'Too small' });
  expect(sent.status).toBeGreaterThanOrEqual(500);
  isDown(false);
  expect((await sent.again()).status).toBe(200);
  await expect.poll(() => said().at(-1)?.text).toBe('Because: Too small');
});

test('somebody else who fills in the modal decides nothing', async () => {
  const { slack, registry, said } = await asked('why');
  const [open] = slack.said('D1');
  const eve = slack.person('U9');
  expect((await eve.presses('Answer', { channel: 'D1', ...(open && { message: open.message }) })).status).toBe(200);
  expect((await eve.submits({ Answer: 'Not mine' })).status).toBe(200);
  expect((await registry.listAsks()).asks.map(({ status }) => status)).toEqual(['pending']);
  expect(
    said()
      .map((each) => each.text)
      .join(),
  ).not.toContain('Not mine');
});

test('a secret says that the button is for it; a time of day is a reply', async () => {
  expect((await asked('secret')).said()[0]?.text).toContain('Use the button');
  expect((await asked('when')).said()[0]?.controls).toEqual([]);
});
