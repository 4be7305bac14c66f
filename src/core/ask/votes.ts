/**
 * Asks that need several people. One "no" decides no; as many different people's "yes" as the quorum says decide yes.
 * A vote is final and everybody may see it.
 */

import type { Participant } from '../participant.js';
import type { Ask, Vote } from './ask.js';

/** What a vote makes of an ask: nothing new from somebody who has voted, one more of those needed, or the decision. */
export type Counted =
  | { readonly type: 'again' }
  | { readonly type: 'open'; readonly ask: Ask; readonly yes: number; readonly needed: number }
  | { readonly type: 'decided'; readonly ask: Ask; readonly value: boolean };

export function counted(ask: Ask, vote: Vote): Counted {
  if (hasVoted(ask, vote.by)) return { type: 'again' };
  const after: Ask = { ...ask, votes: [...(ask.votes ?? []), vote] };
  const needed = ask.quorum ?? 1;
  const yes = (after.votes ?? []).filter(({ value }) => value).length;
  if (!vote.value) return { type: 'decided', ask: after, value: false };
  return yes >= needed ? { type: 'decided', ask: after, value: true } : { type: 'open', ask: after, yes, needed };
}

export function hasVoted(ask: Ask, who: Participant): boolean {
  return ask.votes?.some(({ by }) => by.id === who.id) ?? false;
}
