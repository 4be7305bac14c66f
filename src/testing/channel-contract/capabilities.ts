/**
 * What a channel may be able to do beside taking in, drawing and sending: for each capability how it is recognised, and the promises that
 * come with it. A channel runs the suites that it names in `can`.
 */
import assert from 'node:assert/strict';
import { askIdIn } from '../../core/conversation/outgoing.js';
import type { ChannelDriver } from './driver.js';
import type { ChannelStory } from './world.js';
import { options, shownLabels } from './world.js';

/**
 * A capability of a channel, with a suite of its own in `channelContract()`: controls that are pressed, `update()`, `findSent()`, replies
 * that quote a question, addresses that `via` can name, people known by their ids.
 */
export type ChannelCapability = 'buttons' | 'update' | 'findSent' | 'quotes' | 'addresses' | 'people';

interface Suite {
  /** Whether the channel, or its driver for it, shows that it can do it. */
  readonly isIn: (driver: ChannelDriver) => boolean;
  readonly stories: readonly ChannelStory[];
}

const buttons: readonly ChannelStory[] = [
  [
    'an option that is pressed names its ask and its id',
    async (stage) => {
      const askId = await stage.asks();
      assert.equal(await stage.can('presses')(shownLabels[1], 'press-1'), 'received');
      const pressed = stage.recorded.at(-1);
      assert.deepEqual([pressed?.askId, [pressed?.choice].flat()], [askId, [options[1].id]]);
      assert.equal(pressed?.participant?.id, stage.driver.participantId);
      await stage.eventually('the answer is taken', async () => (await stage.texts()).includes('Chosen: opt-large.'));
    },
  ],
  [
    'a press that comes twice is one answer',
    async (stage) => {
      await stage.asks();
      const press = stage.can('presses');
      await Promise.all([press(shownLabels[0], 'press-1'), press(shownLabels[0], 'press-1')]);
      await stage.says('Hello');
      await stage.eventually('the agent is given the next message', () => stage.heard.includes('Hello'));
      const taken = (await stage.texts()).split('Chosen: opt-small.').length - 1;
      assert.ok(taken <= 1, `the answer was taken ${taken} times`);
      assert.equal(stage.sent.filter(({ text }) => /already/i.test(text)).length, 0, 'the repeat was a second answer');
    },
  ],
  [
    'a question that is over has no controls any more',
    async (stage) => {
      const askId = await stage.asks();
      assert.deepEqual([...(await stage.controls())].sort(), [...shownLabels].sort());
      await stage.answers(askId);
      await stage.eventually('the controls go', async () => (await stage.controls()).length === 0, 500);
    },
  ],
];

const update: readonly ChannelStory[] = [
  [
    'an update that comes twice changes nothing more',
    async (stage) => {
      await stage.answers(await stage.asks());
      const [sentId, message] = await stage.eventually('the question is updated', () => stage.updated[0], 500);
      await stage.settle();
      const before = structuredClone(await stage.driver.seen()); // a driver may give the same list again
      await stage.driver.channel.update?.(sentId, message);
      await stage.settle();
      assert.deepEqual(await stage.driver.seen(), before);
    },
  ],
];

const findSent: readonly ChannelStory[] = [
  [
    'a question that was sent is found by its key, and by no other',
    async (stage) => {
      const { channel } = stage.driver;
      await stage.asks();
      const question = await stage.eventually('it is sent', () => stage.sent.find(({ ask }) => ask !== undefined));
      const sentId = await stage.eventually('send() gives an id of it', () => stage.sentIds.get(question.key));
      assert.equal(await channel.findSent?.(question), sentId, 'findSent() gives another id than send()');
      const other = await channel.findSent?.({ ...question, key: `${question.key}0` });
      assert.equal(other, undefined, 'what was never sent is found');
    },
  ],
];

const quotes: readonly ChannelStory[] = [
  [
    'a reply that quotes a question names it',
    async (stage) => {
      const askId = await stage.asks();
      await stage.eventually('the question is sent', () =>
        [...stage.sentIds.keys()].some((key) => askIdIn(key) === askId),
      );
      await stage.clock.advance(1_000, () => stage.settle()); // its id is kept with the mark, which may wait for others
      assert.equal(await stage.can('quotes')({ id: 'quote-1', text: 'Large' }), 'received');
      assert.equal(stage.recorded.at(-1)?.askId, askId);
      await stage.eventually('the answer is taken', async () => (await stage.texts()).includes('Chosen: opt-large.'));
    },
  ],
];

const addresses: readonly ChannelStory[] = [
  [
    'the address of a person leads to the conversation in which their messages arrive',
    async (stage) => {
      const { channel, participantId, address } = stage.driver;
      assert.ok(address !== undefined, 'the driver has no address: give it one');
      await stage.says('Hello');
      const [received] = stage.recorded;
      assert.equal(channel.conversationFor?.(address), received?.conversationId);
      assert.deepEqual(channel.addressFor?.(address) ?? address, received?.address ?? address);
      assert.ok(
        [undefined, participantId].includes(channel.participantAt?.(address)),
        'the address is of another person',
      );
    },
  ],
];

const people: readonly ChannelStory[] = [
  [
    'a person is known by the id that their messages come with',
    async (stage) => {
      const { channel } = stage.driver;
      await stage.says('Hello');
      const [{ participant, conversationId } = assert.fail('nothing was recorded')] = stage.recorded;
      const { id, tenant } = participant ?? assert.fail('the message has no participant');
      assert.notEqual(channel.isOwnId?.('nobody:else'), true, 'an id of another channel is taken for its own');
      const address = (await channel.addressOf?.(id)) ?? undefined;
      if (address !== undefined) assert.equal(channel.conversationFor?.(address), conversationId);
      if (channel.tenantOf !== undefined) assert.equal(await channel.tenantOf(id), tenant);
    },
  ],
];

/** The suite of each capability. */
export const suites: Readonly<Record<ChannelCapability, Suite>> = {
  buttons: { isIn: ({ presses }) => presses !== undefined, stories: buttons },
  update: { isIn: ({ channel }) => channel.update !== undefined, stories: update },
  findSent: { isIn: ({ channel }) => channel.findSent !== undefined, stories: findSent },
  quotes: { isIn: ({ quotes: quote }) => quote !== undefined, stories: quotes },
  addresses: { isIn: ({ channel }) => channel.conversationFor !== undefined, stories: addresses },
  people: { isIn: ({ channel }) => channel.isOwnId !== undefined || channel.addressOf !== undefined, stories: people },
};

export const capabilities = Object.keys(suites) as readonly ChannelCapability[]; // it has no other keys

/** Fails if a channel can more or less than the contract is told: a suite would be missing, or prove nothing. */
export function saysWhatItCan(can: readonly ChannelCapability[]): ChannelStory {
  return [
    'the channel can what the contract is told',
    async ({ driver }) => {
      const shown = capabilities.filter((each) => suites[each].isIn(driver));
      assert.deepEqual(
        shown,
        capabilities.filter((each) => can.includes(each)),
        'name in `can` what the channel can',
      );
    },
  ];
}
