/** The channel contract can fail: for each promise there is a channel that breaks it, and the test of that promise fails. */
import { expect, test } from 'vitest';
import { shownChoices } from '../../../src/channels/plain.js';
import { inert } from '../../../src/core/text.js';
import type { Channel, Desk, IncomingMessage, OutgoingMessage } from '../../../src/index.js';
import { type ChannelDriver, type ChannelWorld, channelContract } from '../../../src/testing/index.js';

/** What is wrong with the channel. */
interface Faults {
  readonly incoming?: (message: IncomingMessage) => IncomingMessage;
  readonly isAcknowledgedEarly?: boolean;
  readonly isAcknowledgedAnyway?: boolean;
  readonly isAcknowledgedAndDropped?: boolean;
  readonly isRecordedBeforeStop?: boolean;
  readonly drawn?: (text: string, message: OutgoingMessage) => string;
  readonly isWithoutOptions?: boolean;
  readonly isNotRedrawn?: boolean;
  readonly isSentTwice?: boolean;
  readonly isFoundByAnyKey?: boolean;
  readonly isUpdateShownAgain?: boolean;
  readonly isAddressElsewhere?: boolean;
  readonly isAnyIdOwn?: boolean;
  readonly isWithoutUpdate?: boolean;
  readonly isFailureSwallowed?: boolean;
  readonly isSecretTold?: boolean;
  readonly isDeafAfterGarbage?: boolean;
  readonly isGarbageTaken?: boolean;
  readonly isPoseTaken?: boolean;
  readonly hearsAfterStop?: boolean;
  readonly isLongCut?: boolean;
  readonly isDeafAfterBlank?: boolean;
  readonly isSaidBackwards?: boolean;
}

interface Shown {
  readonly key: string;
  readonly text: string;
  controls: readonly string[];
}

/** A platform in memory that can do everything, and a channel to it with the given faults. */
function platform(faults: Faults) {
  return async (_: ChannelWorld): Promise<ChannelDriver> => {
    const shown: Shown[] = [];
    const wire: string[] = [];
    const recording: Promise<unknown>[] = [];
    let desk: Desk | undefined;
    let isDown = false;
    let isDeaf = false;
    let question: NonNullable<OutgoingMessage['ask']> | undefined;
    const channel: Channel = {
      name: 'model',
      start: (given) => {
        desk = given;
      },
      send: async (message) => {
        if (isDown && !faults.isFailureSwallowed) throw new Error(`down${faults.isSecretTold ? ' tok_4711' : ''}`);
        if (isDown || (!faults.isSentTwice && shown.some(({ key }) => key === message.key))) return message.key;
        question = message.ask ?? question;
        const details = Object.entries(message.ask?.details ?? {}).map((each) => each.join(': '));
        const text = [inert(message.text), ...details].join('\n');
        const choices = message.shape.type === 'choices' && !faults.isWithoutOptions ? shownChoices(message.shape) : [];
        const each = {
          key: faults.isSentTwice ? `${shown.length}` : message.key,
          text: faults.drawn?.(text, message) ?? text,
          controls: choices.map(({ label }) => label),
        };
        wire.push(JSON.stringify(each));
        if (faults.isSaidBackwards) shown.unshift(each);
        else shown.push(each);
        return message.key;
      },
      update: async (sentId) => {
        const found = shown.find((each) => each.key === sentId);
        if (found !== undefined && !faults.isNotRedrawn) found.controls = [];
        if (found !== undefined && faults.isUpdateShownAgain) shown.push({ ...found });
      },
      findSent: async ({ key }) => {
        const found = shown.find((each) => each.key === key || faults.isFoundByAnyKey);
        return found?.key;
      },
      conversationFor: (to) => (faults.isAddressElsewhere ? `${to}2` : `${to}`),
      isOwnId: (id) => faults.isAnyIdOwn === true || id.startsWith('model:'),
      addressOf: (id) => (id === 'model:ann' ? 'c' : undefined),
      stop: async () => {
        if (!faults.hearsAfterStop) desk = undefined;
        if (faults.isRecordedBeforeStop) await Promise.allSettled(recording);
      },
    };
    if (faults.isWithoutUpdate) delete channel.update;
    const from = { conversationId: 'c', participant: { id: 'model:ann' } };
    const deliver = async (message: Omit<IncomingMessage, 'conversationId'>) => {
      if (faults.hearsAfterStop && desk !== undefined && isDeaf === false && message.id === 'late') return 'received';
      if (desk === undefined || isDeaf) return 'refused';
      if (faults.isDeafAfterBlank && message.text === ' ') isDeaf = true;
      if (faults.isAcknowledgedAndDropped) return 'received';
      const written = { ...from, ...message };
      const taking = desk.receive(faults.incoming?.(written) ?? written);
      recording.push(taking);
      if (faults.isAcknowledgedEarly) return 'received';
      return taking.then(
        () => 'received' as const,
        () => (faults.isAcknowledgedAnyway ? ('received' as const) : ('refused' as const)),
      );
    };
    return {
      channel,
      participantId: 'model:ann',
      address: 'c',
      secrets: ['tok_4711'],
      says: ({ id, text }) => deliver({ id, text: faults.isLongCut ? text.slice(0, 1_000) : text }),
      seen: () => shown,
      wire: () => wire.join('\n'),
      presses: (label, id) => {
        const choice = question?.choices?.find((each) => label.endsWith(each.label))?.id ?? label;
        return deliver({ id, text: '', askId: question?.id ?? '', choice });
      },
      quotes: ({ id, text }) => deliver({ id, text, askId: question?.id ?? '' }),
      poses: async ({ id, text }, participantId) =>
        deliver({ id, text, ...(faults.isPoseTaken ? { participant: { id: participantId } } : {}) }),
      fails: (isOn) => {
        isDown = isOn;
      },
      garbage: async () => {
        if (faults.isDeafAfterGarbage) isDeaf = true;
        return [faults.isGarbageTaken ? 'received' : 'refused'];
      },
    };
  };
}

const can = ['buttons', 'update', 'findSent', 'quotes', 'addresses', 'people'] as const;

/** The tests of the contract, by name. */
function tests(faults: Faults, patience = 5_000): ReadonlyMap<string, () => Promise<void>> {
  const all = new Map<string, () => Promise<void>>();
  channelContract({ test: (name, run) => all.set(name, run), open: platform(faults), can, patience });
  return all;
}

let made = 0;
const without = (...names: (keyof IncomingMessage)[]): Faults => ({
  incoming: (message) =>
    Object.fromEntries(Object.entries(message).filter(([name]) => !names.some((each) => each === name))) as never,
});

/** By the test that must fail. */
const broken: Readonly<Record<string, Faults>> = {
  'the channel can what the contract is told': { isWithoutUpdate: true },
  'a message arrives as it was written': {
    incoming: (message) => ({ ...message, text: message.text.trim().slice(1) }),
  },
  'a message is acknowledged only after it is recorded': { isAcknowledgedEarly: true },
  'a message that cannot be recorded is not acknowledged, and is taken when it comes again': {
    isAcknowledgedAnyway: true,
  },
  'the same message again is one message': { incoming: (message) => ({ ...message, id: `made-${++made}` }) },
  'an option that is pressed names its ask and its id': without('askId', 'choice'),
  'a press that comes twice is one answer': { incoming: (message) => ({ ...message, id: `made-${++made}` }) },
  'what is typed after a question answers it': { incoming: (message) => ({ ...message, sentAt: 1_700_000_000 }) },
  'a reply that quotes a question names it': without('askId'),
  'nobody can write as somebody else by what a message says': { isPoseTaken: true },
  'malformed input is refused, and what follows is taken': { isGarbageTaken: true },
  'a message that is too long is refused, or its author is told': { isLongCut: true },
  'a blank message harms nothing': { isDeafAfterBlank: true },
  'after stop() nothing is taken, and nothing is acknowledged': { hearsAfterStop: true },
  'what is said is shown, in order': { isSaidBackwards: true },
  'a message that is sent twice is shown once, or carries its key twice': { isSentTwice: true },
  'a question shows its text, its details and its options': { isWithoutOptions: true },
  'a question that is over has no controls any more': { isNotRedrawn: true },
  'an update that comes twice changes nothing more': { isUpdateShownAgain: true },
  'a question that was sent is found by its key, and by no other': { isFoundByAnyKey: true },
  'the address of a person leads to the conversation in which their messages arrive': { isAddressElsewhere: true },
  'a person is known by the id that their messages come with': { isAnyIdOwn: true },
  'text is shown as it stands, and without characters that change what is around it': {
    drawn: (text) => text.replace(/<(\w+)>(.*?)<\/\1>/g, '$2'),
  },
  'a character that draws nothing is shown as its code, and ordinary text as it stands': {
    drawn: (text) => text.replaceAll('\\u{3164}', '\u3164'),
  },
  'the context of an ask never leaves': { drawn: (text) => `${text} context-that-never-leaves` },
  'a send that the platform did not take rejects, and it is shown when the platform is back': {
    isFailureSwallowed: true,
  },
  'errors and logs carry no secrets': { isSecretTold: true },
};

const limited = { timeout: 60_000 };

test('a channel that keeps every promise passes every test', limited, async () => {
  for (const run of tests({}).values()) await run();
});

test('every test of the contract has a channel that fails it', () => {
  expect(Object.keys(broken).sort()).toEqual([...tests({}).keys()].sort());
});

test.each(Object.entries(broken))('a broken channel fails: %s', limited, async (name, faults) => {
  await expect(tests(faults, 300).get(name)?.()).rejects.toThrow();
});

test(
  'characters that change what is around them, and an error after malformed input, are found as well',
  limited,
  async () => {
    const hostile = tests({ drawn: (_, { text }) => text });
    await expect(
      hostile.get('text is shown as it stands, and without characters that change what is around it')?.(),
    ).rejects.toThrow(/control character is shown/);
    const deaf = tests({ isDeafAfterGarbage: true });
    await expect(deaf.get('malformed input is refused, and what follows is taken')?.()).rejects.toThrow(/was refused/);
  },
);

test(
  'a failed test of a channel that waits in stop() for what is being recorded ends, and says what failed',
  limited,
  async () => {
    const early = tests({ isAcknowledgedEarly: true, isRecordedBeforeStop: true });
    await expect(early.get('a message is acknowledged only after it is recorded')?.()).rejects.toThrow(
      'the platform was told before the message was recorded',
    );
  },
);

test('a message that is acknowledged and never recorded is named', limited, async () => {
  const dropping = tests({ isAcknowledgedAndDropped: true }, 300);
  await expect(dropping.get('what is said is shown, in order')?.()).rejects.toThrow(
    'it never came about: "one", which was acknowledged, is recorded',
  );
});

test('what is skipped is named and has a reason, and a driver that cannot do something says so', async () => {
  const options = { test: () => {}, open: platform({}), can };
  expect(() =>
    channelContract({ ...options, skip: [{ reason: 'old', tests: ['a blank mesage harms nothing'] }] }),
  ).toThrow(
    'channelContract(): there is no test "a blank mesage harms nothing" to skip. Did you mean "a blank message harms nothing"?',
  );
  expect(() => channelContract({ ...options, skip: [{ reason: ' ', tests: [] }] })).toThrow(
    'why this channel cannot do it',
  );
  const all = new Map<string, () => Promise<void>>();
  const open = async (world: ChannelWorld) => {
    const { quotes: _, ...rest } = await platform({})(world);
    return rest;
  };
  channelContract({ test: (name, run) => all.set(name, run), open, can });
  await expect(all.get('a reply that quotes a question names it')?.()).rejects.toThrow(/the driver has no quotes\(\)/);
});

test('a capability that is not named, or that there is not, is told', async () => {
  const all = new Map<string, () => Promise<void>>();
  channelContract({ test: (name, run) => all.set(name, run), open: platform({}) });
  expect(all.has('a press that comes twice is one answer')).toBe(false);
  await expect(all.get('the channel can what the contract is told')?.()).rejects.toThrow('name in `can` what');
  const wrong = { test: () => {}, open: platform({}), can: ['flying' as 'update'] };
  expect(() => channelContract(wrong)).toThrow("channelContract(): can[0] must be 'buttons',");
});
