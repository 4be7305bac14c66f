/**
 * Who may answer an ask. It is decided here and nowhere else; policies of the author are asked before, and come as `granted`.
 */

import type { AnswerableBy, Ask, Place } from '../ask/ask.js';
import { answerableBySteps, hasHandedOver, isHandedTo } from '../ask/steps.js';
import { canonical } from '../json.js';
import type { Participant } from '../participant.js';

/** What stands in `granted` for a policy that lets somebody answer an ask. */
export function grantOf(askId: string, policy: string): string {
  return `${askId} ${policy}`;
}

/** The policies that may let somebody answer the ask. */
export function policiesOf(ask: Ask): readonly string[] {
  if (ask.steps === undefined && (typeof ask.answerableBy !== 'object' || !('policy' in ask.answerableBy))) return [];
  return answerableBySteps(ask).flatMap((each) => (typeof each === 'object' && 'policy' in each ? [each.policy] : []));
}

/**
 * Whether this person may decide this ask, writing from this place. Over the API there is no place. `granted` has what policies allow
 * this person, by `grantOf`. Whoever a step of an escalation names, and whoever it was handed to, may answer beside the others; who has
 * handed it over may not any more.
 */
export function mayAnswer(
  ask: Ask,
  who: Participant | undefined,
  place: Place | undefined,
  granted: ReadonlySet<string> = new Set(),
): boolean {
  if (ask.quorum !== undefined && who === undefined) return false; // a vote is counted by its participant
  // nobody can tell whether somebody unknown is the one who is excluded
  if (ask.excluded !== undefined && (who === undefined || who.id === ask.excluded)) return false;
  if (ask.steps === undefined) return isAmong(ask, ask.answerableBy, who, place, granted);
  const isBarred =
    ask.steps.some(({ type }) => type === 'handed-over') && (who === undefined || hasHandedOver(ask, who));
  if (isBarred) return false;
  if (isHandedTo(ask, who) && !isForeign(ask, who)) return true;
  return answerableBySteps(ask).some((each) => isAmong(ask, each, who, place, granted));
}

/** The same if every policy allowed it. */
export function mightAnswer(ask: Ask, who: Participant | undefined, place: Place | undefined): boolean {
  return mayAnswer(ask, who, place, new Set(policiesOf(ask).map((policy) => grantOf(ask.id, policy))));
}

function isAmong(
  ask: Ask,
  answerableBy: AnswerableBy,
  who: Participant | undefined,
  place: Place | undefined,
  granted: ReadonlySet<string>,
): boolean {
  if (answerableBy === 'asker') return isAsker(ask, who, place);
  if (answerableBy === 'anyone') return !isForeign(ask, who);
  if ('roles' in answerableBy) return hasRole(ask, who, answerableBy.roles);
  if ('policy' in answerableBy) return !isForeign(ask, who) && granted.has(grantOf(ask.id, answerableBy.policy));
  return who !== undefined && answerableBy.includes(who.id);
}

/** The participant it was asked for; where that is not known, whoever writes from the place where it was asked. */
function isAsker(ask: Ask, who: Participant | undefined, place: Place | undefined): boolean {
  if (ask.asker !== undefined) return who?.id === ask.asker;
  return (
    !isForeign(ask, who) &&
    place !== undefined &&
    place.channel === ask.place.channel &&
    canonical(place.address) === canonical(ask.place.address)
  );
}

function isForeign({ tenant }: Ask, who: Participant | undefined): boolean {
  return tenant !== undefined && who?.tenant !== undefined && who.tenant !== tenant;
}

/** A role counts only in the tenant that gave it. */
function hasRole({ tenant }: Ask, who: Participant | undefined, roles: readonly string[]): boolean {
  if (tenant !== undefined && who?.tenant !== tenant) return false;
  return who?.roles?.some((role) => roles.includes(role)) ?? false;
}
