/** start(): once, whole, and honest about what failed. */
import { expect, test } from 'vitest';
import type { Channel } from '../../src/index.js';
import { AgentRegistry, agent } from '../../src/index.js';

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
