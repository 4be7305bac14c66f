/** Slack beside other channels and other people: one ask, several places, one decision. */
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { onlyWhenAddressed } from '../../../src/channels/interceptors.js';
import { isAddressedOnSlack, SlackChannel } from '../../../src/channels/slack/index.js';
import { WebChannel } from '../../../src/channels/web/index.js';
import { AgentRegistry, agent, confirm, type RegistryOptions, TerminalChannel } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { SlackServer } from '../../support/slack/server.js';
import { linesLogged, until } from '../../support/slack/world.js';

/** An agent that asks for approval on Slack, on the terminal and on the web at once. */
async function approvals(question: { readonly quorum?: number }, options: Partial<RegistryOptions> = {}) {
  const clock = new FakeClock();
  const slack = await SlackServer.opened({ now: () => clock.now() });
  const { signingSecret, token, apiUrl } = slack;
  const { logger } = linesLogged();
  const channel = new SlackChannel({ signingSecret, token, apiUrl, team: 'T1', clock, logger });
  const terminal = new PassThrough();
  const printed: string[] = [];
  const output = new PassThrough().on('data', (text: Buffer) => void printed.push(String(text)));
  const paying = agent('paying');
  const decisions: string[] = [];
  const pay = paying.question('pay', confirm('Pay 100 €?'), {
    answerableBy: ['slack:T1/U1', 'slack:T1/U2', 'web:boss', 'ann'],
    ...question,
    onAnswer: (yes) => {
      decisions.push(`${yes}`);
      return 'Paid.';
    },
  });
  paying.onMessage(({ message, ask }) => (message === 'pay' ? ask(pay) : `You said ${message}`));
  const registry = new AgentRegistry({
    agents: [paying],
    channels: [
      channel,
      new TerminalChannel({ input: terminal, output, clock }),
      new WebChannel({ origins: ['https://shop.example'], secret: 'a secret of at least 32 characters', clock }),
    ],
    clock,
    logger,
    ...options,
  });
  await registry.start();
  slack.app = channel.fetch;
  onTestFinished(async () => {
    await registry.stop();
    await slack.close();
  });
  const soon = <T>(check: () => T | Promise<T>) => until(check, clock);
  return { slack, registry, terminal, printed, decisions, until: soon };
}

test('one agent on the terminal, the web and Slack: an ask on Slack is answered from the inbox and drawn anew there', async () => {
  const { slack, registry, terminal, printed, decisions, until: soon } = await approvals({});
  const ann = slack.person('U1');
  terminal.write('hello\n');
  await soon(() => printed.join('').includes('You said hello'));
  await ann.mentions('pay');
  await soon(() => slack.said()[0]?.controls.length === 2);
  const { asks } = await registry.listAsks();
  await registry.answer(asks[0]?.id ?? '', { value: true }, { by: { id: 'web:boss', name: 'Boss', tenant: 'T1' } });
  const redrawn = await soon(() => slack.said().find(({ text }) => text.includes('Answered by Boss')));
  expect([redrawn.controls, decisions]).toEqual([[], ['true']]);
  await soon(() => slack.said().some(({ text }) => text === 'Paid.'));
});

test('two people press at once: one wins, the other is told, alone', async () => {
  const { slack, decisions, until: soon } = await approvals({});
  const [ann, bob] = [slack.person('U1'), slack.person('U2')];
  await ann.mentions('pay');
  await soon(() => slack.said()[0]?.controls.length === 2);
  const [one, two] = await Promise.all([ann.presses('Yes'), bob.presses('No')]);
  expect([one.status, two.status]).toEqual([200, 200]);
  await soon(() => slack.messages.some(({ only, text }) => only !== undefined && /already answered/.test(text)));
  expect([decisions.length, slack.said().filter(({ text }) => /already/.test(text))]).toEqual([1, []]);
});

test('a vote on Slack and one from the inbox make a quorum; the same person by both counts once', async () => {
  const identify: RegistryOptions['identify'] = (who) =>
    ['slack:T1/U1', 'web:ann'].includes(who.id) ? { ...who, id: 'ann' } : who;
  const { slack, registry, decisions, until: soon } = await approvals({ quorum: 2 }, { identify });
  const ann = slack.person('U1');
  await ann.mentions('pay');
  await soon(() => slack.said()[0]?.controls.length === 2);
  const { asks } = await registry.listAsks();
  const askId = asks[0]?.id ?? '';
  await ann.presses('Yes');
  await soon(async () => (await registry.getAsk(askId))?.votes?.length === 1);
  await registry.answer(askId, { value: true }, { by: { id: 'web:ann', tenant: 'T1' } }).catch(() => {});
  expect([(await registry.getAsk(askId))?.status, decisions]).toEqual(['pending', []]);
  await registry.answer(askId, { value: true }, { by: { id: 'web:boss', name: 'Boss', tenant: 'T1' } });
  await soon(() => slack.said()[0]?.controls.length === 0);
  expect(decisions).toEqual(['true']);
});

test('in a room where people talk to each other, only what addresses the app is answered, and replies to questions', async () => {
  const interceptors = [onlyWhenAddressed({ names: ['askback'], unless: isAddressedOnSlack })];
  const { slack, decisions, until: soon } = await approvals({}, { interceptors });
  const ann = slack.person('U1');
  await ann.writes('lunch?');
  await ann.writes('hello', { channel: 'direct' });
  await soon(() => slack.said('D1').some(({ text }) => text === 'You said hello'));
  const { ts } = await ann.mentions('pay');
  await soon(() => slack.said()[0]?.controls.length === 2);
  await ann.writes('yes', { thread: ts });
  await soon(() => slack.said().some(({ text }) => text === 'Paid.'));
  expect([decisions, slack.said().length]).toEqual([['true'], 2]);
});
