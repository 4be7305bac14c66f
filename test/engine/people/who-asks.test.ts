/** What a handler asks is asked for whoever's message led to it, not for whoever answered in between. */
import { describe, expect, test } from 'vitest';
import type { AgentInput, AgentResult, Continuation, Declared, Participant, PendingAsk } from '../../../src/index.js';
import { type AgentRegistry, agent, BaseAgent, confirm, text } from '../../../src/index.js';
import { approve } from '../../../src/tools/index.js';
import { settle, TestChannel, world } from '../../support/engine.js';

const ann = { id: 'phone:ann', tenant: 'north', roles: ['manager'], locale: 'de' };
const nora = { id: 'phone:nora', tenant: 'north', roles: ['manager'], locale: 'fr' };
const stan = { id: 'phone:stan', tenant: 'south', roles: ['manager'] };
const managers = { roles: ['manager'] };

/** What the handler of the first question does; `second` is a question whose answer is handled. */
type Next = (turn: Continuation<unknown>, registry: AgentRegistry, second: string | Declared<string>) => unknown;
interface First {
  readonly next: Next;
  /** The first question goes to another conversation. */
  readonly away?: boolean;
  readonly expiresIn?: number;
  readonly answerableBy?: 'anyone' | { roles: string[] };
}

const result = (said: unknown): AgentResult => (said ?? {}) as AgentResult;
const firstOptions = ({ away, expiresIn, answerableBy = managers }: First) => ({
  answerableBy,
  ...(away && { via: { channel: 'phone', to: 'ops' } }),
  ...(expiresIn !== undefined && { expiresIn }),
});

function declared(first: First, registry: () => AgentRegistry): BaseAgent {
  const shop = agent('shop');
  const second = shop.question('second', text('How many?'), { onAnswer: () => undefined });
  const go = shop.question('go', confirm('Go on?'), {
    ...firstOptions(first),
    onAnswer: async (_yes, turn) => result(await first.next(turn, registry(), second)),
    onClosed: async (_pending, _why, turn) => result(await first.next(turn, registry(), second)),
  });
  return shop.onMessage(({ message, ask }) => (message === 'go' ? ask(go) : undefined));
}

function asClass(first: First, registry: () => AgentRegistry): BaseAgent {
  class Shop extends BaseAgent {
    readonly name = 'shop';
    async invokeAgent({ message = '' }: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk();
      if (pending?.question === 'Go on?')
        return this.handlePendingAsk(pending, message, async (_, turn) =>
          result(await first.next(turn, registry(), 'How many?')),
        );
      if (pending !== null) return this.handlePendingAsk(pending, message, () => ({}));
      return message === 'go' ? this.ask(text('Go on?'), firstOptions(first)) : {};
    }
    protected override async onAskClosed(_: PendingAsk<unknown>, _why: string, turn: Continuation<unknown>) {
      return result(await first.next(turn, registry(), 'How many?'));
    }
  }
  return new Shop();
}

describe.each([
  ['declared', declared],
  ['as a class', asClass],
])('%s', (_, made) => {
  /** Ann asks for it in the conversation `shop`. */
  async function annAsks(first: First, more: { participant: Participant | undefined } = { participant: ann }) {
    const { replica, says: saysAt, advance } = world();
    const phone = new TestChannel();
    const registry: AgentRegistry = await replica({ channels: [phone], agents: [made(first, () => registry)] });
    const says = async (line: string, participant: Participant | undefined, conversationId = 'shop') => {
      await saysAt(phone, line, { conversationId, ...({ participant } as { participant: Participant }) });
      await settle();
    };
    const open = async (question: string) =>
      (await registry.listAsks()).asks.find((ask) => ask.question === question) as PendingAsk<unknown>;
    await says('go', more.participant);
    return { registry, phone, says, open, advance };
  }

  test('the next question of a flow is for the requester, with her tenant and her language', async () => {
    const { says, open, registry } = await annAsks({ next: ({ ask }, _registry, second) => ask(second) });
    expect(await open('Go on?')).toMatchObject({ asker: { id: 'phone:ann', tenant: 'north', locale: 'de' } });
    await says('yes', nora);
    const { id, asker } = await open('How many?');
    expect(asker).toEqual({ id: 'phone:ann', tenant: 'north', locale: 'de' });
    expect(await registry.answer(id, { text: '2' }, { by: nora })).toEqual({ type: 'refused' });
    expect(await registry.answer(id, { text: '2' }, { by: ann })).toMatchObject({ type: 'accepted' });
  });

  const others = { answerableBy: managers, excludeAsker: true } as const;
  test.each<[string, Next]>([
    ['ask', ({ ask }, _registry, second) => ask(second, others)],
    [
      'ask via another conversation',
      ({ ask }, _registry, second) => ask(second, { ...others, via: { channel: 'phone', to: 'board' } }),
    ],
    ['askAndWait', async ({ askAndWait }, _registry, second) => void (await askAndWait(second, others))],
    ['registry.ask', (_turn, registry) => registry.ask('How many?', { ...others, channel: 'phone', to: 'board' })],
    [
      'registry.askAndWait',
      async (_turn, registry) =>
        void (await registry.askAndWait('How many?', { ...others, channel: 'phone', to: 'board' })),
    ],
  ])('excludeAsker by %s: who answered the first question may answer, the requester may not', async (_by, next) => {
    for (const away of [false, true]) {
      const { says, open, registry } = await annAsks({ next, away });
      await says('yes', nora, away ? 'ops' : 'shop');
      const { id, asker } = await open('How many?');
      expect(asker?.id).toBe('phone:ann');
      const answered = (by: Participant) => registry.answer(id, { text: '2' }, { by });
      expect([await answered(ann), await answered(stan)]).toEqual([{ type: 'refused' }, { type: 'refused' }]);
      expect(await answered(nora)).toMatchObject({ type: 'accepted' });
      await registry.stop();
    }
  });

  test('an approval in a handler: who answered the first question may approve, the requester may not', async () => {
    const done: unknown[] = [];
    const next: Next = async (_turn, registry) => {
      const rules = { where: { channel: 'phone', to: 'board' }, ...others };
      done.push(await approve(registry, rules).request({ tool: 'refund', input: 1 }));
    };
    const { says, registry } = await annAsks({ next });
    await says('yes', nora);
    const [ask] = (await registry.listAsks()).asks.filter(({ conversationId }) => conversationId === 'board');
    expect(await registry.answer(ask?.id ?? '', { text: 'once' }, { by: ann })).toEqual({ type: 'refused' });
    await says('once', nora, 'board');
    expect(done).toMatchObject([{ approved: true }]);
    await registry.stop();
  });

  test('a question answered elsewhere continues there: it is put to those who write there, for the requester', async () => {
    const { says, open, phone } = await annAsks({ away: true, next: ({ ask }, _registry, second) => ask(second) });
    await says('yes', nora, 'ops');
    expect(await open('How many?')).toMatchObject({
      conversationId: 'ops',
      asker: { id: 'phone:ann', tenant: 'north', locale: 'de' },
    });
    await says('2', nora, 'ops');
    await settle();
    expect(await open('How many?')).toBeUndefined();
    expect(phone.texts('shop')).toEqual([]);
  });

  test('the requester is known three conversations later', async () => {
    const via = (to: string) => ({ via: { channel: 'phone', to }, answerableBy: managers });
    const next: Next = ({ ask, pending, conversationId }) =>
      pending.asker?.id === 'phone:ann' && conversationId !== 'board' ? ask('Go on?', via('board')) : undefined;
    const { says, registry } = await annAsks({ away: true, next });
    await says('yes', nora, 'ops');
    const [there] = (await registry.listAsks()).asks;
    expect(there).toMatchObject({ conversationId: 'board', asker: { id: 'phone:ann', locale: 'de' } });
    expect(await registry.answer(there?.id ?? '', { text: 'yes' }, { by: stan })).toEqual({ type: 'refused' });
  });

  test('what is asked after an expiry is for the requester', async () => {
    const { open, advance } = await annAsks({ expiresIn: 1_000, away: true, next: ({ ask }) => ask('Go on now?') });
    await advance(10_000);
    expect(await open('Go on now?')).toMatchObject({ conversationId: 'ops', asker: { id: 'phone:ann' } });
  });

  test('where nobody is known who asked, what follows is put to those of the tenant who write there', async () => {
    const asks: First = { answerableBy: 'anyone', next: ({ ask }, _registry, second) => ask(second) };
    const { says, open } = await annAsks(asks, { participant: undefined });
    await says('yes', nora);
    const { asker } = await open('How many?');
    expect(asker).toBeUndefined();
    await says('2', stan);
    expect(await open('How many?')).toBeDefined(); // of another tenant than who answered before
    await says('2', { id: 'phone:mia', tenant: 'north' });
    expect(await open('How many?')).toBeUndefined();
  });
});

test('a grant for a session that was given in a handler holds for the requester only', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const done: unknown[] = [];
  const shop = agent('shop');
  const registry: AgentRegistry = await replica({ channels: [phone], agents: [shop] });
  const approval = approve(registry, {
    where: { channel: 'phone', to: 'board' },
    answerableBy: managers,
    session: true,
  });
  const go = shop.question('go', confirm('Go on?'), {
    ...{ answerableBy: managers, via: { channel: 'phone', to: 'ops' } },
    onAnswer: async (_yes, { pending }) => {
      done.push([pending.asker?.id, (await approval.request({ tool: 'refund', input: 1 })).approved]);
    },
  });
  shop.onMessage(({ message, ask }) => (message === 'go' ? ask(go) : undefined));
  const flow = async (conversationId: string, participant: Participant) => {
    await says(phone, 'go', { conversationId, participant });
    await says(phone, 'yes', { conversationId: 'ops', participant: nora });
  };
  await flow('of ann', ann);
  await says(phone, 'for this session', { conversationId: 'board', participant: nora });
  expect(done).toEqual([['phone:ann', true]]);
  await flow('of zoe', { id: 'phone:zoe', tenant: 'north' });
  expect(done).toHaveLength(1); // it is asked again
  await says(phone, 'once', { conversationId: 'board', participant: nora });
  await flow('of ann', ann);
  expect(done).toEqual([
    ['phone:ann', true],
    ['phone:zoe', true],
    ['phone:ann', true],
  ]);
  await registry.stop();
});

test('listAsks({ participantId }) finds what was asked for them where it was put to others, pending and decided', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const shop = agent('shop');
  const pay = shop.question('pay', text('Pay it?'), { answerableBy: 'anyone', onAnswer: () => undefined });
  shop.onMessage(({ ask }) => ask(pay, { via: { channel: 'phone', to: 'ops' } }));
  const registry = await replica({ channels: [phone], agents: [shop] });
  await says(phone, 'go', { conversationId: 'shop', participant: ann });
  await registry.ask(pay, { channel: 'phone', to: 'desk', asker: ann });
  const found = async (participantId: string, status: 'pending' | 'decided') =>
    (await registry.listAsks({ participantId, status })).asks.map((ask) => ask.conversationId).sort();
  expect(await found(ann.id, 'pending')).toEqual(['desk', 'ops']);
  expect(await found(nora.id, 'pending')).toEqual([]);
  await says(phone, 'yes', { conversationId: 'ops', participant: nora });
  await says(phone, 'yes', { conversationId: 'desk', participant: nora });
  expect(await found(ann.id, 'pending')).toEqual([]);
  expect(await found(ann.id, 'decided')).toEqual(['desk', 'ops']);
  expect(await found(nora.id, 'decided')).toEqual([]);
});
