/**
 * A script that asks two things and goes on with the answers. There are no agents: it asks, waits, and ends. Typed:
 *   npx tsx ask-in-the-terminal.ts   (from Node 22.18 on: node ask-in-the-terminal.ts)
 *   npm run build && npm run build:examples && node dist-examples/ask-in-the-terminal.js   (in a clone)
 * Piped:
 *   printf '2\nyes\n' | npx tsx ask-in-the-terminal.ts
 * Both are asked at once and shown one after the other. So a line that was piped early finds its question open.
 */
import { AgentRegistry, choice, confirm, TerminalChannel } from 'askback';

const terminal = new TerminalChannel({
  onEnd: () => void registry.cancel({ conversationId: 'terminal' }), // the input has ended: nobody can answer any more
});
const registry = new AgentRegistry({ channels: [terminal] });
const here = { channel: 'terminal', timeout: 5 * 60_000 }; // then each question is withdrawn

const [where, tests] = await Promise.all([
  registry.askAndWait(choice('Deploy to where?', ['staging', 'production']), here),
  registry.askAndWait(confirm('Run the tests before?'), here),
]);
await registry.stop(); // first: what the terminal still has to print comes before the result

if (where.status !== 'answered' || tests.status !== 'answered') {
  console.log(`Nothing is deployed: ${where.status}, ${tests.status}.`); // silence is no answer
} else {
  console.log(`Deploys to ${where.value}, ${tests.value ? 'after' : 'without'} the tests.`); // and a no is one
}
