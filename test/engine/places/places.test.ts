import { expect, test } from 'vitest';
import type { Channel } from '../../../src/index.js';
import { AgentRegistry } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { asClass, Probe, thrownBy } from '../../support/agents.js';
import { TestChannel } from '../../support/engine.js';

const person = { id: 'phone:1', name: 'Ann' };

test('the question goes to the place the message came from, not to a default of the channel', async () => {
  const phone = new TestChannel('phone');
  const { clock, stop } = await rehearse({ agents: [asClass().agent], channels: [phone] });
  const from = (thread: number) => ({ conversationId: `c${thread}`, text: 'ask', address: { chat: 7, thread } });
  await phone.receive({ id: '1', participant: person, ...from(1) });
  await phone.receive({ id: '2', participant: person, ...from(2) });
  await clock.advance(0);
  expect(phone.sent.map(({ text, address, conversationId }) => [text, address, conversationId])).toEqual([
    ['Which order?', { chat: 7, thread: 1 }, 'c1'],
    ['Which order?', { chat: 7, thread: 2 }, 'c2'],
  ]);
  await stop();
});

test('a re-ask goes to the place of the ask', async () => {
  const phone = new TestChannel('phone');
  const { clock, stop } = await rehearse({ agents: [asClass().agent], channels: [phone] });
  await phone.receive({ id: '1', conversationId: 'c', participant: person, text: 'ask', address: 'room 1' });
  await clock.advance(0);
  await phone.receive({ id: '2', conversationId: 'c', participant: person, text: '?', address: 'room 1' });
  await clock.advance(0);
  expect(phone.sent.map(({ address, ask }) => [address, ask?.retries])).toEqual([
    ['room 1', 0],
    ['room 1', 1],
  ]);
  await stop();
});

/** ask() in a turn that a trigger started; the agent lets the error pass. */
async function triggered(channel: TestChannel) {
  const logged: object[] = [];
  const logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (_: string, more?: object) => logged.push(more ?? {}),
  };
  const parked: { code: string; message: string }[] = [];
  const probe = new Probe((self) => self.asks('Which order?'));
  const { registry, asks, clock, human, stop } = await rehearse({
    agents: [probe],
    channels: [channel],
    logger,
    failures: 'collect',
  });
  registry.on('parked', ({ failure }) => parked.push(failure));
  await channel.receive({ id: 'run-1', conversationId: 'nightly', text: 'go' });
  await clock.advance(3_600_000);
  const result = { logged, parked, open: await asks(), saw: human('x', { conversationId: 'nightly' }).sees() };
  return { ...result, listed: (await registry.parked()).items, stop };
}

test.each([
  ['a scheduled trigger', 'nightly-report'],
  ['outbound-only mail, as a fake that cannot receive', 'outbound-mail'],
])('ask() from %s fails, names the channel, stores and sends nothing', async (_, name) => {
  const channel = new TestChannel(name, true);
  const { listed, open, saw, stop } = await triggered(channel);
  expect(listed[0]?.failure.code).toBe('trigger-channel');
  expect(listed[0]?.failure.message).toContain(`this.ask() called from a trigger channel (${name})`);
  expect(listed[0]?.failure.message).toContain('Trigger channels have no human recipient.');
  expect(open).toEqual([]);
  expect([...channel.sent, ...saw]).toEqual([]);
  await stop();
});

test('the trigger error reaches the operator by event, log and list, although nobody can be written to', async () => {
  const { parked, logged, listed, stop } = await triggered(new TestChannel('nightly', true));
  expect(parked.map(({ code }) => code)).toEqual(['trigger-channel']);
  expect(logged).toEqual([expect.objectContaining({ failure: expect.objectContaining({ code: 'trigger-channel' }) })]);
  expect(listed).toMatchObject([{ conversationId: 'nightly', attempts: 1 }]);
  await stop();
});

test('the trigger error can be caught by the agent that asked', async () => {
  const nightly = new TestChannel('nightly', true);
  const caught: string[] = [];
  const probe = new Probe(async (self) => {
    caught.push((await thrownBy(() => self.asks('Which order?'))).code);
  });
  const { clock, registry, stop } = await rehearse({ agents: [probe], channels: [nightly] });
  await nightly.receive({ id: '1', conversationId: 'c', text: 'go' });
  await clock.advance(0);
  expect(caught).toEqual(['trigger-channel']);
  expect((await registry.parked()).items).toEqual([]);
  await stop();
});

test.each([undefined, '', 5])(
  'a channel named %j is refused at the call, so nothing can be asked there',
  async (name) => {
    const channel = { name, start: () => {}, send: async () => {} } as unknown as Channel;
    const error = await thrownBy(() => new AgentRegistry({ channels: [channel] }));
    expect(error.code).toBe('unknown-channel');
    expect(error.message).toContain('channels[0]');
  },
);
