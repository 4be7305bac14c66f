/**
 * Asks that need several people. One "no" decides no. "Yes" from as many different people as the quorum says decides yes.
 * A vote is final, and everybody may see it.
 */

import type { Participant } from '../participant.js';
import type { Ask, Vote } from './ask.js';

/** What a vote does to an ask: nothing if that person has voted before (`again`), one vote more, or the decision. */
export type CountedVote =
  | { readonly type: 'again' }
  | { readonly type: 'open'; readonly ask: Ask; readonly yes: number; readonly needed: number }
  | { readonly type: 'decided'; readonly ask: Ask; readonly value: boolean };

export function countVote(ask: Ask, vote: Vote): CountedVote {
  if (hasVoted(ask, vote.by)) return { type: 'again' };
  const votes = [...(ask.progress.votes ?? []), vote];
  const after: Ask = { ...ask, progress: { ...ask.progress, votes } };
  const needed = ask.audience.quorum ?? 1;
  const yes = votes.filter(({ value }) => value).length;
  if (!vote.value) return { type: 'decided', ask: after, value: false };
  return yes >= needed ? { type: 'decided', ask: after, value: true } : { type: 'open', ask: after, yes, needed };
}

export function hasVoted({ progress }: Ask, who: Participant | undefined): boolean {
  return who !== undefined && (progress.votes?.some(({ by }) => by.id === who.id) ?? false);
}
