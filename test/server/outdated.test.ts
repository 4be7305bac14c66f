/** Decisions about an ask that an earlier reply in the queue changes before they are read. */
import { expect, test } from 'vitest';
import { agent, confirm, form, text } from '../../src/index.js';
import { inboxPort } from '../../src/registry/inbox/inbox-port.js';
import { InboxCalls } from '../../src/server/calls.js';
import { gate, settle, TestChannel, world } from '../support/engine.js';
import { person } from './kit.js';

const anna = person('staff:anna', ['answer', 'admin']);
const ben = person('staff:ben', ['answer']);

/** A form that anyone may answer, and the digest of its first field; `busy` keeps the conversation in a turn until `slow` opens. */
async function payments() {
  const here = world();
  const phone = new TestChannel();
  const slow = gate();
  const paid: unknown[] = [];
  const bank = agent('bank');
  const fields = { iban: text('To which IBAN?'), sum: text('How much?') };
  const pay = bank.question('pay', form('Payment', fields), {
    answerableBy: 'anyone',
    onAnswer: (value) => void paid.push(value),
  });
  const both = bank.question('both', confirm('Deploy?'), {
    answerableBy: 'anyone',
    quorum: 2,
    onAnswer: () => 'Deployed.',
  });
  bank.onMessage(async ({ message, ask }) => {
    if (message === 'pay') return ask(pay);
    if (message === 'both') return ask(both);
    await slow.passed;
    return 'A slow model.';
  });
  const registry = await here.replica({ agents: [bank], channels: [phone] });
  const calls = new InboxCalls(registry, registry[inboxPort]);
  const asked = async (what: 'pay' | 'both') => {
    await here.says(phone, what);
    const { asks } = await calls.list(anna, { limit: 1 });
    return { id: asks[0]?.id ?? '', drawn: asks[0]?.digest ?? '' };
  };
  const busy = () => here.says(phone, 'hm', { automated: true });
  const fills = (reply: string) => here.says(phone, reply);
  return { calls, asked, busy, fills, slow, paid };
}

test.each(['answer', 'decline', 'cancel'] as const)(
  '%s by the digest of the first field: nothing is decided once a reply before it has filled that field',
  async (decide) => {
    const { calls, asked, busy, fills, slow, paid } = await payments();
    const { id, drawn } = await asked('pay');
    await busy();
    await fills('DE02 1203 0000');
    const decided = {
      answer: () => calls.answer(anna, id, { text: '100' }, { drawn }),
      decline: () => calls.decline(anna, id, { drawn }),
      cancel: () => calls.cancel(anna, id, { drawn }),
    }[decide]();
    await settle();
    slow.open();
    const { type, ask } = (await decided) as { type: string; ask: { digest: string } };
    expect([type, paid]).toEqual(['changed', []]);
    expect(ask).toMatchObject({ status: 'pending', retries: 0, prompt: 'How much?' });
    expect(await calls.answer(anna, id, { text: '100' }, { drawn: ask.digest })).toMatchObject({ type: 'accepted' });
    expect(paid).toEqual([{ iban: 'DE02 1203 0000', sum: '100' }]);
  },
);

test('a decision by the digest of what is still asked waits in the queue and counts', async () => {
  const { calls, asked, busy, slow, paid } = await payments();
  const { id, drawn } = await asked('pay');
  await busy();
  const decided = calls.answer(anna, id, { value: { iban: 'A1', sum: '5' } }, { drawn });
  await settle();
  slow.open();
  expect(await decided).toMatchObject({ type: 'accepted' });
  expect(paid).toEqual([{ iban: 'A1', sum: '5' }]);
});

test('a vote of somebody else does not outdate what a person was shown', async () => {
  const { calls, asked } = await payments();
  const { id, drawn } = await asked('both');
  expect(await calls.answer(anna, id, { value: true }, { drawn })).toMatchObject({ type: 'counted' });
  expect(await calls.answer(ben, id, { value: true }, { drawn })).toMatchObject({ type: 'accepted' });
});

test('a cancel by what the ask is no longer ends nothing', async () => {
  const { calls, asked, fills } = await payments();
  const { id, drawn } = await asked('pay');
  await fills('DE02 1203 0000');
  expect(await calls.cancel(anna, id, { drawn })).toMatchObject({
    type: 'changed',
    ask: { status: 'pending' },
  });
  expect(await calls.cancel(anna, id)).toMatchObject({ type: 'accepted' });
});
