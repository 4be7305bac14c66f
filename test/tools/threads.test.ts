/** Approvals at a place where each question has a thread of its own: grants and repeated calls are found there as anywhere else. */
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, MemoryStore } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { approve, askHuman } from '../../src/tools/index.js';
import { Letters } from '../support/letters.js';
import { idle, settle } from './kit.js';

const where = { channel: 'letters', to: 'dora' };

function office() {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock });
  return () => {
    const letters = new Letters();
    const registry = new AgentRegistry({ agents: [idle()], channels: [letters], store, clock });
    onTestFinished(() => registry.stop());
    return { letters, registry, approvals: approve(registry, { where, answerableBy: 'anyone' }) };
  };
}

const refund = (order: string) => ({ tool: 'refund', input: { order } });

test('a grant for the session counts for its action alone, in every process, until it is revoked', async () => {
  const begin = office();
  const first = begin();
  const asked = ['1', '2'].map((order) => first.approvals.request(refund(order)));
  await settle();
  const [one, two] = ['1', '2'].map((order) =>
    first.letters.questions('dora').find(({ ask }) => ask?.details?.['order'] === order),
  );
  await first.letters.replies(two, 'for this session');
  await first.letters.replies(one, 'once');
  expect(await Promise.all(asked)).toMatchObject([{ approved: true }, { approved: true }]);
  const second = begin();
  expect(await second.approvals.request(refund('2'))).toMatchObject({ approved: true });
  expect(second.letters.sent).toEqual([]);
  const grants = await second.approvals.grants();
  expect(grants).toMatchObject([{ input: { order: '2' }, uses: 2 }]);
  await second.approvals.revoke(grants[0]?.id ?? '');
  for (const order of ['1', '2']) void second.approvals.request(refund(order)).catch(() => {});
  await settle();
  expect(second.letters.questions('dora')).toHaveLength(2);
});

test('a call that is opened again after a crash finds its open question; another call asks', async () => {
  const begin = office();
  const [first, second] = [begin(), begin()];
  const opened = await first.approvals.open(refund('1'), { callId: 'call_1' });
  expect(await second.approvals.open(refund('1'), { callId: 'call_1' })).toEqual(opened);
  expect(await second.approvals.open(refund('1'), { callId: 'call_2' })).not.toMatchObject({
    id: opened && 'id' in opened && opened.id,
  });
  const human = ({ registry }: typeof first) => askHuman(registry, { where });
  const question = await human(first).open({ question: 'Which size?' }, { callId: 'call_3' });
  expect(await human(second).open({ question: 'Which size?' }, { callId: 'call_3' })).toEqual(question);
  await settle();
  expect([...first.letters.sent, ...second.letters.sent]).toHaveLength(3);
});
