/**
 * Two worker processes on one Redis: the first asks, the second takes the reply and goes on. Each message reaches its
 * worker through `registry.handle()`, as it would from a web server of yours. Needs a Redis server.
 *   REDIS_URL=redis://127.0.0.1:6379 npx tsx two-workers.ts   (from Node 22.18 on: node two-workers.ts)
 *   npm run build && npm run build:examples && REDIS_URL=redis://127.0.0.1:6379 node dist-examples/two-workers.js   (in a clone)
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AgentRegistry, agent, text } from 'askback';
import { RedisStore } from 'askback/stores/redis';

/** What a worker does: the same program on every machine. */
async function worker(): Promise<void> {
  const support = agent('support');
  const order = support.question('order', text('What is your order number?', { pattern: /^\d{5,10}$/ }), {
    onAnswer: (number) => `Refunded order ${number}.`,
  });
  support.onMessage(({ message, ask }) => (/refund/i.test(message) ? ask(order) : 'You are welcome.'));

  const store = new RedisStore({ url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' });
  const registry = new AgentRegistry({ agents: [support], store });
  await registry.start();

  const handle = async (message: { id: string; conversationId: string; text: string }): Promise<void> => {
    const participant = { id: 'web:anna', name: 'Anna' };
    const { disposition, outputs } = await registry.handle({ ...message, participant });
    process.send?.({ disposition: disposition.type, said: outputs.map((output) => output.text) });
  };
  process.on('message', (message) => void handle(message as Parameters<typeof handle>[0]));
  process.once('disconnect', () => void registry.stop());
  process.send?.({ ready: true });
}

/** What your load balancer does: one conversation, each message to another worker. */
async function main(): Promise<void> {
  const first = await started();
  const second = await started();
  const conversationId = `chat-${randomUUID()}`;

  await says('first worker', first, { conversationId, text: 'refund please' });
  await says('second worker', second, { conversationId, text: '?' });
  await says('first worker', first, { conversationId, text: '12345' });
  await says('second worker', second, { conversationId, text: 'thank you!' });

  for (const child of [first, second]) {
    child.disconnect();
    await once(child, 'exit');
  }
}

async function started(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['worker']);
  await once(child, 'message');
  return child;
}

async function says(name: string, child: ChildProcess, message: { conversationId: string; text: string }) {
  const answered = once(child, 'message');
  child.send({ id: randomUUID(), ...message });
  const [{ disposition, said }] = (await answered) as [{ disposition: string; said: string[] }];
  console.log(`${name} got "${message.text}": ${disposition}`);
  for (const text of said) console.log(`  ${text.replaceAll('\n', '\n  ')}`);
}

await (process.argv[2] === 'worker' ? worker() : main());
