/** What `run()` shows a model of the conversation: what people said, and never as an answer what was none. */
import { expect, test } from 'vitest';
import type { AgentRegistry, AskOptions } from '../../../src/index.js';
import { AgentError, agent, confirm } from '../../../src/index.js';
import { inboxPort } from '../../../src/registry/inbox/inbox-port.js';
import { InboxCalls } from '../../../src/server/calls.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { bare } from '../../support/agents.js';

const ann = { id: 'web:ann', name: 'Ann' };
const eve = { id: 'web:eve', name: 'Eve' };
const drop = 'Drop the table?\nOptions: Yes, No';

/** A chat in which Ann was asked whether to drop a table; and what the model is shown of it when she writes the next time. */
async function asked(
  options: Pick<AskOptions, 'answerableBy' | 'expiresIn' | 'quorum'> = {},
  onAnswer = () => 'Done.',
) {
  const model = scriptedModel(Array.from({ length: 3 }, () => 'Noted.'));
  const keeper = agent('keeper', { model });
  const sure = keeper.question('sure', confirm('Drop the table?'), { ...options, onAnswer });
  keeper.onMessage(({ message, ask, run }) => (message === 'drop' ? ask(sure) : run(message)));
  const play = bare({ agents: [keeper], model });
  const { registry } = play;
  const says: typeof play.says = (conversationId, words, more) =>
    play.says(conversationId, words, { participant: ann, ...more });
  await says('c', 'drop');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  const shown = async (): Promise<readonly string[]> => {
    await says('c', 'what is new?', { participant: { id: 'web:max' } });
    const messages = model.requests.at(-1)?.messages ?? [];
    return messages.map(({ role, content }) => `${role}: ${content}`);
  };
  return { ...play, says, id, shown };
}

type Asked = Awaited<ReturnType<typeof asked>>;

const inHistory = async (registry: AgentRegistry): Promise<readonly string[]> =>
  (await registry.history('c')).items.flatMap((item) =>
    item.type === 'in' ? [`${item.text} (${item.disposition.type})`] : [],
  );

const byUser = (shown: readonly string[]): readonly string[] => shown.filter((line) => line.startsWith('user: '));

const chosen: readonly (readonly [string, (chat: Asked) => Promise<unknown>, string])[] = [
  [
    'a press of somebody who may not answer',
    ({ says, id }) => says('c', '', { participant: eve, askId: id, choice: 'yes' }),
    'yes (not-authorised)',
  ],
  [
    'an answer over the API of somebody who may not answer',
    ({ registry, id }) => registry.answer(id, { value: true }, { by: eve }),
    'yes (not-authorised)',
  ],
  [
    'a text over the API of somebody who may not answer',
    ({ registry, id }) => registry.answer(id, { text: 'yes' }, { by: eve }),
    'yes (not-authorised)',
  ],
  [
    'an answer over the API that does not fit',
    ({ registry, id }) => registry.answer(id, { value: 'all' }, { by: ann }),
    'all (invalid)',
  ],
  [
    'a tool result that does not fit',
    ({ registry, id }) => {
      const result = { callId: id, decision: 'approve', choice: 'all' } as const;
      return new InboxCalls(registry, registry[inboxPort]).toolResult({ ...ann, scopes: ['answer'] }, 'c', result);
    },
    'all (invalid)',
  ],
  ['a press of what is no option', ({ says, id }) => says('c', '', { askId: id, choice: 'all' }), 'all (invalid)'],
  [
    'a press after the time was over',
    async ({ says, id, clock }) => {
      await clock.advance(70_000);
      await says('c', '', { askId: id, choice: 'yes' });
    },
    'yes (late)',
  ],
  [
    'a press after the decision',
    async ({ says, id, registry }) => {
      await registry.cancel(id);
      await says('c', '', { askId: id, choice: 'yes' });
    },
    'yes (already)',
  ],
  [
    'an answer to what the question is no longer',
    ({ registry, id }) => registry[inboxPort].answer(id, { value: true }, ann, { drawn: 'another' }),
    'yes (outdated)',
  ],
];

test.each(chosen)('%s did not count: it is kept in the history, and no model is shown it', async (_, act, kept) => {
  const chat = await asked({ expiresIn: 60_000 });
  await act(chat);
  const shown = await chat.shown();
  expect(await inHistory(chat.registry)).toContain(kept);
  expect(shown.slice(0, 2)).toEqual(['user: drop', `assistant: ${drop}`]);
  expect(byUser(shown)).toEqual(['user: drop', 'user: what is new?']);
  await chat.registry.stop();
});

const written: readonly (readonly [string, (chat: Asked) => Promise<unknown>])[] = [
  ['of somebody who may not answer', ({ says, id }) => says('c', 'yes', { participant: eve, askId: id })],
  [
    'after the time was over',
    async ({ says, id, clock }) => {
      await clock.advance(70_000);
      await says('c', 'yes', { askId: id });
    },
  ],
  [
    'after the decision',
    async ({ says, id, registry }) => {
      await registry.cancel(id);
      await says('c', 'yes', { askId: id });
    },
  ],
];

test.each(written)('a written reply %s is shown as it was written, and that it did not count', async (_, act) => {
  const chat = await asked({ expiresIn: 60_000 });
  await act(chat);
  const reply = 'user: yes\n[This did not count as an answer.]';
  expect(byUser(await chat.shown())).toEqual(['user: drop', reply, 'user: what is new?']);
  await chat.registry.stop();
});

test('a written reply that is asked about again is shown, and that it did not count', async () => {
  const { registry, says, shown } = await asked();
  await says('c', 'well, perhaps');
  expect(await shown()).toEqual([
    'user: drop',
    `assistant: ${drop}`,
    'user: well, perhaps\n[This did not count as an answer.]',
    expect.stringMatching(/^assistant: .*Drop the table\?\nOptions: Yes, No$/s),
    'user: what is new?',
  ]);
  await registry.stop();
});

test('what counted is shown as it was chosen: a press and an answer over the API by the label', async () => {
  for (const how of ['press', 'API']) {
    const { registry, says, id, shown } = await asked();
    if (how === 'press') await says('c', '', { askId: id, choice: 'yes' });
    else await registry.answer(id, { value: true }, { by: ann });
    expect(byUser(await shown())).toEqual(['user: drop', 'user: Yes', 'user: what is new?']);
    await registry.stop();
  }
});

test('a vote that does not decide is shown as one vote, and the one that decides as the answer', async () => {
  const { registry, id, shown } = await asked({ answerableBy: [ann.id, eve.id], quorum: 2 });
  await registry.answer(id, { value: true }, { by: ann });
  const vote = 'user: Yes\n[This was one vote, and did not decide the question.]';
  expect(byUser(await shown())).toEqual(['user: drop', vote, 'user: what is new?']);
  await registry.answer(id, { value: true }, { by: eve });
  expect(byUser(await shown())).toEqual(['user: drop', vote, 'user: what is new?', 'user: Yes', 'user: what is new?']);
  await registry.stop();
});

test('a reply whose handling failed is shown with that, whether it had decided or not', async () => {
  const { registry, says, id, shown } = await asked({}, () => {
    throw new AgentError('bad-option', 'Broken.'); // a mistake of the author: parked at once
  });
  await says('c', '', { askId: id, choice: 'yes' }).catch(() => {});
  expect((await registry.parked()).items).toHaveLength(1);
  expect(byUser(await shown())).toEqual([
    'user: drop',
    'user: yes\n[An error interrupted the handling of this.]',
    'user: what is new?',
  ]);
  await registry.stop();
});
