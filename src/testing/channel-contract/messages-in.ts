/**
 * Promises about messages that come in: recorded before they are acknowledged, once, by whom the platform has authenticated.
 */
import assert from 'node:assert/strict';
import type { ChannelStory } from './world.js';

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
    'what is typed after a question answers it',
    async (stage) => {
      await stage.asks();
      await stage.says('Large');
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
