/**
 * What the registry needs of an agent. The classes that users extend are a floor above and implement it.
 */
import type { AgentResult } from '../../core/agent.js';
import type { AnswerType } from '../../core/ask/answer-type.js';
import type { Ask } from '../../core/ask/ask.js';
import type { AskOptions } from '../../core/ask/options.js';
import type { Declared, OutcomeHandler } from './question-handlers.js';
import type { Turn } from './turn.js';

/** Called once per registry, so that an agent outside any registry can say so. */
export const attach: unique symbol = Symbol.for('askback.attach') as never;
/** Handles one turn. */
export const serve: unique symbol = Symbol.for('askback.serve') as never;
/** Says which type alone decides about replies to an ask. */
export const reads: unique symbol = Symbol.for('askback.reads') as never;

/** Says which options a question was declared with, if this agent declared it. */
export const declares: unique symbol = Symbol.for('askback.declares') as never;
/** Says which questions it has declared so far. */
export const declared: unique symbol = Symbol.for('askback.declared') as never;
/** Says whether an outcome handler is this agent's. */
export const tells: unique symbol = Symbol.for('askback.tells') as never;

/** What an agent made of a turn; one written without types may say nothing. */
export type Served = AgentResult | undefined;

/** A question that an agent has declared, with the options that are stored with each of its asks. */
export interface DeclaredOptions {
  readonly name: string;
  readonly kind: string;
  readonly stored: AskOptions;
}

export interface RegisteredAgent {
  readonly name: string;
  [attach](): void;
  [serve](turn: Turn): Promise<Served>;
  /** Undefined where the agent's author has a say before the decision. */
  [reads]?(ask: Ask): AnswerType<unknown> | undefined;
  [declares]?(question: Declared<unknown>): AskOptions | undefined;
  [declared]?(): readonly DeclaredOptions[];
  [tells]?(handler: OutcomeHandler): boolean;
}
