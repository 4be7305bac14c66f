/** Approvals inside run(), and agents that run other agents: everything asks through the conversation it is in. */
import { expect, test } from 'vitest';
import type { AgentInput, AgentResult } from '../../src/index.js';
import { agent, BaseAgent, number } from '../../src/index.js';
import { rehearse, scriptedModel } from '../../src/testing/index.js';
import { requireApproval } from '../../src/tools/index.js';

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
  expect(await anna.says('once')).toEqual(['I refunded it.']);
  expect((await anna.says('and 666'))[0]).toContain('666');
  expect(await anna.says('deny')).toEqual(['Then not.']);
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
