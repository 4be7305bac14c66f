/** Two processes serve one Slack app: whatever Slack sends again, and to whichever of them, there is one refund. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../../src/core/settings.js';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { type NodeProcess, spawnNode } from '../../support/processes.js';
import { SlackServer } from '../../support/slack/server.js';
import { until } from '../../support/slack/world.js';

interface Posted {
  readonly event_payload?: { readonly conversation: string; readonly key: string };
}

const file = new URL('replica.mjs', import.meta.url).pathname;

type Start = (settings?: Partial<Settings>) => Promise<{ readonly process: NodeProcess; readonly address: string }>;

/** A Slack, a store that processes share, and a way to start one. */
async function place() {
  const slack = await SlackServer.opened();
  onTestFinished(() => slack.close());
  const folder = mkdtempSync(join(tmpdir(), 'askback-slack-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true })); // registered first, so the last to run
  const ledger = join(folder, 'ledger');
  const args = [join(folder, 'store.db'), slack.apiUrl, slack.signingSecret, slack.token, ledger];
  const start: Start = async (settings = {}) => {
    const process = spawnNode(file, [...args, JSON.stringify(settings)]);
    onTestFinished(() => process.kill());
    const { port } = await process.next<{ port: number }>();
    return { process, address: `http://127.0.0.1:${port}/` };
  };
  const refunds = () => {
    try {
      return readFileSync(ledger, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };
  const store = new SqliteStore({ path: join(folder, 'store.db') });
  await store.open();
  onTestFinished(() => store.close());
  /** Whether the id of a message that was posted is in the store. */
  const isNoted = async (metadata: unknown) => {
    const { conversation = '', key = '' } = (metadata as Posted | undefined)?.event_payload ?? {};
    return (await store.sentAs(conversation, key)) !== null;
  };
  return { slack, start, refunds, isNoted };
}

async function twoProcesses() {
  const { start, ...rest } = await place();
  return { ...rest, one: await start(), two: await start() };
}

test('retries 0 to 3 of the mention and of the click, spread over two processes: one question, one refund', async () => {
  const { slack, one, two, refunds } = await twoProcesses();
  const [ann, bob] = [slack.person('U1'), slack.person('U2')];
  slack.app = one.address;
  const asked = await ann.mentions('refund');
  const spread = async (again: typeof asked.again) => {
    const statuses: number[] = [];
    for (const retry of [1, 2, 3]) {
      slack.app = retry % 2 === 1 ? two.address : one.address;
      statuses.push((await again({ retry })).status);
    }
    return statuses;
  };
  expect(await spread(asked.again)).toEqual([200, 200, 200]);
  await until(() => slack.said()[0]?.controls.length === 2);
  const pressed = await bob.presses('Yes');
  expect(await spread(pressed.again)).toEqual([200, 200, 200]);
  await until(() => slack.said().some(({ text }) => text === 'Refunded.'));
  await until(() => slack.said()[0]?.controls.length === 0);
  expect(refunds()).toHaveLength(1);
  expect(slack.said().map(({ text }) => text.split('\n')[0])).toEqual(['Refund order 12345?', 'Refunded.']);
});

test('the process that asked is killed: the other takes the click, refunds once and draws the question anew', async () => {
  const { slack, one, two, refunds, isNoted } = await twoProcesses();
  const [ann, bob] = [slack.person('U1'), slack.person('U2')];
  slack.app = one.address;
  await ann.mentions('refund');
  await until(() => slack.said()[0]?.controls.length === 2);
  await ann.presses('Yes');
  await until(() => slack.said('C1', 'U1').some(({ text }) => text.includes("can't answer")));
  await until(() => isNoted(slack.said()[0]?.message.metadata)); // killed before, nobody would know which message to draw anew
  one.process.kill('SIGKILL');
  await one.process.exited;
  slack.app = two.address;
  const pressed = await bob.presses('Yes');
  expect(pressed.status).toBe(200);
  await pressed.again({ retry: 1 });
  await until(() => slack.said().some(({ text }) => text === 'Refunded.'));
  await until(() => slack.said()[0]?.controls.length === 0);
  expect(refunds()).toHaveLength(1);
});

test.each([
  ['once the post is found', true],
  ['before the post is found', false],
])(
  'killed after posting and before noting the id: another process posts nothing, and draws the post anew after a click %s',
  async (_, waits) => {
    const { slack, start, refunds, isNoted } = await place();
    const [ann, bob] = [slack.person('U1'), slack.person('U2')];
    const sending = { sendLease: 3_000, sendLimit: 2_500 };
    const one = await start({ ...sending, markDelay: 600_000 });
    slack.app = one.address;
    await ann.mentions('refund');
    await until(() => slack.said()[0]?.controls.length === 2);
    one.process.kill('SIGKILL');
    await one.process.exited;
    const isPostNoted = () => isNoted(slack.said()[0]?.message.metadata);
    expect(await isPostNoted()).toBe(false); // nobody else runs yet
    const two = await start(sending);
    slack.app = two.address;
    if (waits) await until(isPostNoted);
    await bob.presses('Yes');
    await until(() => slack.said().some(({ text }) => text === 'Refunded.'));
    await until(() => slack.said()[0]?.controls.length === 0);
    expect(refunds()).toHaveLength(1);
    expect(slack.said().map(({ text }) => text.split('\n')[0])).toEqual(['Refund order 12345?', 'Refunded.']);
  },
);
