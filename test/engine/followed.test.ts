/**
 * Where a turn is known: in all that an agent's author wrote, before and after it waits; and that nobody pays for the second
 * where nothing waits. Each test has the library for itself, for what is followed once is followed from then on.
 */
import { setImmediate as tick } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { agent, Declared } from '../../src/index.js';
import { Current } from '../../src/registry/turn/current-turn.js';

/** True if Node keeps account of every promise, which it does from the first AsyncLocalStorage on. */
const isFollowed = (): boolean => Object.getOwnPropertySymbols(Promise.resolve()).length > 0;

type Handler = Parameters<ReturnType<typeof agent>['onMessage']>[0];
type Handlers = Partial<Parameters<ReturnType<typeof agent>['question']>[2]>;
type See = () => void;

/** An agent of these handlers, and where they were. */
async function shop(
  onMessage: (see: See, order: Declared<unknown>) => Handler,
  handlers: (see: See) => Handlers = () => ({}),
) {
  vi.resetModules();
  const { agent, text } = await import('../../src/index.js');
  const { turns } = await import('../../src/registry/turn/turn.js');
  const { TestChannel, world } = await import('./kit.js');
  const seen: (string | undefined)[] = [];
  const see = (): void => {
    seen.push(turns.get()?.conversationId);
  };
  const phone = new TestChannel();
  const support = agent('support');
  const order = support.question('order', text('Which order?', { pattern: /^\d+$/ }), {
    onAnswer: () => undefined,
    ...handlers(see),
  });
  support.onMessage(onMessage(see, order));
  const { says, replica } = world();
  const registry = await replica({ agents: [support], channels: [phone] });
  return { seen, see, registry, phone, says: (words: string) => says(phone, words) };
}

const asking =
  (see: See, order: Declared<unknown>): Handler =>
  ({ message, ask }) => {
    if (message === 'ask') return ask(order);
    see();
    return undefined;
  };

test('nobody pays for following where no handler waits: neither for messages nor for answers', async () => {
  const { says, seen } = await shop(asking, (see) => ({
    onAnswer: () => see(),
    onClosed: () => see(),
    check: () => true,
    effectKey: () => 'k',
    maxRetries: 0,
  }));
  for (const words of ['hello', 'ask', '12345', 'ask', 'what?', 'ask', 'cancel']) await says(words);
  expect(seen).toEqual(['c1', 'c1', 'c1', 'c1']);
  expect(isFollowed()).toBe(false);
});

test('what comes after a stored decision knows its turn, although that was waited for', async () => {
  const { says, seen } = await shop(asking, (see) => ({
    check: () => {
      see();
      return true;
    },
    effectKey: () => {
      see();
      return 'k';
    },
    onAnswer: () => see(),
  }));
  await says('ask');
  await says('12345');
  expect(seen).toEqual(['c1', 'c1', 'c1']);
});

const waiting: Record<string, (see: See) => Handler> = {
  'an async handler': (see) => async () => {
    see();
    await tick();
    see();
  },
  'a handler after once()': (see) => (turn) => {
    see();
    return turn.once('k', async () => undefined).then(see);
  },
  'the work of once()': (see) => (turn) =>
    turn.once('k', async () => {
      see();
      await tick();
      see();
    }),
};
for (const [what, handler] of Object.entries(waiting)) {
  test(`${what} knows its turn before and after it waits, the very first time`, async () => {
    const { says, seen } = await shop(handler);
    await says('hello');
    expect(seen).toEqual(['c1', 'c1']);
  });
}

test('async handlers of a question know their turn after they have waited', async () => {
  const { says, seen } = await shop(asking, (see) => {
    const late = async (): Promise<void> => {
      await tick();
      see();
    };
    return {
      onAnswer: late,
      onClosed: late,
      check: async () => {
        await late();
        return true as const;
      },
      maxRetries: 0,
    };
  });
  for (const words of ['ask', '12345', 'ask', 'what?']) await says(words);
  expect(seen).toEqual(['c1', 'c1', 'c1']);
});

test('a handler that waits without being async is followed from its second turn on', async () => {
  const { says, seen } = await shop((see) => () => tick().then(see));
  for (const words of ['one', 'two', 'three']) await says(words);
  expect(seen.slice(1)).toEqual(['c1', 'c1']);
});

test('what a handler is given acts in its turn whenever it is called, the very first time too', async () => {
  const { says, phone } = await shop(
    () => (turn) =>
      tick().then(() => {
        turn.progress('Working');
        return turn.once('k', async () => 'Done.');
      }),
  );
  await says('hello');
  expect(phone.texts()).toEqual(['Working', 'Done.']);
});

test('the registry, called by a handler that waits without being async, knows the turn of its caller', async () => {
  const state: { cancel?: () => Promise<unknown> } = {};
  const { says, seen, registry } = await shop((see) => () => state.cancel?.().then(see));
  state.cancel = () => registry.cancel({ conversationId: 'c1' });
  await says('hello');
  expect(seen).toEqual(['c1']);
});

test('the registry, called late by a handler that does not show that it waits, does not wait for that turn', async () => {
  const state: { cancel?: () => Promise<unknown> } = {};
  const { says, phone, registry } = await shop(() => () => tick().then(() => state.cancel?.().then(() => 'Done.')));
  state.cancel = () => registry.cancel({ conversationId: 'c1' });
  await says('hello');
  expect(phone.texts()).toEqual(['Done.']);
});

test('outside of turns there is none, before something is followed and afterwards', async () => {
  const { says, see, seen } = await shop(waiting['an async handler'] as (typeof waiting)[string]);
  see();
  await says('hello');
  see();
  expect(seen).toEqual([undefined, 'c1', 'c1', undefined]);
});

test('what is followed while something runs ends with it, and what runs around it goes on', async () => {
  const current = new Current<{ readonly name: string; readonly ended: boolean }>();
  const [outer, inner] = ['outer', 'inner'].map((name) => ({ name, ended: false }));
  const late: Promise<string | undefined>[] = [];
  const look = (): void => void late.push(tick().then(() => current.get()?.name));
  current.run(outer, () => {
    current.run(inner, () => {
      current.follow();
      look();
    });
    look();
  });
  look();
  expect(await Promise.all(late)).toEqual(['inner', 'outer', undefined]);
});
