/**
 * The questions that one agent has declared, and the lookup of the question that was passed to ask().
 */

import { isInline } from '../answers/built-in-types.js';
import { checkedQuestion } from '../answers/question.js';
import { text } from '../answers/text.js';
import type { Question } from '../core/ask/answer-type.js';
import type { Ask } from '../core/ask/ask.js';
import { askView } from '../core/ask/ask.js';
import type { AskOptions } from '../core/ask/options.js';
import { AgentError, badOption, unreadableQuestion } from '../core/errors.js';
import { readSettled } from '../core/format/document.js';
import { describe } from '../core/ids.js';
import type { DeclaredOptions } from '../registry/turn/agent-port.js';
import type { Declared, Handlers } from '../registry/turn/question-handlers.js';
import { checkedHandlers, storedOptions } from '../registry/turn/question-handlers.js';
import type { Turn } from '../registry/turn/turn.js';

export interface Declaration {
  readonly declared: Declared<unknown>;
  readonly handlers: Handlers<unknown>;
  /** The ask options among the handlers. */
  readonly stored: AskOptions;
}

export class DeclaredQuestions {
  readonly #declared = new Map<string, Declaration>();

  declare<T>(name: string, question: Question<T>, handlers: Handlers<T>): Declared<T> {
    checkedHandlers(name, checkedQuestion(question).type.kind, handlers);
    if (this.#declared.has(name)) {
      throw badOption(`The question ${JSON.stringify(name)} is declared twice. Give each its own name.`);
    }
    const declared: Declared<T> = Object.freeze({ name, question });
    this.#declared.set(name, { declared, handlers, stored: storedOptions(handlers) } as Declaration);
    return declared;
  }

  /** The question that was passed to askAndWait(). Any type will do, because its value is returned at once. */
  awaited<T>(
    agentName: string,
    question: string | Question<T> | Declared<T>,
    options: AskOptions,
  ): { asked: Question<T>; stored: AskOptions; check?: Handlers<T>['check'] } {
    if (typeof question === 'object' && question !== null && 'name' in question) {
      const { asked, stored } = this.asked(agentName, question as Declared<unknown>, options);
      const check = this.#declared.get(question.name)?.handlers.check as Handlers<T>['check'];
      return { asked: asked as Question<T>, stored, check };
    }
    const asked = typeof question === 'string' ? text(question) : checkedQuestion(question);
    return { asked: asked as Question<T>, stored: options }; // a plain string asks for a string
  }

  /** The declaration that an ask was made with; undefined for an inline question. */
  declarationOf(ask: Ask | undefined): Declaration | undefined {
    if (ask?.question.name === undefined) return undefined;
    const declaration = this.#declared.get(ask.question.name);
    if (declaration !== undefined) return declaration;
    throw unreadableQuestion(
      `Agent ${ask.agentName} has no question ${JSON.stringify(ask.question.name)}, which ask ${ask.id} is waiting for. Declare it again, then retry.`,
    );
  }

  /** The options that a question was declared with; undefined if it was not declared here. */
  storedFor(question: Declared<unknown>): AskOptions | undefined {
    const declaration = this.#declared.get(question.name);
    return declaration?.declared === question ? declaration.stored : undefined;
  }

  /** All questions that are declared so far. */
  all(): readonly DeclaredOptions[] {
    return [...this.#declared.values()].map(({ declared: { name, question }, stored }) => ({
      ...{ name, stored },
      kind: question.type.kind,
    }));
  }

  /** The question that was passed to ask(), with its stored options. */
  asked(
    agentName: string,
    question: string | Question<string> | Declared<unknown>,
    options: AskOptions,
  ): { name?: string; asked: Question<unknown>; stored: AskOptions } {
    if (typeof question === 'string') {
      if (this.#declared.has(question))
        throw badOption(
          `ask(): ${JSON.stringify(question)} is the name of a declared question, and the person would be asked these words. Give the question that question() returned.`,
        );
      return { asked: text(question), stored: options };
    }
    if (typeof question === 'object' && question !== null && 'name' in question) {
      const declaration = this.#declared.get(question.name);
      if (declaration?.declared !== question) {
        throw new AgentError(
          'unknown-question',
          `ask(): the question ${JSON.stringify(question.name)} is not declared by agent ${agentName}.`,
        );
      }
      return {
        name: question.name,
        asked: question.question,
        stored: { ...declaration.stored, ...options },
      };
    }
    if (question === undefined || question === null) {
      const given = describe(question);
      throw badOption(`ask(): the question is missing, got ${given}. Give it a declared one, or text('Which order?').`);
    }
    if (typeof question.type?.kind !== 'string' || !isInline(question as Question<never>)) {
      throw badOption(
        'ask(): only built-in questions whose answer is a string can be asked inline. Declare others with question(), so that their answers keep their type.',
      );
    }
    return { asked: question, stored: options };
  }
}

/** The error for an ask that cannot be resolved: it is decided already, or this agent has no such ask here. */
export async function unresolvable(turn: Turn, id: string): Promise<AgentError> {
  const found = await turn.context.store.find(id);
  const settled = found !== null && 'record' in found ? readSettled(found.record) : undefined;
  if (settled?.conversationId === turn.conversationId) {
    const ask = askView<unknown>(settled.ask, settled.conversationId);
    return new AgentError(
      'already',
      `Ask ${id} was ${ask.status} at ${ask.decidedAt?.toISOString()}; nothing was changed.`,
      { details: { ask } },
    );
  }
  return new AgentError(
    'unknown-ask',
    `This agent has no ask ${JSON.stringify(id)} in this conversation. Use registry.answer() for asks elsewhere.`,
  );
}
