/**
 * Promises about messages that come in: recorded before they are acknowledged, once, by whom the platform has authenticated.
 */
import assert from 'node:assert/strict';
import { askIdIn } from '../../core/conversation/outgoing.js';
import type { ChannelStory } from './world.js';
import { options, shownLabels } from './world.js';

export const messagesIn: readonly ChannelStory[] = [
  [
    'a message arrives as it was written',
    async (stage) => {
      await stage.says('Grüße, <b>Ann</b> & "Ben" 👋');
      await stage.eventually('the agent is given the message', () => stage.heard.length === 1);
      assert.deepEqual(stage.heard, ['Grüße, <b>Ann</b> & "Ben" 👋']);
      assert.equal(stage.recorded[0]?.participant?.id, stage.driver.participantId);
    },
  ],
  [
    'a message is acknowledged only after it is recorded',
    async (stage) => {
      const release = stage.holdsRecording();
      let isAcknowledged = false;
      const saying = stage.driver.says({ id: 'held', text: 'Hello' }).then((told) => {
        isAcknowledged = true;
        return told;
      });
      await stage.eventually('the channel hands the message over', () => stage.handedOver > 0);
      await stage.settle();
      assert.equal(isAcknowledged, false, 'the platform was told before the message was recorded');
      release();
      assert.equal(await saying, 'received');
      assert.equal(stage.recorded.length, 1);
    },
  ],
  [
    'a message that cannot be recorded is not acknowledged, and is taken when it comes again',
    async (stage) => {
      stage.isStoreDown = true;
      assert.equal(await stage.driver.says({ id: 'again', text: 'Hello' }), 'refused');
      stage.isStoreDown = false;
      assert.equal(await stage.driver.says({ id: 'again', text: 'Hello' }), 'received');
      await stage.eventually('the agent is given the message', () => stage.heard.length === 1);
    },
  ],
  [
    'the same message again is one message',
    async (stage) => {
      await stage.says('Hello', 'same');
      // the channel may know the repeat by itself: then it hands nothing over
      assert.equal(await stage.driver.says({ id: 'same', text: 'Hello' }), 'received', 'the repeat was refused');
      await stage.says('Bye', 'other');
      await stage.eventually('the agent is given the last message', () => stage.heard.includes('Bye'));
      assert.deepEqual(stage.heard, ['Hello', 'Bye']);
    },
  ],
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
    'what is typed after a question answers it',
    async (stage) => {
      await stage.asks();
      await stage.says('Large');
      await stage.eventually('the answer is taken', async () => (await stage.texts()).includes('Chosen: opt-large.'));
    },
  ],
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
  [
    'nobody can write as somebody else by what a message says',
    async (stage) => {
      await stage.can('poses')({ id: 'posed', text: 'Hello' }, 'somebody:else');
      await stage.says('Bye');
      const authors = new Set(stage.recorded.map(({ participant }) => participant?.id));
      assert.deepEqual([...authors], [stage.driver.participantId]);
    },
  ],
  [
    'malformed input is refused, and what follows is taken',
    async (stage) => {
      const told = await stage.can('garbage')();
      assert.ok(told.length > 0, 'garbage() delivered nothing');
      assert.ok(!told.includes('received'), 'malformed input was acknowledged');
      assert.deepEqual(stage.recorded, [], 'malformed input was recorded');
      await stage.says('Hello');
    },
  ],
  [
    'a message that is too long is refused, or its author is told',
    async (stage) => {
      const told = await stage.driver.says({ id: 'long', text: 'x'.repeat(70_000) });
      if (told === 'received')
        await stage.eventually('the author is told', async () => (await stage.driver.seen()).length > 0);
      assert.deepEqual(stage.heard, []);
      await stage.says('Hello');
      await stage.eventually('the next message is taken', () => stage.heard.length === 1);
    },
  ],
  [
    'a blank message harms nothing',
    async (stage) => {
      await stage.driver.says({ id: 'blank', text: ' ' });
      await stage.says('Hello');
      await stage.eventually('the next message is taken', () => stage.heard.includes('Hello'));
    },
  ],
  [
    'after stop() nothing is taken, and nothing is acknowledged',
    async (stage) => {
      await stage.says('Hello');
      await stage.registry.stop();
      const before = stage.recorded.length;
      const told = await stage.driver.says({ id: 'late', text: 'Are you there?' }).catch(() => 'refused' as const);
      assert.equal(told, 'refused');
      assert.equal(stage.recorded.length, before);
    },
  ],
];
