/**
 * A deployment that two approvers must allow, asked for by a third person. Four people share a room; what they write and
 * press goes to `registry.handle()`, as it would from a chat of yours, and what they see is printed. Needs no server:
 *   npx tsx deployment.ts   (from Node 22.18 on: node deployment.ts)
 *   npm run build && npm run build:examples && node dist-examples/deployment.js   (in a clone)
 */
import { AgentRegistry, agent, confirm, type Participant } from 'askback';

const ops = agent('ops');

const deploy = ops.question('deploy', confirm('Deploy release 1.2?', { yes: 'Deploy', no: 'Stop' }), {
  answerableBy: { roles: ['approver'] },
  quorum: 2, // so many different people must say yes; one no stops it
  excludeAsker: true,
  expiresIn: 60 * 60_000,
  onAnswer: (yes, { pending }) => {
    const names = (pending.votes ?? []).filter(({ value }) => value).map(({ by }) => by.name);
    return yes ? `Deployed. Allowed by ${names.join(' and ')}.` : `Stopped by ${pending.decidedBy?.name}.`;
  },
  onClosed: (_pending, why) => `Not deployed: ${why}.`,
});

ops.onMessage(({ message, ask }) => (/^deploy/i.test(message) ? ask(deploy) : undefined));

/** A channel says who wrote, and your directory what they may do. */
const ann: Participant = { id: 'chat:ann', name: 'Ann', roles: ['approver'] };
const carl: Participant = { id: 'chat:carl', name: 'Carl', roles: ['approver'] };
const dora: Participant = { id: 'chat:dora', name: 'Dora', roles: ['approver'] };
const sam: Participant = { id: 'chat:sam', name: 'Sam' };
const carlsPhone: Participant = { id: 'phone:4711', name: 'Carl' };

const registry = new AgentRegistry({
  agents: [ops],
  identify: (participant) => (participant.id === carlsPhone.id ? carl : participant), // one human counts as one
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: console.error }, // refusals are warned of; here they are told below
});
registry.on('refused', ({ participantId }) => console.log(`  (the operator sees: refused ${participantId})`));

let count = 0;

/** One message to the room; returns the question, if one came back. */
async function tells(what: string, message: { participant: Participant; text?: string; askId?: string }) {
  console.log(what);
  const choice = message.askId === undefined ? {} : { choice: 'yes' };
  const { outputs } = await registry.handle({
    id: `${++count}`,
    conversationId: 'room',
    text: '',
    ...message,
    ...choice,
  });
  for (const { text, ask } of outputs) {
    const buttons = ask?.choices?.map(({ label }) => ` [${label}]`).join('') ?? '';
    console.log(`  ${text}${buttons}`);
  }
  return outputs[0]?.ask;
}

const says = (participant: Participant, text: string) => tells(`${participant.name}: ${text}`, { participant, text });
const presses = (participant: Participant, askId: string, where = '') =>
  tells(`${participant.name} presses Deploy${where}`, { participant, askId });

const asked = await says(ann, 'deploy release 1.2');
if (asked === undefined) throw new Error('Nothing was asked.');

await presses(ann, asked.id); // whoever asks may not allow it
await presses(sam, asked.id); // is no approver
await says(carl, 'Has anybody looked at the migration?'); // talk is no vote
await says(carl, 'yes');
await presses(carlsPhone, asked.id, ' on the phone'); // the same person: counts once
await presses(dora, asked.id);
await presses(dora, asked.id); // it is decided

const ask = await registry.getAsk(asked.id);
const votes = ask?.votes?.map(({ by, value }) => `${by.name} ${value ? 'yes' : 'no'}`);
console.log(`On record: ${votes?.join(', ')}; decided by ${ask?.decidedBy?.name}.`);
await registry.stop();
