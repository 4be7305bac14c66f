/** start(): once, whole, and honest about what failed. */
import { expect, test } from 'vitest';
import type { Channel } from '../../src/index.js';
import { AgentRegistry, agent, MemoryStore } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';

function phone(name: string, log: string[], fails = false): Channel {
  return {
    name,
    start: () => {
      log.push(`start ${name}`);
      if (fails) throw new Error('no line');
    },
    send: async () => {},
    stop: async () => void log.push(`stop ${name}`),
  };
}

test('a second start() does nothing', async () => {
  const log: string[] = [];
  const registry = new AgentRegistry({ agents: [agent('a')], channels: [phone('one', log)] });
  await Promise.all([registry.start(), registry.start()]);
  await registry.start();
  expect(log).toEqual(['start one']);
  await registry.stop();
  expect(log).toEqual(['start one', 'stop one']);
});

test('a channel that cannot start fails start(), and those that did are stopped again', async () => {
  const log: string[] = [];
  const registry = new AgentRegistry({ agents: [agent('a')], channels: [phone('one', log), phone('two', log, true)] });
  await expect(registry.start()).rejects.toThrow('no line');
  expect(log).toEqual(['start one', 'start two', 'stop one']);
});

test('work for agents that nobody has does not crowd out the rest of the sweep', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock });
  const settings = { turns: 4 };
  const told: string[] = [];
  const known = agent('known').onMessage(({ conversationId }) => void told.push(conversationId));
  const route = (message: { text: string }) => message.text;
  const shared = { store, clock, settings, route, logger: { debug() {}, info() {}, warn() {}, error() {} } };
  const door = new AgentRegistry(shared); // records only
  await door.start();
  for (let i = 0; i < 40; i += 1) {
    void door.handle({ id: 'm', conversationId: `lost-${i}`, text: 'nobody' }).catch(() => {});
  }
  void door.handle({ id: 'm', conversationId: 'wanted', text: 'known' }).catch(() => {});
  const worker = new AgentRegistry({ ...shared, agents: [known] });
  for (let i = 0; i < 60 && told.length === 0; i += 1) {
    await worker.sweep();
    await clock.advance(1_000, () => worker.idle());
  }
  expect(told).toEqual(['wanted']);
  await Promise.all([door.stop(), worker.stop()]);
});
