/**
 * Results for the model. Every outcome has its own sentence, and nothing but an answer can be read as one.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { PendingAsk } from '../../core/ask/ask.js';
import { definedFields } from '../../core/defined-fields.js';
import { inert, withoutControls } from '../../core/text.js';
import { unanswered, undecided } from '../model-texts.js';
import type { McpQuestion } from './question.js';

/** The same for an ask that does not exist and one that the person may not see. */
export const unknownAsk = 'There is no such question, or it is not for you.';

export function said(text: string, data?: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], ...definedFields({ structuredContent: data }) };
}

/** An error result that the model can act on; also used if the answer is a plain no. */
export function problem(text: string, data?: Record<string, unknown>): CallToolResult {
  return { ...said(text, data), isError: true };
}

/** The outcome of an ask, as the result of the call that asked. */
export function resultOf({ tool }: Pick<McpQuestion, 'tool'>, ask: PendingAsk<unknown>): CallToolResult {
  const { id, status, reason, value, decidedBy, sensitive } = ask;
  const by = decidedBy === undefined ? undefined : inert(decidedBy.name ?? decidedBy.id);
  const about = { askId: id, status, ...definedFields({ by }) };
  if (tool === 'approve_action') {
    if (status === 'answered' && value === true)
      return said(`Approved${from(by)}: ${inert(ask.question)}`, { ...about, approved: true });
    const why = status === 'answered' ? `Denied${from(by)}.` : undecided(status, reason);
    return problem(`${why} Do not do it, and do not try it by another way.`, { ...about, approved: false });
  }
  if (status !== 'answered') return problem(unanswered(status, reason), about);
  if (sensitive)
    return said(`The person has answered. The answer is kept for the program that needs it, as ask ${id}.`, about);
  return said(words(value), { ...about, answer: value });
}

const from = (by: string | undefined): string => (by === undefined ? '' : ` by ${by}`);

const words = (value: unknown): string => withoutControls(typeof value === 'string' ? value : JSON.stringify(value));

/** An ask as a model may see it, without its context. */
export function shown(ask: PendingAsk<unknown>): Record<string, unknown> {
  const { id, status, question, kind, choices, details, askedAt, expiresAt, decidedBy, value, sensitive } = ask;
  return definedFields({
    id,
    status,
    question: inert(question),
    kind,
    options: choices?.map(({ label }) => inert(label)),
    details: details && Object.fromEntries(Object.entries(details).map(([name, text]) => [inert(name), inert(text)])),
    askedAt: askedAt.toISOString(),
    expiresAt: expiresAt?.toISOString(),
    answer: sensitive ? undefined : value,
    by: decidedBy && inert(decidedBy.name ?? decidedBy.id),
    sensitive,
  });
}
