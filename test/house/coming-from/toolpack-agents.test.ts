/**
 * The documented examples of toolpack agents (human-in-the-loop), written in the same shape: class names, methods and the order
 * of calls are theirs. docs/coming-from-toolpack-agents.md lists what had to be changed, and why.
 */
import { describe, expect, test } from 'vitest';
import { type AgentInput, type AgentResult, BaseAgent, type PendingAsk } from '../../../src/index.js';
import { rehearse, scriptedModel } from '../../../src/testing/index.js';
import { TestChannel } from '../../support/engine.js';

const yes = '{"sufficient": true}';
const no = '{"sufficient": false}';

describe('ask()', () => {
  class OrderAgent extends BaseAgent {
    name = 'order-agent';
    asked: AgentResult | undefined;
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk(input.conversationId);
      if (pending && input.message)
        return this.handlePendingAsk(pending, input.message, (answer) => ({ output: `Order ${answer}.` }));
      this.asked = await this.ask('Which order number?', {
        context: { intent: 'refund', productId: '123' },
        maxRetries: 2,
        expiresIn: 10 * 60 * 1000,
      });
      return this.asked;
    }
  }

  test('returns at once that it waits for a human, the question is shown once, and the answer is the next message', async () => {
    const agent = new OrderAgent();
    const { human, asks, clock, stop } = await rehearse({ agents: [agent] });
    const user = human('user');
    expect(await user.says('refund')).toEqual(['Which order number?']);
    const [open] = await asks();
    expect(agent.asked?.metadata).toEqual({ waitingForHuman: true, askId: open?.id });
    expect(open).toMatchObject({
      conversationId: 'user',
      agentName: 'order-agent',
      question: 'Which order number?',
      context: { intent: 'refund', productId: '123' },
      status: 'pending',
      retries: 0,
      maxRetries: 2,
      askedAt: new Date(clock.now()),
      expiresAt: new Date(clock.now() + 10 * 60 * 1000),
      channelName: 'rehearsal',
    } satisfies Partial<PendingAsk>);
    expect(await user.says('12345')).toEqual(['Order 12345.']);
    await stop();
  });
});

describe('getPendingAsk() at the beginning of invokeAgent()', () => {
  class ChatAgent extends BaseAgent {
    name = 'chat-agent';
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk(input.conversationId);
      if (pending && input.message)
        return this.handlePendingAsk(pending, input.message, (answer) =>
          this.processWithAnswer(answer, pending.context),
        );
      if (input.message === 'deploy') return this.ask('Which region?', { context: { version: 'v2' } });
      return this.run(input.message ?? '');
    }
    private processWithAnswer(answer: string, context: Record<string, unknown>): AgentResult {
      return { output: `${String(context['version'])} goes to ${answer}.` };
    }
  }

  test('the reply is continued with its context, anything else runs the model', async () => {
    const model = scriptedModel(['Hello!', yes, 'Good bye!']);
    const { human, stop } = await rehearse({ agents: [new ChatAgent()], model });
    const user = human('user');
    expect(await user.says('hi')).toEqual(['Hello!']);
    expect(await user.says('deploy')).toEqual(['Which region?']);
    expect(await user.says('Frankfurt')).toEqual(['v2 goes to Frankfurt.']);
    expect(await user.says('bye')).toEqual(['Good bye!']);
    await stop();
  });
});

describe('handlePendingAsk()', () => {
  class LookupAgent extends BaseAgent {
    name = 'lookup-agent';
    readonly #givesUp: boolean;
    constructor(givesUp: boolean) {
      super();
      this.#givesUp = givesUp;
    }
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk(input.conversationId);
      if (!pending) return this.ask('Which order number?', { maxRetries: 1 });
      return this.handlePendingAsk(
        pending,
        input.message ?? '',
        async (answer) => {
          const order = await this.lookupOrder(answer);
          return { output: `Order ${answer} is ${order.status}.` };
        },
        this.#givesUp ? async () => ({ output: 'Without a number there is nothing I can do.' }) : undefined,
      );
    }
    private async lookupOrder(order: string): Promise<{ status: string }> {
      return { status: order === '12345' ? 'shipped' : 'lost' };
    }
  }

  test('sufficient: the answer is recorded, then the callback runs with it', async () => {
    const { human, asks, registry, stop } = await rehearse({
      agents: [new LookupAgent(true)],
      model: scriptedModel([yes]),
    });
    const user = human('user');
    await user.says('hi');
    const [ask] = await asks();
    expect(await user.says('12345')).toEqual(['Order 12345 is shipped.']);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', answer: '12345' });
    await stop();
  });

  test('insufficient: asked again as the same ask, then the second callback', async () => {
    const model = scriptedModel([no, no]);
    const { human, asks, stop } = await rehearse({ agents: [new LookupAgent(true)], model });
    const user = human('user');
    await user.says('hi');
    const [first] = await asks();
    expect((await user.says('hm'))[0]).toContain('Which order number?');
    expect(await asks()).toMatchObject([{ id: first?.id, retries: 1 }]);
    expect(await user.says('hm')).toEqual(['Without a number there is nothing I can do.']);
    expect(await asks()).toEqual([]);
    await stop();
  });

  test('insufficient and no second callback: one sentence says that the step is skipped', async () => {
    const { human, asks, registry, stop } = await rehearse({
      agents: [new LookupAgent(false)],
      model: scriptedModel([no, no]),
    });
    const user = human('user');
    await user.says('hi');
    const [ask] = await asks();
    await user.says('hm');
    expect(await user.says('hm')).toHaveLength(1);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'exhausted', answer: '__insufficient__' });
    await stop();
  });
});

describe('evaluateAnswer() and resolvePendingAsk()', () => {
  class CheckingAgent extends BaseAgent {
    name = 'checking-agent';
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk(input.conversationId);
      if (!pending) return this.ask('Which order number?');
      const reply = input.message ?? '';
      const isNumber = await this.evaluateAnswer(pending.question, reply, {
        simpleValidation: (answer) => /^\d{5,10}$/.test(answer.trim()),
      });
      await this.resolvePendingAsk(pending.id, reply);
      return { output: isNumber ? `Order ${reply}.` : `${reply} is no order number.` };
    }
  }

  test.each([
    ['12345', 'Order 12345.'],
    ['dunno', 'dunno is no order number.'],
  ])('%j: checked without a model, resolved by hand, continued in the same turn', async (reply, said) => {
    const model = scriptedModel([]);
    const { human, asks, registry, stop } = await rehearse({ agents: [new CheckingAgent()], model });
    const user = human('user');
    await user.says('hi');
    const [ask] = await asks();
    expect(await user.says(reply)).toEqual([said]);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', answer: reply });
    expect(model.requests).toEqual([]);
    await stop();
  });
});

describe('constraints', () => {
  class AskingAgent extends BaseAgent {
    name = 'asking-agent';
    async invokeAgent(): Promise<AgentResult> {
      return this.ask('Anybody there?');
    }
  }

  test('ask() in a run that a schedule started is an error that names the channel', async () => {
    const nightly = new TestChannel('nightly', true);
    const { clock, asks, stop } = await rehearse({ agents: [new AskingAgent()], channels: [nightly] });
    await nightly.receive({ id: 'run-1', conversationId: 'nightly', text: 'go' });
    await expect(clock.advance(0)).rejects.toMatchObject({
      name: 'AgentError',
      code: 'trigger-channel',
      message: expect.stringMatching(/^this\.ask\(\) called from a trigger channel \(nightly\)/),
    });
    expect(await asks()).toEqual([]);
    await stop();
  });

  test('ask() of an agent in no registry is an error', async () => {
    await expect(new AskingAgent().invokeAgent()).rejects.toMatchObject({ name: 'AgentError', code: 'not-registered' });
  });

  test('a message without a conversation id is refused before invokeAgent()', async () => {
    const { registry, asks, stop } = await rehearse({ agents: [new AskingAgent()] });
    const message = { id: '1', text: 'hi' } as Parameters<typeof registry.handle>[0];
    await expect(registry.handle(message)).rejects.toMatchObject({ code: 'bad-message' });
    expect(await asks()).toEqual([]);
    await stop();
  });
});

describe('the full example', () => {
  type SupportIntent = 'refund' | 'general';
  let refunds: string[] = [];

  class SupportAgent extends BaseAgent<SupportIntent> {
    name = 'support-agent';
    description = 'Refunds orders once their number is known';
    mode = 'chat';
    systemPrompt = 'You answer customers of a shop.';

    async invokeAgent(input: AgentInput<SupportIntent>): Promise<AgentResult> {
      const pending = this.getPendingAsk(input.conversationId);
      if (pending && input.message) {
        return this.handlePendingAsk(
          pending,
          input.message,
          async (orderNumber) => {
            const refundResult = await this.processRefund(orderNumber, pending.context);
            return { output: `The refund of ${orderNumber} is ${refundResult}.` };
          },
          async () => ({ output: 'Nothing is refunded without an order number.' }),
        );
      }
      if (input.intent === 'refund') {
        return this.ask(question, {
          context: { intent: 'refund', userId: input.participant?.id },
          maxRetries: 3,
          expiresIn: 15 * 60 * 1000,
        });
      }
      return this.run(input.message ?? '');
    }

    private async processRefund(orderNumber: string, context: Record<string, unknown>): Promise<string> {
      refunds.push(`${orderNumber} for ${String(context['userId'])}`);
      return 'approved';
    }
  }

  const question = 'Which order shall be refunded?';

  async function opened(replies: Parameters<typeof scriptedModel>[0]) {
    refunds = [];
    const model = scriptedModel(replies);
    const rehearsal = await rehearse({ agents: [new SupportAgent()], model });
    const user = rehearsal.human('user');
    expect(await user.says('I want my money back', { intent: 'refund' })).toEqual([question]);
    return { ...rehearsal, user, model };
  }

  test('asked, not understood, asked again, refunded once, then an ordinary chat', async () => {
    const { user, asks, registry, model, stop } = await opened([no, yes, 'You are welcome.']);
    const [ask] = await asks();
    expect(ask).toMatchObject({ maxRetries: 3, context: { intent: 'refund', userId: 'rehearsal:user' } });
    const [again] = await user.says('what number?');
    expect(again).toContain(question);
    expect(await user.says('12345')).toEqual(['The refund of 12345 is approved.']);
    expect(await user.says('thank you!')).toEqual(['You are welcome.']);
    expect(refunds).toEqual(['12345 for rehearsal:user']);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', answer: '12345', retries: 1 });
    expect(model.requests.map((request) => request.system?.startsWith('You judge'))).toEqual([true, true, false]);
    await stop();
  });

  test('three re-asks, then its own sentence and nothing else', async () => {
    const { user, asks, stop } = await opened([no, no, no, no]);
    for (let i = 0; i < 3; i += 1) expect((await user.says('hm'))[0]).toContain(question);
    expect(await user.says('hm')).toEqual(['Nothing is refunded without an order number.']);
    expect(await asks()).toEqual([]);
    expect(refunds).toEqual([]);
    await stop();
  });

  test('after fifteen minutes an order number is small talk', async () => {
    const { user, clock, asks, stop } = await opened(['How can I help?']);
    await clock.advance(15 * 60_000 + 1);
    expect(await user.says('12345')).toEqual(['How can I help?']);
    expect(await asks()).toEqual([]);
    expect(refunds).toEqual([]);
    await stop();
  });

  test('a crash between decision and refund, and the next process refunds', async () => {
    const { user, crash, restart, clock, stop } = await opened([yes]);
    crash('decision');
    await user.says('12345');
    expect(refunds).toEqual([]);
    await restart();
    await clock.advance(60_000);
    expect(refunds).toEqual(['12345 for rehearsal:user']);
    expect(user.sees()).toEqual(['The refund of 12345 is approved.']);
    await stop();
  });

  test("another person's number refunds nothing", async () => {
    const { human, asks, stop } = await opened(['Hello, Bob.']);
    const bob = human('bob', { conversationId: 'user' });
    expect(await bob.says('99999')).toEqual(['Hello, Bob.']);
    expect(refunds).toEqual([]);
    expect(await asks()).toMatchObject([{ status: 'pending', retries: 0 }]);
    await stop();
  });

  test('`classify` gives the intent where the channel has none', async () => {
    refunds = [];
    const classify = ({ text }: { text: string }) => (/money/.test(text) ? 'refund' : 'general');
    const { human, stop } = await rehearse({ agents: [new SupportAgent()], model: scriptedModel([yes]), classify });
    const user = human('user');
    expect(await user.says('my money, please')).toEqual([question]);
    expect(await user.says('12345')).toHaveLength(1);
    expect(refunds).toHaveLength(1);
    await stop();
  });
});
