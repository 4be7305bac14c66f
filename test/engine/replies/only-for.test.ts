/** Refusals carry their recipient, so that a channel can tell one person alone. */
import { expect, test } from 'vitest';
import { agent, confirm, text } from '../../../src/index.js';
import { TestChannel, world } from '../../support/engine.js';

const bob = { id: 'phone:bob', name: 'Bob' };

async function group(more: object = {}) {
  const here = world();
  const phone = new TestChannel();
  const desk = agent('desk');
  const go = desk.question('go', confirm('Go?'), { onAnswer: () => 'Gone.' });
  desk.onMessage(({ ask }) => ask(go));
  const registry = await here.replica({ agents: [desk], channels: [phone], ...more });
  await here.says(phone, 'ask');
  const askId = (await registry.listAsks()).asks[0]?.id ?? '';
  return { ...here, phone, registry, askId };
}

test('whoever may not answer is told so, and the message names them; what concerns all names nobody', async () => {
  const { phone, says, askId } = await group();
  await says(phone, '', { askId, choice: 'yes', participant: bob });
  await says(phone, 'yes');
  expect(phone.sent.map(({ text: said, only }) => [said, only])).toEqual([
    ['Go?', undefined],
    [expect.stringContaining('answer'), 'phone:bob'],
    ['Gone.', undefined],
  ]);
});

test('a late button is for whoever pressed it, in send(), outputs() and the history, by the id that the channel knows', async () => {
  const { phone, says, askId, registry } = await group({
    identify: (who: { id: string }) => ({ ...who, id: who.id.replace('phone:', 'staff:') }),
  });
  await says(phone, 'yes');
  await says(phone, '', { askId, choice: 'yes' });
  const late = { text: expect.stringContaining('already answered'), only: 'phone:ann' };
  expect(phone.sent.at(-1)).toMatchObject(late);
  const { outputs } = await registry.outputs('c1');
  expect(outputs.at(-1)).toMatchObject(late);
  expect(outputs.filter(({ only }) => only !== undefined)).toHaveLength(1);
  expect((await registry.history('c1')).items.at(-1)).toMatchObject({ type: 'out', ...late });
});

test('handle() gives a refusal with its recipient; somebody whom the channel does not know is named by nobody', async () => {
  const { registry, askId } = await group();
  const message = { conversationId: 'c1', text: '', askId, choice: 'yes' };
  const named = await registry.handle({ ...message, id: 'm1', participant: bob });
  const unknown = await registry.handle({ ...message, id: 'm2' });
  expect(named.outputs).toMatchObject([{ only: 'phone:bob' }]);
  expect(unknown.outputs).toHaveLength(1);
  expect(unknown.outputs[0]).not.toHaveProperty('only');
});

test('a message that is too long is refused to its author alone', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const desk = agent('desk').onMessage(({ ask }) => ask(text('Which?')));
  await replica({ agents: [desk], channels: [phone], settings: { textBytes: 1_000 } });
  await says(phone, 'x'.repeat(2_000), { participant: bob });
  expect(phone.sent).toMatchObject([{ only: 'phone:bob' }]);
});
