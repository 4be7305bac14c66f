/**
 * Refunds on Slack. Somebody writes to the app; a manager is asked with buttons, and the head of the shop if no manager has answered
 * after ten minutes. It connects to Slack by Socket Mode and needs no public address.
 *   npx tsx refund-on-slack.ts   (from Node 22.18 on: node refund-on-slack.ts)
 *   npm run build && npm run build:examples && node dist-examples/refund-on-slack.js   (in a clone)
 * Without SLACK_BOT_TOKEN it prints the manifest of the app, to be pasted at https://api.slack.com/apps.
 * It needs: npm install @slack/web-api @slack/socket-mode undici
 */
import { AgentRegistry, agent, confirm } from 'askback';
import { isAddressedOnSlack, SlackChannel, slackManifest } from 'askback/channels/slack';
import { onlyWhenAddressed } from 'askback/interceptors';

const {
  SLACK_BOT_TOKEN: token, // xoxb-…, from "OAuth & Permissions"
  SLACK_APP_TOKEN: appToken = '', // xapp-…, from "Basic Information", with the scope connections:write
  SLACK_TEAM: team = 'T012AB3CD', // the workspace
  SLACK_MANAGERS: managers = 'C012AB3CD', // the channel in which managers are asked; invite the app into it
  SLACK_MANAGER: manager = 'U012AB3CD', // who may answer there
  SLACK_HEAD: head = 'U045EF6GH', // who is asked next, by a direct message
  ESCALATE_AFTER: escalateAfter = '600000',
  SLACK_API_URL: apiUrl,
} = process.env;

if (token === undefined) {
  console.log(slackManifest({ name: 'Refunds', socketMode: true }));
  process.exit();
}

const person = (user: string): string => `slack:${team}/${user}`; // as participants are called
const refunds = agent('refunds');
const approve = refunds.question('approve', confirm('Refund it?', { yes: 'Refund', no: 'Do not refund' }), {
  onAnswer: async (yes, { pending, sendTo }) => {
    const { order, asker } = pending.context; // pay it here, under effectKey, so that it happens once
    await sendTo('slack', `Order ${order}: ${yes ? 'refunded' : 'not refunded'}.`, { to: String(asker) });
  },
  onClosed: async ({ context: { order, asker } }, why, { sendTo }) => {
    await sendTo('slack', `Order ${order}: nobody has decided (${why}).`, { to: String(asker) });
  },
});
refunds.onMessage(async ({ message, participant, ask }) => {
  const [order] = /\d{5}/.exec(message) ?? [];
  if (order === undefined) return 'Which order? Write its five digits, such as: refund 12345';
  await ask(approve, {
    context: { order, asker: participant?.id ?? '' },
    details: { Order: order },
    via: { channel: 'slack', to: managers },
    answerableBy: [person(manager)],
    escalate: [{ after: Number(escalateAfter), channel: 'slack', to: head, answerableBy: [person(head)] }],
    expiresIn: 24 * 3_600_000,
  });
  return 'A manager is asked. I will tell you.';
});

const slack = new SlackChannel({ token, appToken, team, ...(apiUrl === undefined ? {} : { apiUrl }) });
const registry = new AgentRegistry({
  agents: [refunds],
  channels: [slack],
  interceptors: [onlyWhenAddressed({ names: ['Refunds'], unless: isAddressedOnSlack })], // else people talk to each other
});
await registry.start();
console.log('Write to the app on Slack: refund 12345. Ctrl-C ends it.');
process.once('SIGINT', () => void registry.stop());
process.once('SIGTERM', () => void registry.stop());
