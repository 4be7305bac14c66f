/**
 * Who continues after an ask that code outside of turns makes: the agent that declared the question, the agent whose outcome handler it
 * names, or the caller that waits for it.
 */
import { checkedQuestion } from '../../answers/question.js';
import { text } from '../../answers/text.js';
import type { Question } from '../../core/ask/answer-type.js';
import type { AskOptions } from '../../core/ask/options.js';
import { hasFields, readable, wrongOption } from '../../core/check-options.js';
import { AgentError, badOption } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import { waitingAgent } from '../context.js';
import type { RegisteredAgent } from '../turn/agent-port.js';
import { declares, tells } from '../turn/agent-port.js';
import type { Declared, OutcomeHandler } from '../turn/question-handlers.js';

export interface AskOwner {
  readonly agentName: string;
  readonly asked: Question<unknown>;
  /** The name of the declared question. */
  readonly name?: string;
  /** The name of the outcome handler. */
  readonly then?: string;
  /** The options that the question was declared with. */
  readonly stored?: AskOptions;
}

/** What may be asked from outside of turns. */
export type AskedFromOutside = string | Question<unknown> | Declared<unknown>;

export function ownerOf(
  agents: Iterable<RegisteredAgent>,
  question: AskedFromOutside,
  then: OutcomeHandler | undefined,
  call: string,
): AskOwner {
  if (readable('A question', 'bad-option', () => isDeclared(question)))
    return declarer(agents, question as Declared<unknown>, then, call);
  const asked = typeof question === 'string' ? text(question) : checkedQuestion(question as Question<unknown>);
  if (then === undefined) return { agentName: waitingAgent, asked: asked as Question<unknown> };
  for (const agent of agents)
    if (agent[tells]?.(then)) return { agentName: agent.name, asked: asked as Question<unknown>, then: then.name };
  throw wrongOption(`${call}: then`, 'what onOutcome() of an agent of this registry returned', then, {
    hint: 'Nothing was asked. Put that agent into `agents`.',
  });
}

/** Whether it is what `question()` of an agent returned. */
export function isDeclared(question: unknown): boolean {
  return hasFields(question) && 'name' in question && 'question' in question;
}

function declarer(
  agents: Iterable<RegisteredAgent>,
  question: Declared<unknown>,
  then: OutcomeHandler | undefined,
  call: string,
): AskOwner {
  if (then !== undefined)
    throw badOption(
      `${call}: the question ${describe(question.name)} has handlers of its own, so it takes no then. Leave it out, or ask what was not declared.`,
    );
  for (const agent of agents) {
    const stored = agent[declares]?.(question);
    if (stored !== undefined) return { agentName: agent.name, asked: question.question, name: question.name, stored };
  }
  throw new AgentError(
    'unknown-question',
    `${call}: no agent of this registry has declared the question ${describe(question.name)}. Nothing was asked. Put its agent into \`agents\`.`,
  );
}
