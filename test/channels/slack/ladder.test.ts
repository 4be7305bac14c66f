/** Questions of Slack that go elsewhere, and questions from elsewhere on Slack: notify, escalate, hand over. */
import { expect, test } from 'vitest';
import { confirm, form, text as textQuestion } from '../../../src/index.js';
import { minute } from '../../support/engine.js';
import { Mail } from '../../support/places.js';
import { slackWorld } from '../../support/slack/world.js';

test('an escalation from Slack to a second channel to a second approver, who decides by direct message', async () => {
  const mail = new Mail();
  const { slack, registry, clock, until } = await slackWorld({}, { others: [mail] });
  slack.person('U2');
  const cleo = slack.person('U3', { real_name: 'Cleo', profile: { display_name: 'Cleo' } });
  const { askId } = await registry.ask(confirm('Refund?'), {
    channel: 'slack',
    to: 'C1',
    answerableBy: ['slack:T1/U2'],
    escalate: [
      { after: 10 * minute, channel: 'mail', to: 'ops', answerableBy: ['mail:ops'] },
      { after: 20 * minute, channel: 'slack', to: 'U3', answerableBy: ['slack:T1/U3'] },
    ],
  });
  const question = await until(() => slack.said('C1')[0]);
  await clock.advance(11 * minute);
  await until(() => mail.texts('ops').length === 1);
  await clock.advance(10 * minute);
  const direct = slack.direct('U3');
  await until(() => slack.said(direct).length === 1);
  await cleo.presses('Yes', { channel: direct });
  await until(async () => (await registry.getAsk(askId))?.status === 'answered');
  const redrawn = await until(() => slack.said('C1').find(({ text }) => text.includes('Answered by Cleo')));
  expect([redrawn.controls, redrawn.message.ts]).toEqual([[], question.message.ts]);
  await until(() => slack.said(direct).every(({ controls }) => controls.length === 0));
  await until(() => mail.texts('ops').at(-1) === 'Refund?\nThis was already answered by Cleo.');
  expect(await registry.getAsk(askId)).toMatchObject({ decidedBy: { id: 'slack:T1/U3' }, steps: [{}, {}] });
});

test('an ask from elsewhere is shown on Slack, handed over to a direct message, and redrawn when the inbox answers', async () => {
  const mail = new Mail();
  const { slack, registry, until } = await slackWorld({}, { others: [mail] });
  for (const user of ['U2', 'U3', 'U4']) slack.person(user);
  const { askId } = await registry.ask(confirm('Refund?'), {
    channel: 'mail',
    to: 'ops',
    answerableBy: ['slack:T1/U2', 'slack:T1/U4'],
    notify: [{ channel: 'slack', to: 'C1' }],
  });
  await until(() => slack.said('C1').length === 1);
  await registry.handOver(askId, { by: { id: 'slack:T1/U2', name: 'Bob' }, to: 'slack:T1/U3' });
  const direct = slack.direct('U3');
  const handed = await until(() => slack.said(direct).find(({ text }) => text.includes('Bob hands this to you')));
  expect(slack.said(slack.direct('U2')).map(({ text }) => text)).toEqual(['You handed this over to u3.']);
  expect(handed.controls).toEqual(['Yes', 'No']);
  await registry.answer(askId, { value: true }, { by: { id: 'slack:T1/U4', name: 'Dan' } });
  for (const channel of ['C1', direct])
    await until(() => slack.said(channel).some(({ text }) => text.includes('Answered by Dan')));
});

test('an ask on Slack that one person hands to another: both are told by direct message, and nothing is said in the channel', async () => {
  const { slack, registry, until } = await slackWorld();
  slack.person('U2');
  const cleo = slack.person('U3', { profile: { display_name: 'Cleo' } });
  const { askId } = await registry.ask(confirm('Refund?'), {
    channel: 'slack',
    to: 'C1',
    answerableBy: ['slack:T1/U2'],
  });
  await until(() => slack.said('C1').length === 1);
  await registry.handOver(askId, { by: { id: 'slack:T1/U2', name: 'Bob' }, to: { id: 'slack:T1/U3', name: 'Cleo' } });
  const handed = await until(() => slack.said('D3')[0]);
  expect([handed.text, handed.controls]).toEqual([expect.stringContaining('Bob hands this to you'), ['Yes', 'No']]);
  await until(() => slack.said('D2').some(({ text }) => text === 'You handed this over to Cleo.'));
  expect(slack.said('C1')).toHaveLength(1);
  await cleo.presses('Yes', { channel: 'D3' });
  for (const channel of ['C1', 'D3'])
    await until(() => slack.said(channel).some(({ text }) => text.includes('Answered by Cleo')));
  expect(await registry.getAsk(askId)).toMatchObject({ decidedBy: { id: 'slack:T1/U3' } });
});

test('an ask of a workspace is handed to people of that workspace only: the id of a person of Slack says which is theirs', async () => {
  const { slack, registry, until } = await slackWorld();
  for (const user of ['U2', 'U3']) slack.person(user);
  const { askId } = await registry.ask(confirm('Refund?'), {
    channel: 'slack',
    to: 'C1',
    asker: { id: 'slack:T1/U1', tenant: 'T1' },
    answerableBy: ['slack:T1/U2'],
  });
  await until(() => slack.said('C1').length === 1);
  const by = { id: 'slack:T1/U2', name: 'Bob', tenant: 'T1' };
  expect(await registry.handOver(askId, { by, to: 'slack:T2/U3' })).toMatchObject({ type: 'invalid' });
  expect(await registry.handOver(askId, { by, to: 'slack:T1/../U3' })).toMatchObject({ type: 'invalid' });
  expect(await registry.handOver(askId, { by, to: 'slack:T1/U3' })).toMatchObject({ type: 'handed-over' });
  await until(() => slack.said(slack.direct('U3')).length === 1);
  expect(slack.said(slack.direct('U3')).map(({ text }) => text)).toEqual([
    expect.stringContaining('Bob hands this to you'),
  ]);
});

test('a form that is handed over after a part of its answer: the direct message shows what is decided, and what is filled', async () => {
  const { slack, registry, until } = await slackWorld();
  const bob = slack.person('U2');
  slack.person('U3');
  const fields = { why: textQuestion('Why?'), ok: confirm('Agreed?') };
  const { askId } = await registry.ask(form('Pay Bob 5,000 EUR?', fields), {
    channel: 'slack',
    to: 'C1',
    answerableBy: ['slack:T1/U2'],
  });
  const question = await until(() => slack.said('C1')[0]);
  await bob.writes('because', { thread: question.message.ts });
  await until(async () => (await registry.getAsk(askId))?.partial !== undefined);
  await registry.handOver(askId, { by: { id: 'slack:T1/U2', name: 'Bob' }, to: 'slack:T1/U3' });
  const handed = await until(() => slack.said(slack.direct('U3'))[0]);
  expect(handed.text).toContain('Pay Bob 5,000 EUR?\nWhy? because');
  expect(handed.controls).toEqual(['Answer']);
});

test('a long reason of a hand-over does not push a long question out of sight, nor its buttons', async () => {
  const { slack, registry, until } = await slackWorld();
  slack.person('U2');
  slack.person('U3');
  const { askId } = await registry.ask(confirm(`Pay 1 EUR? ${'x '.repeat(3_500)}And 10,000,000 EUR more?`), {
    channel: 'slack',
    to: 'C1',
    answerableBy: ['slack:T1/U2'],
  });
  await until(() => slack.said('C1').length === 1);
  const reason = '&'.repeat(1_000);
  await registry.handOver(askId, { by: { id: 'slack:T1/U2', name: 'Bob' }, to: 'slack:T1/U3', reason });
  const handed = await until(() => slack.said(slack.direct('U3'))[0]);
  expect(handed.text).toContain('And 10,000,000 EUR more?');
  expect(handed.controls).toEqual(['Yes', 'No']);
});
