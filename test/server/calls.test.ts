/** What people can do in the inbox, and what they cannot. */
import { expect, test } from 'vitest';
import { confirm } from '../../src/index.js';
import { approve, askHuman } from '../../src/tools/index.js';
import { settle } from '../support/engine.js';
import { ada, anna, boss, person, shop } from './kit.js';

test('whoever may answer sees the question and its details, and not the context of the agent', async () => {
  const { calls, asked } = await shop();
  const id = await asked('sure');
  const seen = await calls.get(anna, id);
  expect(seen).toMatchObject({ question: 'Refund 48 EUR?', details: { Order: '12345' }, mayAnswer: true });
  expect(JSON.stringify(seen)).not.toContain('margin');
  expect(await calls.get(boss, id)).toMatchObject({ context: { internal: 'margin 3' }, mayAnswer: false });
});

test('whoever may neither read nor answer an ask is told what they would be told of none', async () => {
  const { calls, asked } = await shop();
  const id = await asked('sure');
  const clerk = person('staff:clerk', ['answer']);
  const nobody = person('staff:anna', [], { roles: ['manager'] });
  const foreign = person('staff:eve', ['admin'], { tenant: 'other', roles: ['manager'] });
  for (const who of [clerk, nobody, foreign]) {
    expect(await calls.get(who, id)).toBeNull();
    expect(await calls.get(who, 'no-such-ask')).toBeNull();
    expect((await calls.list(who, { limit: 10 })).asks).toEqual([]);
    expect(await calls.answer(who, id, { value: true })).toEqual({ type: 'unknown' });
    expect(await calls.cancel(who, id)).toEqual({ type: 'unknown' });
  }
  expect(await calls.get(boss, id)).toMatchObject({ status: 'pending' });
});

test('asks of one tenant are not seen from another, and from every tenant by whoever operates all', async () => {
  const { calls, asked } = await shop();
  const id = await asked('order', 'c1', { id: 'web:ada', tenant: 'acme' });
  const reads = (tenant?: string) => person('staff:x', ['read'], tenant === undefined ? {} : { tenant });
  expect(await calls.get(reads('acme'), id)).not.toBeNull();
  expect(await calls.get(reads('other'), id)).toBeNull();
  expect(await calls.get(reads(), id)).toBeNull();
  expect(await calls.get({ ...reads(), everyTenant: true }, id)).not.toBeNull();
});

test('the same decision sent again under its key is the same decision, and another key comes too late', async () => {
  const { calls, asked } = await shop();
  const id = await asked('sure');
  const first = await calls.answer(anna, id, { value: true }, { key: 'k1' });
  expect(first).toMatchObject({ type: 'accepted', ask: { status: 'answered', decidedBy: { id: 'staff:anna' } } });
  expect(await calls.answer(anna, id, { value: true }, { key: 'k1' })).toEqual(first);
  expect(await calls.answer(anna, id, { value: false }, { key: 'k2' })).toMatchObject({ type: 'already' });
});

test('the log tells a decision on a channel from one in the inbox', async () => {
  const { calls, asked, says, phone } = await shop();
  const [there, here] = [await asked('sure', 'c1'), await asked('sure', 'c2')];
  await says(phone, 'yes', { conversationId: 'c1', participant: { id: 'web:max', roles: ['manager'] } });
  await calls.answer(anna, here, { value: true });
  expect(await calls.get(boss, there)).toMatchObject({ status: 'answered', decidedVia: 'phone' });
  expect(await calls.get(boss, here)).not.toHaveProperty('decidedVia');
});

test('a decision about something else than was drawn is refused', async () => {
  const { calls, asked } = await shop();
  const id = await asked('sure');
  const drawn = (await calls.get(anna, id))?.digest ?? '';
  expect(await calls.answer(anna, id, { value: true }, { drawn: 'another' })).toMatchObject({ type: 'changed' });
  expect(await calls.answer(anna, id, { value: true }, { drawn })).toMatchObject({ type: 'accepted' });
});

test('the decision keeps what was drawn for whoever decided, and only operators see it', async () => {
  const { calls, asked } = await shop();
  for (const decide of ['answer', 'decline'] as const) {
    const id = await asked('sure', `c-${decide}`);
    const drawn = (await calls.get(anna, id))?.digest ?? '';
    if (decide === 'answer') await calls.answer(anna, id, { value: true }, { drawn });
    else await calls.decline(anna, id, { drawn, reason: 'Ask Ben.' });
    expect(await calls.get(boss, id)).toMatchObject({ drawn, ...(decide === 'decline' && { reason: 'Ask Ben.' }) });
    expect(await calls.get(anna, id)).not.toHaveProperty('drawn');
  }
});

test('a vote counts once for one person, and the second person decides', async () => {
  const { calls, asked } = await shop();
  const id = await asked('both');
  const ben = person('staff:ben', ['answer'], { roles: ['manager'] });
  expect(await calls.answer(anna, id, { value: true })).toMatchObject({
    type: 'counted',
    ask: { votes: [{ value: true }] },
  });
  expect(await calls.answer(anna, id, { value: true })).toMatchObject({ ask: { status: 'pending' } });
  expect(await calls.answer(ben, id, { value: true })).toMatchObject({ type: 'accepted' });
});

test('with the right to conversations one sees those around asks that one sees, and with the right to read all of the tenant', async () => {
  const { calls, asked, says, phone } = await shop();
  const [hers, others] = ['c-sure', 'c-order'];
  const id = await asked('sure', hers);
  await asked('order', others);
  await says(phone, 'hello', { conversationId: 'chat', participant: ada });
  const manager = { ...anna, scopes: ['answer', 'conversations'] as const };
  expect(await calls.history(manager, hers)).not.toBeNull();
  await calls.answer(manager, id, { value: true });
  expect(await calls.history(manager, hers)).not.toBeNull();
  expect(await calls.history(manager, others)).toBeNull();
  expect(await calls.history(manager, 'chat')).toBeNull();
  expect((await calls.conversations(manager, ada.id, {})).ids).toEqual([hers]);
  expect(await calls.outputs(manager, others, {})).toBeNull();
  const reader = person('staff:r', ['read', 'conversations']);
  expect(await calls.history(reader, others)).not.toBeNull();
  expect(await calls.history(reader, 'chat')).not.toBeNull();
});

test('one old message of another tenant hides a conversation, however long it has become', async () => {
  const { calls, says, phone } = await shop();
  const at = (tenant: string) => ({ conversationId: 'mix', participant: { id: `web:${tenant}`, tenant } });
  await says(phone, 'a secret', at('evil'));
  for (let i = 0; i < 60; i += 1) await says(phone, `${i}`, at('acme'));
  const reader = person('staff:r', ['read', 'conversations'], { tenant: 'acme' });
  expect(await calls.history(reader, 'mix', { limit: 5 })).toBeNull();
  expect(await calls.outputs(reader, 'mix', {})).toBeNull();
});

test('the conversation around an ask needs a right of its own', async () => {
  const { calls, asked } = await shop();
  await asked('order', 'c1');
  await settle();
  expect(await calls.history(anna, 'c1')).toBeNull();
  const reader = person('staff:r', ['read', 'conversations']);
  expect((await calls.history(reader, 'c1'))?.items).toMatchObject([{ text: 'order' }, { text: 'Which order?' }]);
  expect(await calls.history({ ...reader, tenant: 'other' }, 'c1')).toBeNull();
  expect(await calls.history(reader, 'no-such-conversation')).toBeNull();
});

test('a decision whose handler fails or takes long is told as accepted before a proxy gives up', async () => {
  const here = await shop();
  const { calls, asked, registry, clock } = here;
  const id = await asked('stuck');
  const answer = calls.answer(anna, id, { value: true }, { key: 'k' });
  await settle();
  await clock.advance(10_000);
  expect(await answer).toMatchObject({ type: 'accepted', ask: { status: 'answered' } });
  expect((await registry.getAsk(id))?.decidedBy?.id).toBe('staff:anna');
});

test('a tool result without a choice answers yes-or-no questions and approvals, and is no answer to any other', async () => {
  const { calls, registry, phone } = await shop();
  const where = { channel: phone.name, to: 'c9' };
  const human = askHuman(registry, { where, answerableBy: ['staff:anna'] });
  const approvals = approve(registry, { where, answerableBy: ['staff:anna'] });
  const size = { prompt: 'Which size?', options: ['S', 'L'] };
  const many = { ...size, many: true };
  const several = { prompt: 'Which?', questions: [{ prompt: 'Where?' }] };
  const inputs = [{ prompt: 'Why?' }, { prompt: 'How often?', options: ['once', 'session'] }, size, many, several];
  for (const [i, input] of inputs.entries()) {
    const interrupt = await human.open(input, { callId: `call_${i}` });
    for (const scope of ['once', 'session'] as const) {
      const result = { callId: `call_${i}`, decision: 'approve', scope } as const;
      expect(await calls.toolResult(anna, 'c9', result)).toMatchObject({ type: 'invalid', ask: { status: 'pending' } });
    }
    await human.resume(interrupt);
  }
  const opened = await approvals.open({ tool: 'refund', input: {} }, { callId: 'call_r' });
  const yes = { callId: 'call_r', decision: 'approve', scope: 'session' } as const;
  expect(await calls.toolResult(anna, 'c9', yes)).toMatchObject({ type: 'accepted', ask: { value: 'session' } });
  expect(opened).toMatchObject({ kind: 'approval' });
  const { askId } = await registry.ask(confirm('Sure?'), { ...where, answerableBy: ['staff:anna'] });
  const sure = { callId: askId, decision: 'approve' } as const;
  expect(await calls.toolResult(anna, 'c9', sure)).toMatchObject({ type: 'accepted', ask: { value: true } });
});
