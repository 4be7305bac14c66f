/**
 * The result of a model's tool call, as a client gives it, read as an answer to the stored ask. Only the ask says which options there
 * are; what the client believes of them does not matter. Pure functions.
 */
import { choicesOf } from '../core/ask/answer-type.js';
import type { Ask } from '../core/ask/ask.js';
import { shapeOf } from '../core/ask/ask.js';
import { callIdOf } from '../core/ask/tool-call.js';
import type { GivenAnswer } from './ask-view.js';

/** What a client says about a call. */
export interface ToolResult {
  /** The model's id of the call, or the id of the ask. */
  readonly callId: string;
  readonly agentName?: string;
  readonly decision: 'approve' | 'deny';
  /** The option that the person chose, or what they typed. */
  readonly choice?: string;
  /** For how long an approval counts. */
  readonly scope?: 'once' | 'session';
}

/** Whether it is the result of the call that this ask was made by. */
export function isResultOf({ callId, agentName }: ToolResult, ask: Ask): boolean {
  if (agentName !== undefined && agentName !== ask.agentName) return false;
  return ask.id === callId || callIdOf(ask) === callId;
}

/**
 * The answer that the result is, or a decline. Without a choice it is a plain yes, for an approval with its scope. What does not fit is
 * refused by the type of the question.
 */
export function answerIn({ decision, choice, scope = 'once' }: ToolResult, ask: Ask): GivenAnswer | 'decline' {
  const options = choicesOf(shapeOf(ask));
  const isApproval = options.some(({ id }) => id === 'deny');
  if (decision === 'deny') {
    if (isApproval) return { value: 'deny' };
    return ask.question.kind === 'confirm' ? { value: false } : 'decline';
  }
  if (choice === undefined) return { value: isApproval ? scope : true };
  if (options.length === 0) return { text: choice };
  const option = options.find(({ label }) => label === choice) ?? options.find(({ id }) => id === choice);
  return { value: option?.id ?? choice };
}
