/** Approvals inside run(), and agents that run other agents: everything asks through the conversation it is in. */
import { expect, onTestFinished, test } from 'vitest';
import type { AgentInput, AgentResult } from '../../src/index.js';
import { AgentRegistry, agent, BaseAgent, number } from '../../src/index.js';
import { rehearse, scriptedModel } from '../../src/testing/index.js';
import type { Interrupt } from '../../src/tools/index.js';
import { askHuman, requireApproval } from '../../src/tools/index.js';

test('an approval-gated tool of run() asks in the same conversation, and executes what was approved, once', async () => {
  const paid: unknown[] = [];
  const refund = {
    name: 'refund',
    inputSchema: { type: 'object' },
    execute: async (input: unknown, { effectKey }: { effectKey?: string }) => {
      paid.push([input, typeof effectKey]);
      return 'Paid.';
    },
  };
  const model = scriptedModel([
    { calls: [{ id: 'c1', name: 'refund', input: { order: '12345' } }] },
    'I refunded it.',
    { calls: [{ id: 'c2', name: 'refund', input: { order: '666' } }] },
    'Then not.',
  ]);
  const gated = requireApproval(refund, {
    registry: () => play.registry,
    where: 'here',
    answerableBy: ['rehearsal:anna'],
  });
  const play = await rehearse({ agents: [agent('shop', { model, tools: [gated] })] });
  const anna = play.human('anna');
  expect((await anna.says('refund 12345'))[0]).toContain('Allow refund?');
  expect(await anna.says('once')).toEqual(['Approved, just this once.', 'I refunded it.']);
  expect((await anna.says('and 666'))[0]).toContain('666');
  expect(await anna.says('deny')).toEqual(["Denied. It won't be done.", 'Then not.']);
  expect(paid).toEqual([[{ order: '12345' }, 'string']]);
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toMatch(/denied.*NOT carried out/);
});

class Inner extends BaseAgent {
  name = 'inner';
  async invokeAgent(input: AgentInput): Promise<AgentResult> {
    const pending = this.getPendingAsk();
    if (pending && input.message)
      return this.handlePendingAsk(pending, input.message, (order) => ({ output: `Inner got ${order}.` }));
    return this.ask('Which order?');
  }
}

class Outer extends BaseAgent {
  name = 'outer';
  readonly #inner: Inner;
  constructor(inner: Inner) {
    super();
    this.#inner = inner;
  }
  async invokeAgent(input: AgentInput): Promise<AgentResult> {
    return this.#inner.invokeAgent(input);
  }
}

test('an agent that runs another lets it ask through the original conversation; the reply goes to the inner one', async () => {
  const inner = new Inner();
  const { human, asks } = await rehearse({ agents: [new Outer(inner), inner] });
  const anna = human('anna');
  expect(await anna.says('help')).toEqual(['Which order?']);
  expect(await asks()).toMatchObject([{ agentName: 'inner', conversationId: 'anna' }]);
  expect(await anna.says('12345')).toEqual(['Inner got 12345.']);
});

test('where the outer one must go on, the inner one waits', async () => {
  class Waiting extends BaseAgent {
    name = 'waiting';
    async invokeAgent(_: AgentInput): Promise<AgentResult> {
      const seats = await this.askAndWait(number('How many seats?'));
      return { output: seats.status === 'answered' ? String(seats.value) : seats.status };
    }
  }
  const inner = new Waiting();
  const outer = agent('outer').onMessage(async (turn) => {
    const { output } = await inner.invokeAgent(turn);
    return `The inner one says ${output}.`;
  });
  const { human } = await rehearse({ agents: [outer, inner] });
  const anna = human('anna');
  expect(await anna.says('go')).toEqual(['How many seats?']);
  expect(await anna.says('4')).toEqual(['The inner one says 4.']);
});

/** An agent whose messages come by handle(): each names what it does with its tools, which ask where they are. */
function handled() {
  const paid: unknown[] = [];
  let interrupt: Interrupt | undefined;
  const pay = { name: 'pay', inputSchema: {}, execute: (input: unknown) => `paid ${paid.push(input)}` };
  const gated = requireApproval(pay, { registry: () => registry, where: 'here', answerableBy: 'anyone' });
  const human = () => askHuman(registry, { where: 'here' });
  const desk = agent('desk').onMessage(async ({ message }) => {
    const call = { callId: 'c1' };
    if (message === 'ask') return human().execute({ prompt: 'Which?' }, call);
    if (message === 'pay') return gated.execute({ order: 1 }, call);
    if (message === 'open ask') interrupt = await human().open({ prompt: 'Which?' }, call);
    if (message === 'open pay') interrupt = await gated.open({ order: 1 }, call);
    if (message.startsWith('open')) return `${interrupt?.kind} is open`;
    if (interrupt === undefined) return undefined;
    return interrupt.kind === 'question' ? human().resume(interrupt) : gated.resume(interrupt);
  });
  const registry = new AgentRegistry({ agents: [desk] });
  onTestFinished(() => registry.stop());
  let messages = 0;
  let seen: { readonly after?: string } = {};
  return async (text: string) => {
    messages += 1;
    const participant = { id: 'web:u' };
    const message = { id: String(messages), conversationId: 'web', text, participant };
    const { outputs, cursor } = await registry.handle(message, seen);
    seen = { after: cursor };
    return outputs.map((output) => output.text);
  };
}

test.each([
  ['ask', 'Which?', 'blue', ['blue']],
  ['pay', 'Allow pay?', 'once', ['Approved, just this once.', 'paid 1']],
])(
  "a tool that asks 'here' in a conversation of handle() asks in it and waits: %s",
  async (word, question, reply, result) => {
    const says = handled();
    expect(await says(word)).toEqual([question]);
    // the turn that waited may end after the call that brought the reply
    expect([...(await says(reply)), ...(await says('thanks'))]).toEqual(result);
  },
);

test.each([
  ['ask', 'question', 'Which?', 'blue', [], 'blue'],
  ['pay', 'approval', 'Allow pay?', 'once', ['Approved, just this once.'], 'paid 1'],
])(
  "opened 'here', a question is put when the turn ends, and resumed by a later one: %s",
  async (word, kind, question, reply, told, result) => {
    const says = handled();
    expect((await says(`open ${word}`)).toSorted()).toEqual([question, `${kind} is open`].toSorted());
    expect(await says(reply)).toEqual(told);
    expect(await says('and now?')).toEqual([result]);
  },
);
