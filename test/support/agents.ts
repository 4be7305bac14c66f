/** Small agents and a bare registry that the tests of asking share. */
import type {
  AgentInput,
  AgentResult,
  AskOptions,
  Declared,
  IncomingMessage,
  Model,
  OutgoingMessage,
  PendingAsk,
  Question,
} from '../../src/index.js';
import { AgentError, AgentRegistry, agent, BaseAgent, MemoryStore, text } from '../../src/index.js';
import { FakeClock, rehearse } from '../../src/testing/index.js';

type RegistryOptions = NonNullable<ConstructorParameters<typeof AgentRegistry>[0]>;

export interface Continued {
  readonly answer: string;
  readonly effectKey: string;
  readonly attempt: number;
}

/** The same small agent, written in one of the two ways: 'ask' asks "Which order?", everything else is greeted. */
export interface Written {
  readonly agent: BaseAgent;
  readonly continued: Continued[];
  readonly closed: string[];
  readonly ordinary: string[];
}

type Way = (options?: AskOptions, during?: (attempt: number) => void) => Written;

export const asClass: Way = (options = {}, during = () => {}) => {
  const record = { continued: [] as Continued[], closed: [] as string[], ordinary: [] as string[] };
  class Support extends BaseAgent {
    readonly name = 'support';
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk(input.conversationId);
      if (pending && input.message) {
        return this.handlePendingAsk(pending, input.message, (answer, { effectKey, attempt }) => {
          record.continued.push({ answer, effectKey, attempt });
          during(attempt);
          return { output: `Done: ${answer}` };
        });
      }
      if (input.message === 'ask') return this.ask('Which order?', options);
      record.ordinary.push(input.message ?? '');
      return { output: 'hi' };
    }
    override onAskClosed(_pending: PendingAsk<unknown>, why: string): void {
      record.closed.push(why);
    }
  }
  return { agent: new Support(), ...record };
};

export const asDeclared: Way = ({ effectKey: _, ...options } = {}, during = () => {}) => {
  const record = { continued: [] as Continued[], closed: [] as string[], ordinary: [] as string[] };
  const support = agent('support');
  const order = support.question('order', text('Which order?'), {
    ...options,
    onAnswer: (answer, { effectKey, attempt }) => {
      record.continued.push({ answer, effectKey, attempt });
      during(attempt);
      return `Done: ${answer}`;
    },
    onClosed: (_pending, why) => void record.closed.push(why),
  });
  support.onMessage(({ message, ask }) => {
    if (message === 'ask') return ask(order);
    record.ordinary.push(message);
    return 'hi';
  });
  return { agent: support, ...record };
};

/** For describe.each: a statement about replies holds in both. */
export const ways: readonly (readonly [string, Way])[] = [
  ['the class way', asClass],
  ['the declared way', asDeclared],
];

type Act = (self: Probe, input: AgentInput) => AgentResult | undefined | void | Promise<AgentResult | undefined | void>;

/** A class agent whose protected methods a test may call. */
export class Probe extends BaseAgent {
  readonly name: string;
  readonly closed: string[] = [];
  readonly act: Act;
  declare readonly model?: Model;

  constructor(act: Act, name = 'probe', model?: Model) {
    super();
    this.act = act;
    this.name = name;
    if (model !== undefined) this.model = model;
  }

  async invokeAgent(input: AgentInput): Promise<AgentResult> {
    return (await this.act(this, input)) ?? {};
  }

  override onAskClosed(_pending: PendingAsk<unknown>, why: string): void {
    this.closed.push(why);
  }

  asks(question: string | Question<string> | Declared<unknown>, options?: AskOptions): Promise<AgentResult> {
    return this.ask(question, options);
  }

  pending(conversationId?: string): PendingAsk | null {
    return this.getPendingAsk(conversationId);
  }

  handles(
    reply: string,
    onSufficient: (answer: string) => string,
    onInsufficient?: () => string | undefined,
    options?: { simpleValidation?: (answer: string) => boolean },
  ): Promise<AgentResult> {
    const pending = this.getPendingAsk();
    if (pending === null) throw new Error('This message is no reply.');
    return this.handlePendingAsk(pending, reply, onSufficient, onInsufficient, options);
  }

  evaluates(
    question: string,
    answer: string,
    options?: { simpleValidation?: (answer: string) => boolean },
  ): Promise<boolean> {
    return this.evaluateAnswer(question, answer, options);
  }

  resolves(id: string, answer: string): Promise<void> {
    return this.resolvePendingAsk(id, answer);
  }

  tells(channel: string, message: string): Promise<void> {
    return this.sendTo(channel, message);
  }
}

/** Runs `work` in the turn of one message and returns what became of it, what the human saw and what is open. */
export async function inTurn<T>(
  work: (self: Probe, input: AgentInput) => Promise<T>,
  options: Omit<RegistryOptions, 'clock' | 'store' | 'agents'> = {},
): Promise<{ value?: T; error?: unknown; saw: readonly string[]; open: readonly PendingAsk<unknown>[] }> {
  const result: { value?: T; error?: unknown } = {};
  const probe = new Probe(async (self, input) => {
    try {
      result.value = await work(self, input);
    } catch (error) {
      result.error = error;
    }
  });
  const { human, asks, stop } = await rehearse({ ...options, agents: [probe] });
  const saw = await human('user').says('go');
  const open = await asks();
  await stop();
  return { ...result, saw, open };
}

/** The AgentError that was thrown, so that a test can look at its code and words. */
export function agentError(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  throw new Error(`Expected an AgentError, got ${String(error)}`, { cause: error });
}

export async function thrownBy(work: () => unknown): Promise<AgentError> {
  try {
    await work();
  } catch (error) {
    return agentError(error);
  }
  throw new Error('Expected an AgentError, and nothing was thrown.');
}

/** A registry of its own on a fake clock, driven by handle(): for what runs side by side or waits for time. */
export function bare(options: RegistryOptions) {
  const clock = (options.clock as FakeClock | undefined) ?? new FakeClock();
  const store = options.store ?? new MemoryStore({ clock });
  const registry = new AgentRegistry({ ...options, clock, store });
  let count = 0;
  const says = (conversationId: string, words: string, more: Partial<IncomingMessage> = {}) => {
    count += 1;
    const participant = { id: 'web:user', name: 'User' };
    return registry.handle({ id: `message-${count}`, conversationId, text: words, participant, ...more });
  };
  return { registry, clock, store, says };
}

export const texts = (handled: { readonly outputs: readonly OutgoingMessage[] }): string[] =>
  handled.outputs.map((output) => output.text);

/** How often a text stands in another. */
export const count = (whole: string, part: string): number => whole.split(part).length - 1;
