/**
 * agent(): an agent without a class, built on BaseAgent.
 */
import { checkedQuestion } from '../answers/question.js';
import type { AgentInput, AgentResult, Model } from '../core/agent.js';
import type { Question } from '../core/ask/answer-type.js';
import { anything, checkOptions, func, nonEmpty, type OptionRules, optional, string } from '../core/check-options.js';
import { AgentError, badOption } from '../core/errors.js';
import { describe } from '../core/ids.js';
import { currentTurn } from '../registry/turn/current-turn.js';
import type {
  AnswerHandlers,
  Declared,
  HandlerResult,
  MessageTurn,
  OutcomeHandler,
  TellOutcome,
} from '../registry/turn/question-handlers.js';
import { checkedHandlers, resultOf } from '../registry/turn/question-handlers.js';
import { BaseAgent } from './base-agent.js';
import { messageTurn } from './handler-turn.js';
import type { AgentTool } from './tool.js';
import { checkedTools } from './tool.js';

/** The options of `agent()`. They are for `run()`: an agent that calls no model needs none. */
export interface PlainAgentOptions {
  /** The instructions that the model is given. */
  readonly systemPrompt?: string;
  /** The model of this agent. Without it the registry's is used. */
  readonly model?: Model;
  /** The tools that the model may call in `run()`. */
  readonly tools?: readonly AgentTool[];
}

const rules = {
  systemPrompt: optional(string()),
  model: optional(func<Model>()),
  tools: optional(anything<readonly AgentTool[]>()), // checked with the agent's name
} satisfies OptionRules<PlainAgentOptions>;

/** What `onMessage()` takes: a function of the message and its turn. */
export type MessageHandler = (turn: MessageTurn) => HandlerResult | Promise<HandlerResult>;

/**
 * The agent that `agent()` returns.
 *
 * @example
 * import { agent, type PlainAgent } from 'askback';
 *
 * export const support: PlainAgent = agent('support');
 */
class PlainAgent extends BaseAgent {
  readonly name: string;
  declare readonly systemPrompt?: string;
  declare readonly model?: Model;
  declare readonly tools?: readonly AgentTool[];
  #handler: MessageHandler | undefined;

  constructor(name: string, options: PlainAgentOptions) {
    super();
    this.name = name;
    if (options.systemPrompt !== undefined) this.systemPrompt = options.systemPrompt;
    if (options.model !== undefined) this.model = options.model;
    if (options.tools !== undefined) this.tools = [...checkedTools(options.tools, name).values()];
  }

  /** Declares a question by name, with the handlers of its answer. */
  override question<T>(name: string, question: Question<T>, handlers: AnswerHandlers<T>): Declared<T> {
    checkedHandlers(name, checkedQuestion(question).type.kind, handlers); // before: onAnswer may only be misspelt
    if (handlers.onAnswer === undefined) {
      throw badOption(
        `question(${JSON.stringify(name)}): onAnswer must be a function, got nothing. Without it nobody gets the answer.`,
      );
    }
    return super.question(name, question, handlers);
  }

  /** Declares a handler of outcomes by name; give what it returns to `registry.ask()` as `then`. */
  override onOutcome(name: string, handler: TellOutcome): OutcomeHandler {
    return super.onOutcome(name, handler);
  }

  /** Sets the handler of messages that are not replies. A string that it returns is sent to the person. */
  onMessage(handler: MessageHandler): this {
    if (this.#handler !== undefined) throw badOption(`Agent ${this.name} has an onMessage() handler already.`);
    if (typeof handler !== 'function') {
      const expected = "a function such as ({ message }) => 'Hello.'";
      throw badOption(`onMessage() of agent ${this.name} needs ${expected}, got ${describe(handler)}.`);
    }
    this.#handler = handler;
    return this;
  }

  async invokeAgent(input: AgentInput): Promise<AgentResult> {
    const turn = messageTurn(this, input);
    if (this.#handler !== undefined) return resultOf(await this.#handler(turn));
    if ((this.model ?? currentTurn()?.model) === undefined)
      throw new AgentError(
        'no-model',
        `Agent ${this.name} got a message that is no reply, and has no handler for it. Give it one with onMessage(), or a model that answers.`,
      );
    return turn.run(turn.message);
  }
}

export type { PlainAgent };

/**
 * An agent without a class: declare its questions, and handle messages with `onMessage()`.
 *
 * @example
 * import { agent, text } from 'askback';
 *
 * const support = agent('support');
 * const order = support.question('order', text('Which order?'), { onAnswer: (number) => `Looking at ${number}.` });
 * support.onMessage(({ ask }) => ask(order));
 */
export function agent(name: string, options: PlainAgentOptions = {}): PlainAgent {
  return new PlainAgent(
    nonEmpty()(name, 'agent(): the name'),
    checkOptions('agent()', options, rules, "{ systemPrompt: 'You help.' }"),
  );
}
