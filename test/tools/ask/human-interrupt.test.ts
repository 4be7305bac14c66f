/** Questions of a model that nobody waits for: plain data in between, and one result in the end. */
import { expect, test } from 'vitest';
import { askHuman } from '../../../src/tools/index.js';
import { anna, settle, world } from '../kit.js';

const neutral = /neither an answer nor a consent/;

test('a run that goes on in another process counts what it has asked there', async () => {
  const { registry, open } = world();
  const human = askHuman(registry, { where: anna, limit: 1 }).run();
  const interrupt = await human.open({ prompt: 'One?' }, { callId: 'a' });
  const kept = JSON.parse(JSON.stringify([interrupt])) as (typeof interrupt)[];
  const later = askHuman(registry, { where: anna, limit: 1 }).run(kept);
  expect(await later.open({ prompt: 'One?' }, { callId: 'a' })).toEqual(interrupt);
  expect(await later.execute({ prompt: 'One?' })).toMatch(/asked this before/);
  expect(await later.execute({ prompt: 'Two?' })).toMatch(/limit of one question/);
  await settle();
  expect(await open()).toHaveLength(1);
});

test('a repeat in a run that goes on is not told that a question is open which was answered meanwhile', async () => {
  const { registry, phone } = world();
  const interrupt = await askHuman(registry, { where: anna }).run().open({ prompt: 'One?' }, { callId: 'a' });
  await settle();
  await phone.types('fine');
  await settle();
  const later = askHuman(registry, { where: anna }).run([interrupt]);
  expect(await later.execute({ prompt: 'One?' })).not.toMatch(/still open/);
  expect(await later.resume(interrupt)).toBe('fine');
  expect(await later.execute({ prompt: 'One?' })).toMatch(/The result was: fine$/);
});

test('an interrupt is plain data with kind, id and payload; resuming it gives the answer and asks nothing again', async () => {
  const { registry, phone } = world();
  const human = askHuman(registry, { where: anna }).run();
  const interrupt = await human.open({ prompt: 'Which size?', options: ['S', 'L'] }, { callId: 'call_7' });
  expect(JSON.parse(JSON.stringify(interrupt))).toEqual(interrupt);
  expect(interrupt).toMatchObject({
    kind: 'question',
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    callId: 'call_7',
    conversationId: 'anna',
    payload: { prompt: 'Which size?', options: ['S', 'L'] },
  });
  expect(await human.open({ prompt: 'Which size?', options: ['S', 'L'] }, { callId: 'call_7' })).toBe(interrupt);
  await settle();
  await phone.types('L');
  await settle();
  expect(await human.resume(interrupt)).toBe('L');
  expect(await human.resume(interrupt)).toBe('L');
  expect(await human.execute({ prompt: 'Which size?', options: ['S', 'L'] })).toMatch(/The result was: L$/);
  expect(phone.sent).toHaveLength(1);
});

test('a call that is resumed without an answer is closed, and so is its ask', async () => {
  const { registry, phone } = world();
  const human = askHuman(registry, { where: anna });
  const interrupt = await human.open({ prompt: 'Which size?' }, { callId: 'call_7' });
  await settle();
  expect(await human.resume(interrupt)).toMatch(/^Nobody answered in time, or the question was withdrawn\./);
  await phone.types('L');
  await settle();
  expect(await human.resume(interrupt)).toMatch(neutral);
});

test("an interrupt that names another call's ask gets a neutral result, and that ask is untouched", async () => {
  const { registry, open } = world();
  const human = askHuman(registry, { where: anna });
  const mine = await human.open({ prompt: 'Mine?' }, { callId: 'a' });
  const other = await human.open({ prompt: 'Other?' }, { callId: 'b' });
  await settle();
  if (mine.kind === 'closed' || other.kind === 'closed') throw new Error('both are open');
  expect(await human.resume({ ...mine, id: other.id })).toMatch(/interrupted/);
  expect(await human.resume({ ...mine, id: 'nonsense' })).toMatch(/interrupted/);
  expect(await open()).toHaveLength(2);
});

test.each([
  ['by its channel', anna],
  ['by name', { ...anna, conversationId: 'anna' }],
])('a call that was opened before a crash is found again in its conversation, known %s', async (_, where) => {
  const { registry, open } = world();
  const before = await askHuman(registry, { where }).open({ prompt: 'Which?' }, { callId: 'a' });
  await settle();
  expect(await askHuman(registry, { where }).open({ prompt: 'Which?' }, { callId: 'a' })).toEqual(before);
  expect(await open()).toHaveLength(1);
});

test('a call id that comes again with another question is another call: it is asked, and each has its own answer', async () => {
  const { registry, open, phone } = world();
  const before = await askHuman(registry, { where: anna }).open({ prompt: 'Which size?' }, { callId: 'call_0' });
  const human = askHuman(registry, { where: anna });
  const after = await human.open({ prompt: 'Which colour?' }, { callId: 'call_0' });
  if (before.kind === 'closed' || after.kind === 'closed') throw new Error('both were asked');
  expect(after.id).not.toBe(before.id);
  await settle();
  expect((await open()).map(({ question }) => question)).toEqual(['Which size?', 'Which colour?']);
  await phone.types('large');
  await settle(); // he sees the next question
  await phone.types('red');
  await settle();
  expect(await human.resume(after)).toBe('red');
});

test('a call that is opened twice at the same moment is one question; one that failed can be opened again', async () => {
  const { registry, open } = world();
  let reachable = false;
  const where = () => {
    if (!reachable) throw new Error('the directory is down');
    return anna;
  };
  const human = askHuman(registry, { where, limit: 1 }).run();
  await expect(human.open({ prompt: 'Which?' }, { callId: 'a' })).rejects.toThrow('the directory is down');
  reachable = true;
  const twice = ['a', 'a'].map((callId) => human.open({ prompt: 'Which?' }, { callId }));
  const [one, other] = await Promise.all(twice);
  expect(one).toMatchObject({ kind: 'question' });
  expect(other).toBe(one);
  await settle();
  expect(await open()).toHaveLength(1);
});
