/**
 * The steps of an ask: an escalation that is taken because nobody has answered in time, or because the question reached nobody, and a
 * hand-over by somebody who may answer. Each is recorded once, and widens who may answer. Pure functions.
 */
import { definedFields } from '../defined-fields.js';
import { type Participant, shownPerson } from '../participant.js';
import type { Wording } from '../wording/wording.js';
import type { AnswerableBy, Ask, FurtherPlace, Place, PlannedStep, TakenStep } from './ask.js';
import { isExpiredAt } from './ask.js';
import { isOfTenant } from './asker.js';
import { isHandedAway, reachedPlaces, withCopyAt } from './places.js';
import { hasVoted } from './votes.js';

/** An ask is handed over at most so often. */
const mostHandOvers = 5;

/** The number of the step of the escalation that comes next. */
function nextStepNumber({ progress: { steps = [] } }: Ask): number {
  return steps.filter(({ type }) => type === 'escalated').length;
}

function nextPlanned(ask: Ask): PlannedStep | undefined {
  return ask.places.escalate?.[nextStepNumber(ask)];
}

/** When the next step of the escalation is due; undefined if there is none. */
export function nextEscalation(ask: Ask | undefined): number | undefined {
  if (ask?.places.escalate === undefined || ask.status !== 'pending') return undefined;
  const { shownAt } = ask.timing;
  const step = nextPlanned(ask);
  if (shownAt === undefined || step === undefined) return undefined;
  const at = shownAt + step.after;
  return isExpiredAt(ask, at) ? undefined : at;
}

/** The id of the work that takes the next step of the escalation. */
export function escalationId(ask: Ask): string {
  return `escalate:${ask.id}:${nextStepNumber(ask)}`;
}

/** The ask after the next step of its escalation; the same ask if there is none. */
export function escalated(ask: Ask, at: number, why?: 'undeliverable'): Ask {
  const step = nextPlanned(ask);
  if (step === undefined) return ask;
  const { channel, place, answerableBy } = step;
  const taken: TakenStep = {
    type: 'escalated',
    at,
    channel,
    ...definedFields({ address: place?.address ?? undefined, answerableBy, why }),
  };
  return withStep(ask, taken, place);
}

/** The ask with a step, and a copy of its question at the step's place. */
function withStep(ask: Ask, taken: TakenStep, place: FurtherPlace | undefined): Ask {
  const { steps = [] } = ask.progress;
  const after: Ask = { ...ask, progress: { ...ask.progress, steps: [...steps, taken] } };
  return place === undefined ? after : withCopyAt(after, { ...place, step: steps.length });
}

/**
 * What becomes of an ask after a place of it was lost: another place may still have it, or the inbox of somebody who was told to look
 * there; or nobody has it who may answer, and the next step is taken at once; or there is none.
 */
export function afterLoss(ask: Ask): 'goes-on' | 'escalates' | 'ends' {
  if (isInInbox(ask) || reachedPlaces(ask.places).some((place) => !isHandedAway(ask, place))) return 'goes-on';
  return nextPlanned(ask) === undefined ? 'ends' : 'escalates';
}

/** Whether `notify`, a step that was taken or a hand-over has put it into the inbox only, which cannot be lost. */
function isInInbox(ask: Ask): boolean {
  const { escalate = [], inbox } = ask.places;
  const taken = escalate.slice(0, nextStepNumber(ask));
  return inbox === true || taken.some(({ place }) => place === undefined) || isHandedWithoutPlace(ask);
}

/** Whether somebody has it by a hand-over that no channel could tell them of. */
function isHandedWithoutPlace(ask: Ask): boolean {
  return handOversOf(ask).some(({ channel, to }) => channel === undefined && !hasHandedOver(ask, to));
}

/** A hand-over that is asked for. `by` may answer; that was decided before. */
export interface HandOverRequest {
  /** The entry that asks for it. */
  readonly entry: string;
  readonly by: Participant;
  readonly to: Participant;
  readonly reason?: string;
  /** Where the other person is told. */
  readonly place?: Place;
}

/**
 * Why an ask cannot be handed to this person, as a sentence of any language; undefined if it can. Whether `by` may hand it over was decided
 * before. `to` has the tenant that is known of them. `isUnknown`: their id is one of a channel, which knows nobody by it who may answer.
 */
export function handOverProblem(
  ask: Ask,
  by: Participant,
  to: Participant,
  isUnknown = false,
): ((wording: Wording) => string) | undefined {
  if (isNoId(to.id, by.id)) return (say) => say.handOverNeedsId();
  if (to.id === by.id) return (say) => say.handOverToSelf();
  // whoever it is asked for must not get to approve it, whether or not they may answer today
  const { excluded, asker, origin, quorum } = ask.audience;
  if (to.id === excluded || to.id === asker || to.id === origin?.asker) return (say) => say.handOverToAsker();
  // they are shown the question before they answer, so what is refused to others then is too late here
  if (!isOfTenant(ask.audience, to)) return (say) => say.handOverOutsideTenant();
  // nobody could answer any more: who hands it over may not afterwards
  if (isUnknown) return (say) => say.handOverToUnknown();
  if (hasHandedOver(ask, to)) return (say) => say.handOverBack();
  if (hasVoted(ask, to)) return (say) => say.handOverToVoter();
  const left = peopleAfter(ask, by, to);
  if (quorum !== undefined && left !== undefined && left < quorum) return (say) => say.handOverTooFew(quorum, left);
  return handOversOf(ask).length < mostHandOvers ? undefined : (say) => say.handOverTooOften(mostHandOvers);
}

/** Why an ask cannot be handed to somebody whom `identify` does not know: in a tenant the same as for somebody of another one. */
export function unknownReceiver(
  { audience }: Ask,
  by: Participant,
  { id }: Pick<Participant, 'id'>,
): (wording: Wording) => string {
  if (isNoId(id, by.id)) return (say) => say.handOverNeedsId();
  return (say) => (audience.tenant === undefined ? say.handOverToUnknown() : say.handOverOutsideTenant());
}

/** A name in place of an id: nobody has it, and who hands over may not answer any more. Ids have a realm, or none of them has. */
function isNoId(to: string, by: string): boolean {
  return by.includes(':') && !to.includes(':');
}

/** Who may answer by the ask or by a step of its escalation, taken or not. */
function plannedRules({ audience, places: { escalate = [] } }: Ask): readonly AnswerableBy[] {
  return [audience.answerableBy, ...escalate.map((step) => step.answerableBy ?? [])];
}

/** How many people have voted or could, after this hand-over and all steps to come; undefined where they are not named one by one. */
function peopleAfter(ask: Ask, by: Participant, to: Participant): number | undefined {
  const people = new Set([to.id]);
  for (const rule of plannedRules(ask)) {
    if (typeof rule === 'string' || 'roles' in rule || 'policy' in rule) return undefined;
    for (const id of rule) people.add(id);
  }
  const handed = handOversOf(ask);
  for (const step of handed) people.add(step.to.id);
  for (const id of [by.id, ask.audience.excluded, ...handed.map((step) => step.by.id)])
    if (id !== undefined) people.delete(id);
  return people.size;
}

/** The hand-overs that were made, in order. */
export function handOversOf({ progress: { steps = [] } }: Ask): readonly Extract<TakenStep, { type: 'handed-over' }>[] {
  return steps.filter((step) => step.type === 'handed-over');
}

/** Who has handed an ask over may answer it no more. */
export function hasHandedOver(ask: Ask, who: Participant | undefined): boolean {
  return handOversOf(ask).some(({ by }) => by.id === who?.id);
}

/**
 * The ask after it was handed over. Of both people it keeps what others are shown of them. `text` is what the other person is shown with
 * the question; one that waits behind another keeps it until its turn comes.
 */
export function handedOver(
  ask: Ask,
  { entry, by, to, reason, place }: HandOverRequest,
  at: number,
  text?: string,
): Ask {
  const taken: TakenStep = {
    type: 'handed-over',
    at,
    entry,
    by: shownPerson(by),
    to: shownPerson(to),
    ...definedFields({ reason, channel: place?.channel }),
  };
  const isKept = place !== undefined && text !== undefined && !ask.progress.shown;
  return withStep(ask, taken, isKept ? { ...place, text } : place);
}

/** Who may answer by the ask itself or by a step that was taken; the rules about everybody come before. */
export function answerableBySteps({ audience: { answerableBy }, progress: { steps } }: Ask): readonly AnswerableBy[] {
  if (steps === undefined) return [answerableBy];
  const added = steps.flatMap((step) =>
    step.type === 'escalated' && step.answerableBy !== undefined ? [step.answerableBy] : [],
  );
  return [answerableBy, ...added];
}

/** Whether the ask was handed to this person. */
export function isHandedTo(ask: Ask, who: Pick<Participant, 'id'> | undefined): boolean {
  return handOversOf(ask).some(({ to }) => to.id === who?.id);
}
