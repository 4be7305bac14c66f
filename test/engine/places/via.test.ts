/**
 * Runs from a trigger: refused without `via`; with it, one ask and one question in the conversation
 * named, killed after each step.
 */
import { expect, test } from 'vitest';
import { agent, text } from '../../../src/index.js';
import type { CrashPoint } from '../../../src/testing/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { heard, leaseAndSweep, settle, TestChannel, world } from '../../support/engine.js';

function reporter() {
  const answers: string[] = [];
  const ids: unknown[] = [];
  const support = agent('support');
  const approve = support.question('approve', text('Pay the bill?'), {
    onAnswer: (answer, { pending }) => {
      answers.push(`${pending.context['bill']}: ${answer}`);
      return 'noted';
    },
  });
  support.onMessage(async ({ message, ask }) => {
    if (message === 'ask') return ask(approve);
    if (message !== 'run') return 'ordinary';
    const asked = await ask(approve, { context: { bill: 7 }, via: { channel: 'rehearsal', to: 'boss' } });
    ids.push(asked.metadata?.['askId']);
    return asked;
  });
  return { support, answers, ids };
}

const fire = (clock: TestChannel, id = 'run-1') =>
  clock.desk?.receive({ id, conversationId: 'nightly', text: 'run' }).catch(() => {});

test('a run from a trigger asks through the conversation that is named; the reply continues there', async () => {
  const cron = new TestChannel('cron', true);
  const { support, answers } = reporter();
  const { human, clock, asks } = await rehearse({ agents: [support], channels: [cron] });
  const boss = human('boss');
  await fire(cron);
  await clock.advance(0);
  expect(boss.sees()).toEqual(['Pay the bill?']);
  expect(await asks()).toMatchObject([{ conversationId: 'boss', channelName: 'rehearsal', context: { bill: 7 } }]);
  expect(await boss.says('yes please')).toEqual(['noted']);
  expect(answers).toEqual(['7: yes please']);
  expect(cron.sent).toEqual([]);
});

for (const point of ['take', 'save', 'sent'] as const satisfies readonly CrashPoint[]) {
  test(`killed after the first ${point} of the trigger's run: one ask, one question`, async () => {
    const cron = new TestChannel('cron', true);
    const { support, ids } = reporter();
    const { human, clock, asks, crash, restart } = await rehearse({ agents: [support], channels: [cron] });
    const boss = human('boss');
    crash(point);
    void fire(cron);
    await settle();
    await clock.advance(0);
    await restart();
    await clock.advance(60_000 + 2 * leaseAndSweep);
    expect((await asks()).map((ask) => ask.id)).toEqual([ids[0]]);
    expect(boss.sees()).toEqual(['Pay the bill?']);
  });

  test(`killed again after the ${point} that opens the ask in its conversation: one ask, one question`, async () => {
    const cron = new TestChannel('cron', true);
    const { support, ids } = reporter();
    const { human, clock, asks, crash, restart } = await rehearse({ agents: [support], channels: [cron] });
    const boss = human('boss');
    crash('save');
    void fire(cron);
    await settle();
    await clock.advance(0);
    await restart();
    crash(point);
    await clock.advance(60_000 + leaseAndSweep);
    await restart();
    await clock.advance(60_000 + 2 * leaseAndSweep);
    expect((await asks()).map((ask) => ask.id)).toEqual([ids[0]]);
    expect(boss.sees()).toEqual(['Pay the bill?']);
  });
}

test("16: the trigger's own event sent twice opens one ask", async () => {
  const cron = new TestChannel('cron', true);
  const { human, clock, asks } = await rehearse({ agents: [reporter().support], channels: [cron] });
  const boss = human('boss');
  await fire(cron);
  await fire(cron);
  await clock.advance(0);
  expect(await asks()).toHaveLength(1);
  expect(boss.sees()).toEqual(['Pay the bill?']);
});

test('the deadline of an ask opened elsewhere starts when it is opened there', async () => {
  const here = world();
  const cron = new TestChannel('cron', true);
  const phone = new TestChannel();
  const support = agent('support');
  support.onMessage(({ ask }) => ask('Well?', { expiresIn: 60_000, via: { channel: 'phone', to: 'boss' } }));
  const registry = await here.replica({ agents: [support], channels: [cron, phone] });
  await here.says(cron, 'run');
  const [ask] = (await registry.listAsks()).asks;
  expect(ask?.expiresAt?.getTime()).toBe((ask?.askedAt.getTime() ?? 0) + 60_000);
});

test('ask() from a trigger without via is refused, names the channel, and stores and sends nothing', async () => {
  const here = world();
  const cron = new TestChannel('nightly-cron', true);
  const registry = await here.replica({ agents: [reporter().support], channels: [cron] });
  await here.says(cron, 'ask');
  const [parked] = (await registry.parked()).items;
  expect(parked?.failure.code).toBe('trigger-channel');
  expect(parked?.failure.message).toContain('(nightly-cron)');
  expect((await registry.listAsks()).asks).toEqual([]);
  expect(cron.sent).toEqual([]);
});

test('the trigger error reaches the operator even though the trigger channel cannot send', async () => {
  const here = world();
  const cron = new TestChannel('cron', true);
  const registry = await here.replica({ agents: [reporter().support], channels: [cron] });
  const parked = heard(registry, 'parked');
  await here.says(cron, 'ask', { id: 'run-1' });
  expect(parked).toMatchObject([{ entryId: 'm:cron:run-1', attempts: 1, failure: { code: 'trigger-channel' } }]);
});

test('via to a channel that cannot receive is refused likewise', async () => {
  const here = world();
  const cron = new TestChannel('cron', true);
  const mail = new TestChannel('newsletter', true);
  const support = agent('support');
  support.onMessage(({ ask }) => ask('Well?', { via: { channel: 'newsletter', to: 'boss' } }));
  const registry = await here.replica({ agents: [support], channels: [cron, mail] });
  await here.says(cron, 'run');
  expect((await registry.parked()).items[0]?.failure).toMatchObject({ code: 'trigger-channel' });
  expect((await registry.parked()).items[0]?.failure.message).toContain('(newsletter)');
  expect(mail.sent).toEqual([]);
});
