/**
 * Who may answer an ask. It is decided here and nowhere else; policies of the author are asked before, and come as `granted`.
 */

import type { Ask, Place } from '../ask/ask.js';
import { canonical } from '../json.js';
import type { Participant } from '../participant.js';

/**
 * Whether this person may decide this ask, writing from this place. Over the API there is no place. `granted` has the ids
 * of the asks whose policy allows this person.
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
  const { answerableBy } = ask;
  if (answerableBy === 'asker') return isAsker(ask, who, place);
  if (answerableBy === 'anyone') return !isForeign(ask, who);
  if ('roles' in answerableBy) return hasRole(ask, who, answerableBy.roles);
  if ('policy' in answerableBy) return !isForeign(ask, who) && granted.has(ask.id);
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
