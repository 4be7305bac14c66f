/** What somebody is told who replies to a question that is over: by button, by quoting it, and by its id, in any process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { AgentRegistry, agent, choice } from '../../../src/index.js';
import { texts } from '../../support/agents.js';
import { redisForFile } from '../../support/for-file.js';
import { sharedStores } from '../../support/redis-store.js';

const { client } = await redisForFile();
const ann = { id: 'web:ann', name: 'Ann' };
const bob = { id: 'web:bob', name: 'Bob' };
const carl = { id: 'web:carl', name: 'Carl' };

function support() {
  const made = agent('support');
  const order = made.question('size', choice('Which size?', ['small', 'large']), {
    answerableBy: [ann.id, bob.id],
    maxRetries: 0,
    onAnswer: (size) => `Size ${size}.`,
  });
  const colour = made.question('colour', choice('Which colour?', ['red', 'blue']), {
    answerableBy: [ann.id, bob.id],
    onAnswer: (answer) => answer,
  });
  return made.onMessage(async ({ message, ask, askAndWait }) => {
    if (message === 'wait') {
      const waited = choice('Which hat?', ['cap', 'fez']);
      const { status } = await askAndWait(waited, { timeout: 20, answerableBy: [ann.id, bob.id] });
      return status;
    }
    await ask(order);
    return message === 'both' ? ask(colour) : undefined;
  });
}

/** How an ask ends, and what whoever may answer it is told afterwards. */
interface End {
  readonly begins?: string;
  readonly told: string;
  readonly type?: 'late';
  /** Which of the open asks it is about. */
  readonly at?: number;
  readonly by: (about: { readonly registry: AgentRegistry; readonly says: Says; readonly id: string }) => unknown;
}

type Says = (text: string, more?: object) => Promise<unknown>;

const ends: Readonly<Record<string, End>> = {
  answered: { told: 'This was already answered by Ann.', by: ({ says }) => says('small') },
  declined: { told: 'This question was already declined.', by: ({ says }) => says('never mind') },
  exhausted: { told: 'This question is closed, because no answer could be read.', by: ({ says }) => says('??') },
  cancelled: { told: 'This question was cancelled.', by: ({ registry, id }) => registry.cancel(id) },
  expired: {
    told: 'The time to answer this is over.',
    type: 'late',
    by: ({ registry }) => sleep(5).then(() => registry.recoverPending(0)),
  },
  'never shown': {
    begins: 'both',
    at: 1,
    told: 'This question was withdrawn.',
    by: ({ registry, id }) => registry.cancel(id),
  },
  'taken back by its turn': { begins: 'wait', told: 'This question was withdrawn.', by: () => undefined },
};

describe.each(sharedStores(client))('on %s', (_, open) => {
  const registries: AgentRegistry[] = [];
  afterEach(async () => {
    await Promise.all(registries.splice(0).map((registry) => registry.stop()));
  });

  let messages = 0;
  async function over(end: End) {
    const [one, other] = open().map((store) => new AgentRegistry({ agents: [support()], store }));
    const [registry, replica] = [one as AgentRegistry, other as AgentRegistry];
    registries.push(registry, replica);
    const from =
      (place: AgentRegistry) =>
      (text: string, more: object = {}) => {
        messages += 1;
        return place.handle({ id: `m${messages}`, conversationId: 'c', text, participant: ann, ...more });
      };
    const asked: string[] = [];
    registry.on('asked', ({ askId }) => asked.push(askId));
    await from(registry)(end.begins ?? 'size');
    const id = asked[end.at ?? 0] as string;
    await end.by({ registry, says: from(registry), id });
    await expect.poll(async () => (await replica.getAsk(id))?.status).not.toBe('pending');
    await registry.idle();
    return { id, registry, replica, inReplica: from(replica) };
  }

  test.each(Object.keys(ends))('%s: whoever may answer hears it, by button, quoted reply and id', async (name) => {
    const end = ends[name] as End;
    const { id, replica, inReplica } = await over(end);
    const pressed = await inReplica('small', { askId: id, choice: 'small', participant: bob });
    expect([texts(pressed), pressed.disposition.type]).toEqual([[end.told], end.type ?? 'already']);
    const quoted = await inReplica('the small one', { askId: id, participant: bob });
    expect([texts(quoted), quoted.disposition.type]).toEqual([[end.told], end.type ?? 'already']);
    const settled = await replica.answer(id, { value: 'small' }, { by: bob });
    expect(settled).toMatchObject({ type: end.type ?? 'already', ask: { id } });
  });

  test('whoever may not answer hears that it was answered, and not by whom', async () => {
    const { id, replica, inReplica } = await over(ends['answered'] as End);
    const pressed = await inReplica('small', { askId: id, choice: 'small', participant: carl });
    expect(texts(pressed)).toEqual(['This was already answered.']);
    expect(pressed.disposition).toEqual({ type: 'not-authorised', askId: id });
    expect(await replica.answer(id, { value: 'small' }, { by: carl })).toEqual({ type: 'refused' });
  });

  test('after its conversation is erased, nobody hears more than that it is not open', async () => {
    const { id, registry, replica, inReplica } = await over(ends['answered'] as End);
    await registry.erase({ conversationId: 'c' });
    const pressed = await inReplica('small', { askId: id, choice: 'small', participant: bob });
    expect(texts(pressed)).toEqual(["I can't find this question here."]);
    expect(await replica.answer(id, { value: 'small' }, { by: bob })).toEqual({ type: 'unknown' });
  });
});
