/**
 * The agents of the replicas: the support agent and a flow of three steps, each written in both ways, which pay at the ledger
 * in the world outside, and one that misbehaves. A conversation's id says which one leads it, and how it goes.
 */
import { Agent, request } from 'node:http';

const question = 'What is your order number?';

/** Calls the world outside; resolves when it has answered. */
export function worldAt(url, by) {
  const agent = new Agent({ keepAlive: true });
  const call = (what, body) =>
    new Promise((resolve, reject) => {
      const sending = request(`${url}/${what}`, { method: 'POST', agent }, (response) => {
        response.resume().on('end', resolve);
      });
      sending.on('error', reject).end(JSON.stringify({ ...body, by }));
    });
  return {
    pay: (body) => call('pay', body),
    note: (body) => call('note', body),
    deliver: (body) => call('deliver', body),
  };
}

/** A conversation's id says how it goes: 'declared-once-7' is led by the declared agent, which pays inside once(). */
const goes = (conversationId, how) => conversationId.split('-').includes(how);

const optionsFor = (conversationId) => ({
  maxRetries: 3,
  ...(goes(conversationId, 'anyone') && { answerableBy: 'anyone' }),
  ...(goes(conversationId, 'park') && { onCrash: 'park' }),
});

export const route = ({ conversationId }) =>
  ['odd', 'declared', 'flow', 'flowclass', 'ladder', 'handover'].find((name) => goes(conversationId, name)) ?? 'class';

export function supportAgents({ BaseAgent, agent, confirm, form, text }, world) {
  const paid = async (order, { pending: { conversationId }, effectKey, attempt, once }) => {
    const pay = () => world.pay({ key: effectKey, order, conversationId, attempt });
    await (goes(conversationId, 'once') ? once('pay', pay) : pay());
    return { output: `Refunded ${order}.` };
  };
  /** What is said to a message that is no reply; nothing if it wants a refund. */
  const ordinary = async ({ message = '', conversationId, attempt }) => {
    if (message === 'refund') await world.running();
    if (/^note|slowly/.test(message)) await world.note({ conversationId, text: message, attempt });
    if (message.startsWith('refund')) return undefined;
    return { output: message.startsWith('note') ? `Noted in ${conversationId}: ${message}` : 'I can refund an order.' };
  };

  class Support extends BaseAgent {
    name = 'class';
    async invokeAgent(input) {
      const pending = this.getPendingAsk(input.conversationId);
      if (pending && input.message) return this.handlePendingAsk(pending, input.message, paid);
      return (await ordinary(input)) ?? this.ask(question, optionsFor(input.conversationId));
    }
  }

  const declared = agent('declared');
  const order = declared.question('order', text(question, { pattern: /^\d{5,10}$/ }), { onAnswer: paid });
  const whole = declared.question(
    'form',
    form('A refund', { order: text(question, { pattern: /^\d{5,10}$/ }), sure: confirm('Sure?') }),
    { onAnswer: (answer, turn) => paid(answer.order, turn) },
  );
  const vote = declared.question('vote', confirm('Refund it?'), {
    answerableBy: { roles: ['clerk'] },
    quorum: 2,
    excludeAsker: true,
    remindAfter: 400,
    onAnswer: (yes, turn) => paid(yes ? 'yes' : 'no', turn),
  });
  const asked = (id) => (goes(id, 'vote') ? [vote] : [goes(id, 'form') ? whole : order, optionsFor(id)]);
  declared.onMessage(async (turn) => (await ordinary(turn)) ?? turn.ask(...asked(turn.conversationId)));

  return [new Support(), declared];
}

/** Order, item, a last look, payment: each answer asks the next question. */
export function flowAgents({ BaseAgent, agent, choice, confirm, text }, world) {
  const orderQuestion = text(question, { pattern: /^\d{5,10}$/ });
  const itemQuestion = choice('Which item?', ['lamp', 'chair']);
  const sureQuestion = confirm('Refund 48 EUR?');
  const greeting = 'I can refund an order.';

  const next = async (ask, asked, context) => {
    await world.running();
    return ask(asked, { context });
  };
  const paid = async (yes, { pending, effectKey, attempt, once }) => {
    await world.running();
    const { context, conversationId } = pending;
    if (!yes) return 'Kept.';
    await once('pay', () => world.pay({ key: effectKey, order: context.order, conversationId, attempt }));
    return `Refunded ${context.item} of ${context.order}.`;
  };

  class FlowClass extends BaseAgent {
    name = 'flowclass';
    sure = this.question('sure', sureQuestion);
    async invokeAgent({ message = '' }) {
      const pending = this.getPendingAsk();
      const { step, order } = pending?.context ?? {};
      if (this.getPendingAsk(this.sure)) return this.handlePendingAsk(pending, message, paid);
      if (step === 'order')
        return this.handlePendingAsk(pending, message, (number, { ask }) =>
          next(ask, itemQuestion, { step: 'item', order: number }),
        );
      if (step === 'item')
        return this.handlePendingAsk(pending, message, (item, { ask }) => next(ask, this.sure, { order, item }));
      return message === 'refund'
        ? next((...asked) => this.ask(...asked), orderQuestion, { step: 'order' })
        : { output: greeting };
    }
  }

  const flow = agent('flow');
  const sure = flow.question('sure', sureQuestion, { onAnswer: paid });
  const item = flow.question('item', itemQuestion, {
    onAnswer: (name, { ask, pending }) => next(ask, sure, { ...pending.context, item: name }),
  });
  const order = flow.question('order', orderQuestion, {
    onAnswer: (number, { ask }) => next(ask, item, { order: number }),
  });
  flow.onMessage(({ message, ask }) => (message === 'refund' ? next(ask, order) : greeting));

  return [flow, new FlowClass()];
}

/** A refund that staff decide: one is escalated twice while nobody answers, the other is handed over. */
export function approvalAgents({ agent, confirm }, world) {
  const paid = async (yes, { pending: { conversationId }, effectKey, attempt, once }) => {
    if (!yes) return 'Kept.';
    await once('pay', () => world.pay({ key: effectKey, order: 'lamp', conversationId, attempt }));
    return 'Refunded 48 EUR.';
  };
  const approval = (name, more) => {
    const made = agent(name);
    const sure = made.question('sure', confirm('Refund 48 EUR?'), {
      answerableBy: ['staff:ann'],
      onAnswer: paid,
      ...more,
    });
    return made.onMessage(({ message, ask }) => (message === 'refund' ? ask(sure) : 'I can refund an order.'));
  };
  const next = (who, after) => ({ after, channel: 'phone', to: who, answerableBy: [`staff:${who}`] });
  return [approval('ladder', { escalate: [next('ben', 300), next('cleo', 600)] }), approval('handover', {})];
}

/** Keeps this process busy: nothing else runs in it meanwhile. */
export function blocked(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** All of them; `blocks` is how long a continuation keeps the event loop busy where it does, in ms. */
export function agents(askback, world, { blocks } = {}) {
  const odd = askback.agent('odd');
  const order = odd.question('order', askback.text('What is your order number?'), {
    onAnswer: async (number, { effectKey, attempt, pending: { conversationId }, signal }) => {
      await world.pay({ key: effectKey, order: number, conversationId, attempt });
      if (goes(conversationId, 'throws')) throw new Error('The printer is on fire.');
      if (goes(conversationId, 'hangs')) await new Promise((_, stop) => signal.addEventListener('abort', stop));
      if (goes(conversationId, 'blocks') && blocks) blocked(blocks);
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
  return [...supportAgents(askback, world), ...flowAgents(askback, world), ...approvalAgents(askback, world), odd];
}
