/** A loop of one's own needs no agent: what is opened without waiting must reach the person all the same. */
import { expect, test } from 'vitest';
import { askHuman } from '../../src/tools/index.js';
import { anna, settle, world } from './kit.js';

test('in a registry without agents a blocking call asks, waits and gets the answer', async () => {
  const { registry } = world(() => 'L', { agents: [] });
  expect(await askHuman(registry, { where: anna }).execute({ prompt: 'Which size?' })).toBe('L');
});

test('in a registry without agents a question that nobody waits for is put to the person, and the answer is read', async () => {
  const { registry, phone } = world(undefined, { agents: [] });
  const human = askHuman(registry, { where: anna });
  const interrupt = await human.open({ prompt: 'Which size?' }, { callId: 'a' });
  await settle();
  expect(phone.texts).toEqual(['Which size?']);
  await phone.types('L');
  await settle();
  expect(await human.resume(interrupt)).toBe('L');
});
