/**
 * `{ ...ask, ...more }`, as an object of a known shape that is made field by field: what is assigned together costs several
 * times as much, and becomes a slow dictionary in Node at its twentieth field.
 */

import type { Mutable } from '../defined-fields.js';
import { type Ask, lasting } from './ask.js';

export function withMore(ask: Ask, more: Partial<Ask>): Ask {
  const { name, asker, expiresAt } = ask;
  const { shown = ask.shown, answer = ask.answer, decision = ask.decision } = more;
  const copy: Mutable<Ask> = {
    id: ask.id,
    agentName: ask.agentName,
    question: ask.question,
    kind: ask.kind,
    data: ask.data,
    shape: ask.shape,
    context: ask.context,
    status: more.status ?? ask.status,
    retries: ask.retries,
    maxRetries: ask.maxRetries,
    askedAt: ask.askedAt,
    place: ask.place,
    answerableBy: ask.answerableBy,
  };
  if (name !== undefined) copy.name = name;
  if (asker !== undefined) copy.asker = asker;
  if (expiresAt !== undefined) copy.expiresAt = expiresAt;
  if (shown !== undefined) copy.shown = shown;
  if (answer !== undefined) copy.answer = answer;
  if (decision !== undefined) copy.decision = decision;
  const others = copy as unknown as Record<string, unknown>; // those of a newer release among them
  for (const field in ask) if (!isCopied(field)) others[field] = ask[field as keyof Ask];
  for (const field in more) if (!isGiven(field)) others[field] = more[field as keyof Ask];
  const kept = ask[lasting];
  if (kept !== undefined) copy[lasting] = kept;
  return copy;
}

/** What is copied by its name. */
function isCopied(field: string): boolean {
  switch (field) {
    case 'id':
    case 'agentName':
    case 'question':
    case 'kind':
    case 'data':
    case 'shape':
    case 'context':
    case 'retries':
    case 'maxRetries':
    case 'askedAt':
    case 'place':
    case 'answerableBy':
    case 'name':
    case 'asker':
    case 'expiresAt':
      return true;
    default:
      return isGiven(field);
  }
}

/** What most often comes anew, and is taken by its name too. */
function isGiven(field: string): boolean {
  return field === 'shown' || field === 'status' || field === 'decision' || field === 'answer';
}
