/**
 * Declared questions: found by agent name and question name, so that their handlers survive a restart and a deploy.
 */
import type { AgentResult } from '../../core/agent.js';
import type { Question } from '../../core/ask/answer-type.js';
import type { Closed, PendingAsk } from '../../core/ask/ask.js';
import type { AskOptions } from '../../core/ask/options.js';
import { askOptionRules, checkedAskOptions } from '../../core/ask/options.js';
import { checkOptions, expecting, func, optional } from '../../core/check-options.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import { defaultSettings } from '../../core/settings.js';

/** What a handler may return: a text to say, a whole result, or nothing. */
export type HandlerResult = string | AgentResult | undefined | void;

/**
 * What a continuation is given beside the answer.
 *
 * @example
 * const pay = async (order: string, { effectKey }: Continuation<string>) => provider.refund(order, effectKey);
 */
export interface Continuation<T> {
  /** Pass it to whatever has an effect outside: with it, a repeat happens once. */
  readonly effectKey: string;
  /** 1 at first; rises when the continuation runs again after a crash or an error. */
  readonly attempt: number;
  /** The ask that was decided. */
  readonly pending: PendingAsk<T>;
  readonly signal: AbortSignal;
  readonly once: <R>(key: string, work: (key: string) => Promise<R>) => Promise<R>;
}

interface Validated {
  readonly issues?: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] | undefined;
}

/**
 * The part of the Standard Schema interface that is used: zod, valibot and arktype have it. It must take what the
 * question gives; what it makes of it is not used.
 */
export interface StandardSchema<T> {
  readonly '~standard': {
    readonly types?: { readonly input: T } | undefined;
    validate(value: unknown): Validated | Promise<Validated>;
  };
}

export interface Handlers<T> extends Omit<AskOptions, 'effectKey'> {
  /** True, or the reason why the answer cannot be right. */
  check?: ((answer: T) => true | string | Promise<true | string>) | StandardSchema<T>;
  /** Computed once from the answer and recorded with the decision. Default: the ask's id. */
  effectKey?(answer: T, pending: PendingAsk<T>): string;
  onAnswer?(answer: T, turn: Continuation<T>): HandlerResult | Promise<HandlerResult>;
  /** After the ask ended without an answer. The decision is written first; the rest is as for `onAnswer`. */
  onClosed?(pending: PendingAsk<T>, why: Closed, turn: Continuation<T>): HandlerResult | Promise<HandlerResult>;
}

/**
 * A question that an agent has declared by name; give it to `ask()`.
 *
 * @example
 * const sure = support.question('sure', confirm('Refund it?'), { onAnswer: (yes) => (yes ? 'Done.' : 'Kept.') });
 */
export interface Declared<T = string> {
  readonly name: string;
  readonly question: Question<T>;
}

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
    throw new AgentError(
      'bad-option',
      `question(): the name must be a non-empty string, got ${describe(name)}. Its asks are found by it after a restart.`,
    );
  }
  const call = `question(${JSON.stringify(name)})`;
  checkOptions(call, handlers, rules, "{ onAnswer: (answer) => 'Thank you.' }");
  checkedAskOptions(storedOptions(handlers), defaultSettings, kind, call); // told now, not at the first ask
}

export function resultOf(said: HandlerResult): AgentResult {
  if (typeof said === 'string') return { output: said };
  return said ?? {};
}
