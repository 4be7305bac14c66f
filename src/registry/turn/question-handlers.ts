/**
 * Declared questions: found by agent name and question name, so that their handlers survive a restart and a deploy. And the
 * turn as handlers are given it: types only, an agent makes it.
 */
import type { AgentInput, AgentResult } from '../../core/agent.js';
import type { Question } from '../../core/ask/answer-type.js';
import type { Closed, PendingAsk } from '../../core/ask/ask.js';
import type { AskOptions } from '../../core/ask/options.js';
import { askOptionRules, checkedAskOptions } from '../../core/ask/options.js';
import type { Outcome } from '../../core/ask/outcome.js';
import { checkOptions, expecting, func, optional, wrongOption } from '../../core/check-options.js';
import type { Json } from '../../core/json.js';
import { defaultSettings } from '../../core/settings.js';
import type { AnswerCheck } from './answer-check.js';
import type { WaitOptions } from './wait-options.js';

/** What a handler may return: a text to say, a whole result, or nothing. */
export type HandlerResult = string | AgentResult | undefined | void;

/**
 * Where `sendTo()` sends. Without any it is the turn's own place, or what the channel has without an address.
 *
 * @example
 * import { agent, type SendOptions } from 'askback';
 *
 * const customer: SendOptions = { conversationId: 'web-anna' };
 * agent('desk').onMessage(({ sendTo }) => sendTo('handle', 'It was approved.', customer));
 */
export interface SendOptions {
  /** An address of the channel. */
  readonly to?: Json;
  /**
   * The conversation in which it is said: on the channel `'handle'`, as the transport gives it to `handle()`, and on channels that are
   * fetched from, such as the web chat.
   */
  readonly conversationId?: string;
}

/** What a handler can do in its turn. Each is refused once the turn is over. */
export interface TurnActions {
  /**
   * Asks, and returns at once. The answer comes in a turn of its own, to the handler of the question. A question whose answer is no
   * string (a confirm, a number, a form) is declared first, with `question()`: as a string, a "no" would count as true.
   */
  readonly ask: (question: TextOrDeclared, options?: AskOptions) => Promise<AgentResult>;
  /** Asks, and waits for the outcome inside this turn. For waits of minutes; use `ask` for days. */
  readonly askAndWait: <T = string>(
    question: string | Question<T> | Declared<T>,
    options?: Omit<AskOptions, 'via'> & Omit<WaitOptions, 'keepAlive'>,
  ) => Promise<Outcome<T>>;
  /** Calls the model, which sees the conversation so far and may call the agent's `tools`. */
  readonly run: (message: string) => Promise<AgentResult>;
  /** Sends a message to a channel, or to another conversation of `handle()`, when the turn is saved. */
  readonly sendTo: (channelName: string, message: string, options?: SendOptions) => Promise<void>;
  /** Sends a message at once. It is not stored and may be lost. */
  readonly progress: (message: string) => void;
  /** Runs `work` once for this turn and its re-runs. */
  readonly once: <R>(key: string, work: (key: string) => Promise<R>) => Promise<R>;
}

/**
 * The argument of `onMessage()`: the message, and what the handler can do in its turn.
 *
 * @example
 * import { agent, type MessageTurn } from 'askback';
 *
 * const greet = ({ message, participant }: MessageTurn) => `${participant?.name} said ${message}`;
 * agent('greeter').onMessage(greet);
 */
export interface MessageTurn extends AgentInput, TurnActions {
  /** The text of the message; empty where a trigger sent none. */
  readonly message: string;
}

/**
 * The turn that continues after a decision: the last argument of `onAnswer`, `onClosed` and their kin. What it asks is
 * asked for whoever the decided ask was asked for, not for whoever answered.
 *
 * @example
 * import type { Continuation } from 'askback';
 *
 * const receipt = (order: string, { effectKey }: Continuation<string>) => `Refunded ${order} under ${effectKey}.`;
 */
export interface Continuation<T = string> extends AgentInput, TurnActions {
  /** Pass it to whatever has an effect outside: with it, a repeat happens once. */
  readonly effectKey: string;
  /** The ask that was decided. */
  readonly pending: PendingAsk<T>;
}

/** The handlers of a declared question, beside the options that are stored with each of its asks. */
export interface Handlers<T> extends Omit<AskOptions, 'effectKey'> {
  /**
   * Your own rule for an answer: a function, or a Standard Schema such as one of Zod. A function gets the answer and returns
   * true, or the reason why it cannot be right; the person is told the reason and asked again.
   *
   * @default every answer that the question's type accepts is right
   */
  check?: AnswerCheck<T>;
  /**
   * Computed once from the answer and recorded with the decision.
   *
   * @default the ask's id
   */
  effectKey?(answer: T, pending: PendingAsk<T>): string;
  /** Runs after an accepted answer, which is stored before. A string that it returns is sent to the person. */
  onAnswer?(answer: T, turn: Continuation<T>): HandlerResult | Promise<HandlerResult>;
  /** After the ask ended without an answer. The decision is written first; the rest is as for `onAnswer`. */
  onClosed?(pending: PendingAsk<T>, why: Closed, turn: Continuation<T>): HandlerResult | Promise<HandlerResult>;
}

/** The handlers of a question that `agent()` declares: without `onAnswer` nobody would get the answer. */
export interface AnswerHandlers<T> extends Handlers<T> {
  /** Runs after an accepted answer, which is stored before. A string that it returns is sent to the person. */
  onAnswer(answer: T, turn: Continuation<T>): HandlerResult | Promise<HandlerResult>;
}

/** What `ask()` takes: a text, a question whose answer is a string, or a question of any type that the agent has declared. */
export type TextOrDeclared = string | Question<string> | Declared<unknown>;

/**
 * A question that an agent has declared by name; give it to `ask()`.
 *
 * @example
 * import { agent, confirm, type Declared } from 'askback';
 *
 * const shop = agent('shop');
 * const sure: Declared<boolean> = shop.question('sure', confirm('Refund it?'), { onAnswer: (yes) => (yes ? 'Done.' : 'Kept.') });
 */
export interface Declared<T = string> {
  /** The name under which its handlers are found after a restart. */
  readonly name: string;
  /** The question, with its answer type. */
  readonly question: Question<T>;
}

/**
 * A handler of outcomes that an agent has declared by name with `onOutcome()`; give it to `registry.ask()` as `then`.
 *
 * @example
 * import { agent, type OutcomeHandler } from 'askback';
 *
 * const bridge = agent('bridge');
 * const resume: OutcomeHandler = bridge.onOutcome('resume', (outcome, { effectKey }) => `${outcome.status}: ${effectKey}`);
 */
export interface OutcomeHandler {
  /** The name under which the handler is found after a restart. */
  readonly name: string;
}

/** What becomes of an ask, with the turn that continues after it. */
export type TellOutcome = (
  outcome: Outcome<unknown>,
  turn: Continuation<unknown>,
) => HandlerResult | Promise<HandlerResult>;

const handlerRules = {
  check: optional(
    expecting<unknown>('a function or a schema', (value) => typeof value === 'function' || isSchema(value)),
  ),
  effectKey: optional(func()),
  onAnswer: optional(func()),
  onClosed: optional(func()),
};

const rules = { ...askOptionRules, ...handlerRules };

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '~standard' in value;
}

/** The stored half of the handlers object. */
export function storedOptions(handlers: object): AskOptions {
  return Object.fromEntries(
    Object.entries(handlers).filter(([name]) => !Object.hasOwn(handlerRules, name)),
  ) as AskOptions;
}

export function checkedHandlers(name: unknown, kind: string, handlers: object): void {
  if (typeof name !== 'string' || name === '') {
    throw wrongOption('question(): the name', 'a non-empty string', name, {
      hint: 'Its asks are found by it after a restart.',
    });
  }
  const call = `question(${JSON.stringify(name)})`;
  checkOptions(call, handlers, rules, "{ onAnswer: (answer) => 'Thank you.' }");
  checkedAskOptions(storedOptions(handlers), defaultSettings, kind, call); // told now, not at the first ask
}

export function resultOf(said: HandlerResult): AgentResult {
  if (typeof said === 'string') return { output: said };
  return said ?? {};
}
