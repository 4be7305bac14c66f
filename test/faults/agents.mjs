/**
 * The agents of these tests: the support agents of test/processes, and a few that misbehave. A conversation's id says
 * which one leads it.
 */
import { supportAgents, route as supportRoute } from '../processes/agents.mjs';

const goes = (conversationId, how) => conversationId.split('-').includes(how);

/** Keeps this process busy: nothing else runs in it meanwhile. */
export function blocked(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

export const route = (message) => (goes(message.conversationId, 'odd') ? 'odd' : supportRoute(message));

export function agents(askback, world, config) {
  const odd = askback.agent('odd');
  const order = odd.question('order', askback.text('What is your order number?'), {
    onAnswer: async (number, { effectKey, attempt, pending: { conversationId }, signal }) => {
      await world.pay({ key: effectKey, order: number, conversationId, attempt });
      if (goes(conversationId, 'throws')) throw new Error('The printer is on fire.');
      if (goes(conversationId, 'hangs')) await new Promise((_, stop) => signal.addEventListener('abort', stop));
      if (goes(conversationId, 'blocks') && config.blocks) blocked(config.blocks);
      return `Refunded ${number}.`;
    },
  });
  odd.onMessage(async ({ message, conversationId, attempt, ask }) => {
    if (message.startsWith('hang')) return new Promise(() => {}); // and does not listen to its signal
    if (message.startsWith('note')) {
      await world.note({ conversationId, text: message, attempt });
      return undefined;
    }
    if (!message.startsWith('refund')) return 'I can refund an order.';
    const [, ms] = /within (\d+)/.exec(message) ?? [];
    return ask(order, { maxRetries: 3, ...(ms && { expiresIn: Number(ms) }) });
  });
  return [...supportAgents(askback, world), odd];
}
