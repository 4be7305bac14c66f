/**
 * Who may answer an ask. It is decided here and nowhere else; policies of the author are asked before, and come as `granted`.
 */

import type { AnswerableBy, Ask, Place } from '../ask/ask.js';
import { isOfTenant } from '../ask/asker.js';
import { isSamePlace } from '../ask/places.js';
import { answerableBySteps, handOversOf, hasHandedOver, isHandedTo } from '../ask/steps.js';
import type { Participant } from '../participant.js';

/** What stands in `granted` for a policy that lets somebody answer an ask. */
export function grantOf(askId: string, policy: string): string {
  return `${askId} ${policy}`;
}

/** The policies that may let somebody answer the ask. */
export function policiesOf(ask: Ask): readonly string[] {
  const { answerableBy } = ask.audience;
  if (ask.progress.steps === undefined && (typeof answerableBy !== 'object' || !('policy' in answerableBy))) return [];
  return answerableBySteps(ask).flatMap((each) => (typeof each === 'object' && 'policy' in each ? [each.policy] : []));
}

/**
 * Whether this person may decide this ask, writing from this place. Over the API there is no place. `granted` has what policies allow
 * this person, by `grantOf`. Whoever a step of an escalation names, and whoever it was handed to, may answer beside the others; who has
 * handed it over may not any more. An ask of a tenant is answered by participants of that tenant only, and by the asker, who is known by id.
 */
export function mayAnswer(
  ask: Ask,
  who: Participant | undefined,
  place: Place | undefined,
  granted: ReadonlySet<string> = new Set(),
): boolean {
  const { audience } = ask;
  const { asker, excluded } = audience;
  if (audience.quorum !== undefined && who === undefined) return false; // a vote is counted by its participant
  // nobody can tell whether somebody unknown is the one who is excluded
  if (excluded !== undefined && (who === undefined || who.id === excluded)) return false;
  const isMeant = (answerableBy: AnswerableBy): boolean => {
    if (answerableBy === 'asker' && asker !== undefined) return who?.id === asker;
    if (!isOfTenant(audience, who)) return false;
    if (answerableBy === 'asker') return isAtPlace(ask, place);
    if (answerableBy === 'anyone') return true;
    if (who === undefined) return false;
    if ('policy' in answerableBy) return granted.has(grantOf(ask.id, answerableBy.policy));
    if ('roles' in answerableBy) return who.roles?.some((role) => answerableBy.roles.includes(role)) ?? false;
    return answerableBy.includes(who.id);
  };
  if (ask.progress.steps === undefined) return isMeant(audience.answerableBy);
  if (handOversOf(ask).length > 0 && (who === undefined || hasHandedOver(ask, who))) return false;
  return (isHandedTo(ask, who) && isOfTenant(audience, who)) || answerableBySteps(ask).some(isMeant);
}

/** Whether this person may answer if every policy allows it, and if a tenant that is not known is that of the ask. */
export function mightAnswer(ask: Ask, who: Participant | undefined, place: Place | undefined): boolean {
  const granted = new Set(policiesOf(ask).map((policy) => grantOf(ask.id, policy)));
  return mayAnswer(who?.tenant === undefined ? withoutTenant(ask) : ask, who, place, granted);
}

function withoutTenant(ask: Ask): Ask {
  return { ...ask, audience: { ...ask.audience, tenant: undefined } };
}

/** Where the asker is not known: whether this is the place where it was asked. */
function isAtPlace({ places }: Ask, place: Place | undefined): boolean {
  return place !== undefined && isSamePlace(place, places.own);
}
