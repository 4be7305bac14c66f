/** Ways in which a sensitive answer could get out of its handler: errors, parking, repeats, late replies, texts that quote it. */
import { expect, test } from 'vitest';
import type { AgentRegistry, IncomingMessage, Model, PlainAgent, Question } from '../../../src/index.js';
import { AgentError, agent, confirm, form, text } from '../../../src/index.js';
import type { Handlers } from '../../../src/registry/turn/question-handlers.js';
import { gate, minute, settle, storeWith, TestChannel, world } from '../../support/engine.js';
import { jsonOf } from '../../support/store.js';

const secret = 'hunter2-of-anna';

interface Asking<T> {
  readonly question?: Question<T>;
  readonly handlers?: Partial<Handlers<T>>;
  readonly act?: (of: PlainAgent) => void;
}

/** Ann was asked; `leaks` says where the secret stands: what was stored for good, sent, logged, told or shown. */
async function annWasAsked<T = string>({ question, handlers = {}, act }: Asking<T> = {}) {
  const here = world();
  const phone = new TestChannel();
  const seen: Record<string, unknown[]> = { logged: [], told: [], history: [] };
  const note = (what: string, more?: object) => seen['logged']?.push([what, more]);
  const logger = { debug: note, info: note, warn: note, error: note };
  const bank = agent('bank');
  const pin = bank.question('pin', (question ?? text('Your PIN?')) as Question<T>, {
    sensitive: true,
    onAnswer: () => 'Thank you.',
    ...handlers,
  });
  if (act === undefined) bank.onMessage(({ message, ask }) => (message === 'go' ? ask(pin) : 'Hello.'));
  else act(bank);
  const store = storeWith(here.store, {
    save: (call) => {
      seen['history']?.push(call.history);
      return here.store.save(call);
    },
  });
  const registry: AgentRegistry = await here.replica({ agents: [bank], channels: [phone], logger, store });
  for (const event of ['failed', 'parked', 'handled', 'answered', 'refused', 'deliveryFailed', 'delivered'] as const)
    registry.on(event, (about) => seen['told']?.push(about));
  const says = (words: string) => here.says(phone, words);
  await says('go');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  const leaks = async () => {
    const shown = [
      (await registry.parked()).items,
      await registry.listAsks(),
      await registry.getAsk(id),
      await registry.history('c1'),
      await registry.outputs('c1'),
    ];
    const all = { ...seen, shown, sent: phone.sent };
    return Object.entries(all).flatMap(([where, what]) => (jsonOf(what).includes(secret) ? [where] : []));
  };
  return { ...here, phone, registry, says, id, leaks };
}

const throwing = (answer: unknown): never => {
  throw new Error(`Cannot use ${JSON.stringify(answer)}`);
};

test.each<[string, Partial<Handlers<string>>]>([
  ['check', { check: throwing }],
  ['onAnswer', { onAnswer: throwing }],
  ['effectKey', { effectKey: throwing }],
  [
    'onAnswer, with a name and a code of its own,',
    {
      onAnswer: (answer) => {
        throw Object.assign(new Error('no'), { name: `Bad ${answer}`, code: answer });
      },
    },
  ],
  ['check, with a wrong result', { check: (answer) => ({ answer }) as never }],
])(
  'the error of a %s that quotes the answer stands in no event, log or view, before and after a retry',
  async (_, handlers) => {
    const { says, advance, registry, leaks } = await annWasAsked({ handlers });
    await says(secret);
    await advance(10 * minute);
    const [parked] = (await registry.parked()).items;
    expect(parked?.failure.message).toMatch(/^The message is not kept/);
    void registry.retry(parked?.id ?? '').catch(() => {});
    await settle();
    await advance(10 * minute);
    expect((await registry.parked()).items).toHaveLength(1);
    expect(await leaks()).toEqual([]);
    await registry.stop();
  },
);

test('the error of a turn that waited for a sensitive answer is not quoted', async () => {
  const { says, advance, registry, leaks } = await annWasAsked({
    act: (bank) =>
      bank.onMessage(async ({ message, askAndWait }) => {
        if (message === 'go') throwing(await askAndWait('Your PIN?', { sensitive: true }));
      }),
  });
  await says(secret);
  await advance(10 * minute);
  expect((await registry.parked()).items).toHaveLength(1);
  expect(await leaks()).toEqual([]);
  await registry.stop();
});

test('an answer that was sent twice is not quoted where the second one meets the next question of the turn', async () => {
  const { says, registry, leaks } = await annWasAsked({
    act: (bank) =>
      bank.onMessage(async ({ message, askAndWait }) => {
        if (message !== 'go') return 'Hello.';
        await askAndWait('Your PIN?', { sensitive: true });
        const sure = await askAndWait(confirm('Pay it?'));
        return sure.status;
      }),
  });
  await Promise.all([says(secret), says(secret)]);
  await says('yes');
  expect(await leaks()).toEqual([]);
  await registry.stop();
});

test('a reply that was parked is no ordinary message when it is retried after somebody else answered', async () => {
  let fails = true;
  const { says, advance, registry, leaks, id, phone } = await annWasAsked({
    handlers: { check: (answer) => (fails ? throwing(answer) : true), answerableBy: 'anyone' },
  });
  await says(secret);
  await advance(10 * minute);
  fails = false;
  await registry.answer(id, { text: 'another' }, { by: { id: 'phone:bob' } });
  const [parked] = (await registry.parked()).items;
  expect(await registry.retry(parked?.id ?? '')).toEqual({ type: 'already', askId: id });
  expect(phone.texts()).not.toContain('Hello.');
  expect(await leaks()).toEqual([]);
  await registry.stop();
});

test.each(['/hunter2-of-anna', secret])('a reply %s stands nowhere, even if it looks like a command', async (words) => {
  const { says, registry, leaks } = await annWasAsked();
  await says(words);
  expect(await leaks()).toEqual([]);
  await registry.stop();
});

test('a sensitive reply that is sent twice is quoted neither time', async () => {
  const { says, registry, leaks } = await annWasAsked();
  await says(secret);
  await says(secret);
  await says(secret);
  expect(await leaks()).toEqual([]);
  await registry.stop();
});

test('a sensitive reply that comes after a cancel is not quoted, however late; what follows it is', async () => {
  const { says, registry, leaks, advance, id } = await annWasAsked();
  await registry.cancel(id);
  await advance(60 * minute);
  await says(secret);
  expect(await leaks()).toEqual([]);
  await says('and now for something else');
  expect(JSON.stringify(await registry.history('c1'))).toContain('something else');
  await registry.stop();
});

test('a minute after the answer, what people write is remembered again', async () => {
  const { says, registry, advance } = await annWasAsked();
  await says(secret);
  await advance(minute);
  await says('transfer 50');
  expect(JSON.stringify(await registry.history('c1'))).toContain('transfer 50');
  await registry.stop();
});

test('a reply to an ask that nobody knows any more is not quoted: the ask may have been sensitive', async () => {
  const { says, registry, leaks, advance, id, phone } = await annWasAsked();
  await says('first');
  await advance(2 * minute);
  await registry.erase({ conversationId: 'c1' });
  await phone.desk?.receive({
    id: 'x',
    conversationId: 'c1',
    text: secret,
    askId: id,
    participant: { id: 'phone:ann' },
  });
  await settle();
  expect(await leaks()).toEqual([]);
  await registry.stop();
});

test('a check that quotes the answer is not sent, stored or told; one that does not, is', async () => {
  const quoting = await annWasAsked({ handlers: { check: (answer) => `${answer} is too short.` } });
  await quoting.says(secret);
  expect(await quoting.leaks()).toEqual([]);
  expect(quoting.phone.texts()).toHaveLength(2);
  await quoting.registry.stop();
  const plain = await annWasAsked({ handlers: { check: () => 'Six digits, as on your card.' } });
  await plain.says(secret);
  expect(plain.phone.texts().at(-1)).toContain('Six digits');
  await plain.registry.stop();
});

test('the check of a sensitive form that quotes a field is neither sent nor remembered', async () => {
  const login = form('Log in', { user: text('User?'), word: text('Password?') });
  const { says, registry, leaks, phone } = await annWasAsked({
    question: login,
    handlers: { check: ({ word }) => `The password ${word} is wrong.` },
  });
  await says('anna');
  await says(secret);
  expect(phone.sent.length).toBeGreaterThan(2);
  expect(await leaks()).toEqual([]);
  await registry.stop();
});

test('what may have been the answer stays hidden when its turn was parked, and is retried long after the question ended', async () => {
  let isBroken = true;
  const { says, registry, id, advance, leaks } = await annWasAsked({
    act: (bank) => {
      const secretPin = bank.question('secret', text('Your PIN?'), { sensitive: true, onAnswer: () => 'Thank you.' });
      bank.onMessage(({ message, ask }) => {
        if (message === 'go') return ask(secretPin);
        if (isBroken && message.startsWith('/')) throw new AgentError('bad-option', 'An unknown command.');
        return 'Hello.';
      });
    },
  });
  await says(`/pin ${secret}`); // a command is no reply, but it may have been meant as one
  const [parked] = (await registry.parked()).items;
  await registry.cancel(id);
  await advance(10 * minute);
  await says('hello'); // from here on nothing else remembers that a sensitive question was open
  await advance(10 * minute);
  await says('hello again');
  isBroken = false;
  expect(await registry.retry(parked?.id ?? '')).toEqual({ type: 'ordinary' });
  expect(await leaks()).toEqual([]);
  await registry.stop();
});

test.each<[string, object, string]>([
  ['text', { text: 4711 }, 'a number'],
  ['choice', { text: '', choice: 4711 }, 'a number'],
  ['choice', { text: '', choice: ['4711', 4711] }, '[a string, a number]'],
])('a message whose %s is no string is refused without quoting it', async (field, message, kind) => {
  const logged: unknown[] = [];
  const note = (...about: unknown[]) => void logged.push(about);
  const phone = new TestChannel();
  const logger = { debug: note, info: note, warn: note, error: note };
  const registry = await world().replica({
    agents: [agent('bank').onMessage(() => 'Hello.')],
    channels: [phone],
    logger,
  });
  registry.on('rejected', note);
  const refused = registry.handle({ id: '1', conversationId: 'c1', ...message } as IncomingMessage);
  await expect(refused).rejects.toThrow(new RegExp(`${field} must be .*, got ${kind.replace(/[[\]]/g, '\\$&')}`));
  await expect(refused).rejects.not.toThrow('4711');
  expect(logged).toHaveLength(2);
  expect(JSON.stringify(logged)).not.toContain('4711');
});

test('a message that is no object, and a text for answer() that is no string, are refused without quoting them', async () => {
  const { registry, id } = await annWasAsked();
  const message: unknown = secret;
  await expect(registry.handle(message as IncomingMessage)).rejects.toThrow('got a string.');
  const words: unknown = 4711;
  await expect(registry.answer(id, { text: words as string })).rejects.toThrow('text must be a string, got a number.');
});

/** Ann was asked for her PIN by an agent that gives everything else to its model; `seen` is what classify and the model saw. */
async function modelBehind(handlers: Partial<Handlers<string>> = {}) {
  const here = world();
  const phone = new TestChannel();
  const seen: string[] = [];
  const model: Model = async (request) => {
    seen.push(JSON.stringify(request));
    return { text: 'The model says hi.' };
  };
  const bank = agent('bank', { model });
  const pin = bank.question('pin', text('Your PIN?'), { sensitive: true, onAnswer: () => 'Unlocked.', ...handlers });
  bank.onMessage(({ message, ask, run }) => (message === 'go' ? ask(pin) : run(message)));
  const classify = ({ text: words }: IncomingMessage) => {
    seen.push(words);
    return undefined;
  };
  const registry = await here.replica({ agents: [bank], channels: [phone], classify });
  const says = (words: string) => here.says(phone, words);
  await says('go');
  return { ...here, registry, phone, seen, says };
}

test('a sensitive answer that is sent twice at once is shown to no model; what is written after it is', async () => {
  const working = gate();
  const { registry, phone, seen, says } = await modelBehind({ onAnswer: () => working.passed.then(() => 'Unlocked.') });
  await Promise.all([says(secret), says(secret)]);
  working.open();
  await settle();
  expect(phone.texts()).toEqual(['Your PIN?', 'Unlocked.', 'This was already answered by Ann.']);
  expect(seen.join()).not.toContain(secret);
  await says('thank you');
  expect(phone.texts().at(-1)).toBe('The model says hi.');
  expect(seen.join()).not.toContain(secret);
  expect(JSON.stringify(await registry.history('c1'))).not.toContain(secret);
  await registry.stop();
});

test('a sensitive answer that comes after its deadline is shown to no model; what is written after it is', async () => {
  const { registry, phone, seen, says, advance } = await modelBehind({ expiresIn: minute });
  await advance(2 * minute);
  await says(secret);
  expect(phone.texts().at(-1)).toBe('The time to answer this is over.');
  await says('thank you');
  expect(phone.texts().at(-1)).toBe('The model says hi.');
  expect(seen.join()).not.toContain(secret);
  await registry.stop();
});

test('what is written while a turn works on after a sensitive answer is handled when the turn is over', async () => {
  const { phone, advance, says, replica } = { ...world(), phone: new TestChannel() };
  const working = gate();
  const bank = agent('bank').onMessage(async ({ message, askAndWait }) => {
    if (message !== 'go') return `You said ${message}`;
    await askAndWait(text('Your PIN?'), { sensitive: true });
    await working.passed;
    return 'Unlocked.';
  });
  const registry = await replica({ agents: [bank], channels: [phone] });
  const go = (words: string) => says(phone, words);
  await go('go');
  await go(secret);
  await advance(1_000);
  await go('and my balance?');
  working.open();
  await settle();
  expect(phone.texts()).toEqual(['Your PIN?', 'Unlocked.', 'You said and my balance?']);
  await registry.stop();
});
