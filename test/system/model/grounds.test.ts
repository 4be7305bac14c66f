/** The time of the model passes when told to, and never while a store has not answered: that takes real time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/core/events.js';
import { AgentRegistry, agent, MemoryStore } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { wrapped } from './faults.js';
import { standing } from './grounds.js';

test('a store that is slow on a busy machine is not taken for one that does not answer', async () => {
  const clock = new FakeClock();
  const memory = new MemoryStore({ clock });
  const slow = wrapped(memory, (step, args, go) =>
    step === 'take' ? sleep(300).then(() => go(...args)) : go(...args),
  );
  const ground = standing('slow', clock, { store: () => slow, close: () => memory.close() });
  const desk = agent('desk').onMessage(() => 'hello');
  const registry = new AgentRegistry({ agents: [desk], store: ground.store(), clock, logger: silentLogger });
  await ground.until(registry.start());
  const { outputs } = await ground.until(registry.handle({ id: '1', conversationId: 'c', text: 'hi' }));
  expect(outputs.map(({ text }) => text)).toEqual(['hello']);
  await ground.until(registry.stop());
  await ground.close();
});
