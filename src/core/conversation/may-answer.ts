/**
 * Who may answer an ask. It is decided here and nowhere else; policies of the author are asked before, and come as `granted`.
 */

import type { AnswerableBy, Ask, Place } from '../ask/ask.js';
import { isOfTenant } from '../ask/asker.js';
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
 * handed it over may not any more. An ask of a tenant is answered by participants of that tenant only, and by the asker, who is known by id.
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
  const isMeant = (answerableBy: AnswerableBy): boolean => {
    if (answerableBy === 'asker' && ask.asker !== undefined) return who?.id === ask.asker;
    if (!isOfTenant(ask, who)) return false;
    if (answerableBy === 'asker') return isAtPlace(ask, place);
    if (answerableBy === 'anyone') return true;
    if (who === undefined) return false;
    if ('policy' in answerableBy) return granted.has(grantOf(ask.id, answerableBy.policy));
    if ('roles' in answerableBy) return who.roles?.some((role) => answerableBy.roles.includes(role)) ?? false;
    return answerableBy.includes(who.id);
  };
  if (ask.steps === undefined) return isMeant(ask.answerableBy);
  const isHanded = ask.steps.some(({ type }) => type === 'handed-over');
  if (isHanded && (who === undefined || hasHandedOver(ask, who))) return false;
  return (isHandedTo(ask, who) && isOfTenant(ask, who)) || answerableBySteps(ask).some(isMeant);
}

/** Whether this person may answer if every policy allows it, and if a tenant that is not known is that of the ask. */
export function mightAnswer(ask: Ask, who: Participant | undefined, place: Place | undefined): boolean {
  const granted = new Set(policiesOf(ask).map((policy) => grantOf(ask.id, policy)));
  return mayAnswer(who?.tenant === undefined ? withoutTenant(ask) : ask, who, place, granted);
}

function withoutTenant({ tenant: _, ...ask }: Ask): Ask {
  return ask;
}

/** Where the asker is not known: whether this is the place where it was asked. */
function isAtPlace(ask: Ask, place: Place | undefined): boolean {
  return (
    place !== undefined &&
    place.channel === ask.place.channel &&
    canonical(place.address) === canonical(ask.place.address)
  );
}
