/**
 * A process that serves the Slack channel on a SQLite file: node replica.mjs DATABASE API SECRET TOKEN LEDGER SETTINGS. It tells the test its
 * port. SETTINGS is JSON.
 */
import { appendFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { library } from '../../support/library.mjs';

const [path, apiUrl, signingSecret, token, ledger, more] = process.argv.slice(2);
const { AgentRegistry, agent, confirm } = await library('index.js');
const { SqliteStore } = await library('stores/sqlite/index.js');
const { SlackChannel } = await library('channels/slack/index.js');

const refunds = agent('refunds');
const sure = refunds.question('sure', confirm('Refund order 12345?'), {
  answerableBy: ['slack:T1/U2'],
  onAnswer: (_yes, { effectKey }) => {
    appendFileSync(ledger, `${effectKey}\n`);
    return 'Refunded.';
  },
});
refunds.onMessage(({ ask }) => ask(sure));

const slack = new SlackChannel({ signingSecret, token, apiUrl });
const settings = { lease: 3_000, renewal: 1_000, sweep: 500, ...JSON.parse(more) };
const registry = new AgentRegistry({
  agents: [refunds],
  channels: [slack],
  store: new SqliteStore({ path }),
  settings,
});
await registry.start();
serve({ fetch: slack.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send({ port }));
process.on('disconnect', () => process.exit());
