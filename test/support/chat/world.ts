/**
 * What tests of the channel of the chat SDK share: a registry or a desk behind the channel on a local platform, which end with
 * the test. Plays no platform: the drivers do.
 */
import { onTestFinished } from 'vitest';
import type { ChatChannel } from '../../../src/channels/chat/index.js';
import type { Desk, IncomingMessage } from '../../../src/index.js';
import { AgentRegistry, MemoryStore } from '../../../src/index.js';
import type { refundAgent } from '../slack/world.js';

/** A channel on a local platform. */
interface Bridge {
  readonly channel: ChatChannel;
  readonly close: () => Promise<void>;
}

export type Shop = ReturnType<typeof refundAgent>['clerk'];

/** The channel with a registry that has the agent. While `isDown(true)`, the store records nothing. */
export async function withRegistry<B extends Bridge>(bridge: B, shop: Shop) {
  const store = new MemoryStore();
  const take = store.take.bind(store);
  const isDown = (is: boolean): void => {
    store.take = is ? () => Promise.reject(new Error('the store is down')) : take;
  };
  const registry = new AgentRegistry({ agents: [shop], channels: [bridge.channel], store });
  await registry.start();
  onTestFinished(async () => {
    await registry.stop();
    await bridge.close();
  });
  return { ...bridge, registry, store, isDown };
}

/** The channel with a desk that writes down what it receives, or refuses it while `state.isDown`. */
export async function withRecorder<B extends Bridge>(bridge: B) {
  const received: IncomingMessage[] = [];
  const state = { isDown: false };
  const desk: Desk = {
    receive: async (message) => {
      if (state.isDown) throw new Error('the store is down');
      received.push(message);
      return 'recorded';
    },
  };
  await bridge.channel.start(desk);
  onTestFinished(async () => {
    await bridge.channel.stop();
    await bridge.close();
  });
  const message = { key: 'k', conversationId: 'c', text: 'Hello', shape: { type: 'text' } } as const;
  const send = (address: unknown): Promise<unknown> =>
    Promise.resolve(bridge.channel.send({ ...message, address } as unknown as Parameters<ChatChannel['send']>[0]));
  return { ...bridge, received, state, desk, send };
}
