/** start(): once, whole, and honest about what failed. */
import { expect, test } from 'vitest';
import type { AgentError, Channel, Desk } from '../../../src/index.js';
import { AgentRegistry, agent, MemoryStore } from '../../../src/index.js';

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

test('start() after stop() rejects, whether it had started before or not', async () => {
  const log: string[] = [];
  const never = new AgentRegistry({ agents: [agent('a')], channels: [phone('one', log)] });
  await never.stop();
  await expect(never.start()).rejects.toMatchObject({ code: 'stopped' });
  const once = new AgentRegistry({ agents: [agent('a')], channels: [phone('two', log)] });
  await once.start();
  await once.stop();
  await expect(once.start()).rejects.toMatchObject({ code: 'stopped' });
  await expect(once.askAndWait('Deploy?', { channel: 'two', to: 'x' })).rejects.toMatchObject({ code: 'stopped' });
  expect(log).toEqual(['start two', 'stop two']);
});

test('a start() that stop() interrupts rejects as stopped, and leaves no channel and no store open', async () => {
  const log: string[] = [];
  let connected = (): void => {};
  const slow: Channel = {
    ...phone('slow', log),
    start: () =>
      new Promise((resolve) => {
        log.push('start slow');
        connected = resolve;
      }),
  };
  class Opened extends MemoryStore {
    override async open(): Promise<void> {
      log.push('open');
      await super.open();
    }
    override async close(): Promise<void> {
      log.push('close');
      await super.close();
    }
  }
  const channels = [phone('one', log), slow, phone('three', log)];
  const registry = new AgentRegistry({ agents: [agent('a')], channels, store: new Opened() });
  const starting = expect(registry.start()).rejects.toMatchObject({ code: 'stopped' });
  while (!log.includes('start slow')) await new Promise<void>((resolve) => setImmediate(resolve));
  await registry.stop();
  connected();
  await starting;
  expect(log).toEqual(['open', 'start one', 'start slow', 'stop one', 'close', 'stop slow']);
});

test('stop() while the store is being opened closes the store once it is open', async () => {
  const log: string[] = [];
  let opened = (): void => {};
  class Slow extends MemoryStore {
    override async open(): Promise<void> {
      await new Promise<void>((resolve) => {
        opened = resolve;
      });
      log.push('open');
    }
    override async close(): Promise<void> {
      log.push('close');
    }
  }
  const registry = new AgentRegistry({ agents: [agent('a')], channels: [phone('one', log)], store: new Slow() });
  const starting = expect(registry.start()).rejects.toMatchObject({ code: 'stopped' });
  await registry.stop();
  opened();
  await starting;
  expect(log).toEqual(['open', 'close']);
});

test.each(['a channel', 'the store'])(
  'start() and what waits for it reject as stopped although %s never comes up',
  async (what) => {
    const never = () => new Promise<never>(() => {});
    const channel: Channel = { name: 'phone', start: what === 'a channel' ? never : () => {}, send: async () => {} };
    class Hanging extends MemoryStore {
      override open(): Promise<void> {
        return what === 'the store' ? never() : super.open();
      }
    }
    const registry = new AgentRegistry({ agents: [agent('a')], channels: [channel], store: new Hanging() });
    const calls = [
      registry.start(),
      registry.askAndWait('Really?', { channel: 'phone', conversationId: 'c' }),
      ...(what === 'the store' ? [registry.handle({ id: 'm', conversationId: 'c', text: 'hi' })] : []),
    ].map((call) =>
      call.then(
        () => 'done',
        (error: AgentError) => error.code,
      ),
    );
    await new Promise<void>((resolve) => setImmediate(resolve));
    await registry.stop();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['stopped']));
  },
);

test('after stop() a channel that hands over a message is told that the registry was stopped', async () => {
  let desk: Desk | undefined;
  const channel: Channel = {
    name: 'phone',
    start: (given) => {
      desk = given;
    },
    send: async () => {},
  };
  const registry = new AgentRegistry({ agents: [agent('a').onMessage(() => 'hi')], channels: [channel] });
  await registry.start();
  await registry.stop();
  const received = desk?.receive({ id: 'm', conversationId: 'c', text: 'hi' });
  await expect(received).rejects.toMatchObject({ code: 'stopped' });
});
