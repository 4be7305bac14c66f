/**
 * Where the question of an ask is shown: its own place, and further ones for `notify`, for each step of an escalation and for whoever it
 * was handed to. Pure functions; they send nothing, and who may answer is decided in conversation/may-answer.ts.
 */
import { canonical } from '../json.js';
import type { Ask, AskPlaces, FurtherPlace, Place, ShownCopy } from './ask.js';
import { shownAgain, showsOf } from './ask.js';

/** So many copies at each place are redrawn when the ask is over, and withdrawn if they are unsent. Older ones are dropped. */
export const keptCopies = 16;

/** The copies that are kept track of, the oldest first. Those of an ask with one place only are not written down. */
export function copiesOf(ask: Ask): readonly ShownCopy[] {
  if (ask.places.copies !== undefined) return ask.places.copies;
  const last = showsOf(ask);
  const copies: ShownCopy[] = [];
  for (let copy = Math.max(0, last - keptCopies + 1); copy <= last; copy += 1) copies.push([copy, 0]);
  return copies;
}

/** All places of the ask, its own first. */
export function placesOf({ own, further = [] }: AskPlaces): readonly Place[] {
  return [own, ...further.map(({ step: _, text: __, ...each }) => each)];
}

/**
 * The ask whose last copy is the one for the first of these places, and which gets a further copy for each of the others. `before` is
 * the ask without these copies; undefined if they are its first.
 */
export function withCopiesAt(ask: Ask, before: Ask | undefined, places: readonly number[]): Ask {
  const first = showsOf(ask);
  const added = places.map((place, i): ShownCopy => [first + i, place]);
  const known = before === undefined ? [] : copiesOf(before);
  const copies = newestAtEach([...known, ...added]);
  const progress = { ...ask.progress, shows: first + places.length - 1 };
  return { ...ask, places: { ...ask.places, copies }, progress };
}

function newestAtEach(copies: readonly ShownCopy[]): readonly ShownCopy[] {
  const left = new Map<number, number>();
  return copies
    .toReversed()
    .filter(([, place]) => {
      const kept = left.get(place) ?? 0;
      left.set(place, kept + 1);
      return kept < keptCopies;
    })
    .reverse();
}

/** The numbers of all places to which something can still be sent. */
export function reachedPlaces({ further = [], lost }: AskPlaces): readonly number[] {
  const all = Array.from({ length: 1 + further.length }, (_, i) => i);
  return lost === undefined ? all : all.filter((place) => !lost.includes(place));
}

/** Where a question is shown first. Who got it while it waited, and has handed it on, gets no copy: they may not answer any more. */
export function firstPlaces(ask: Ask): readonly number[] {
  const isHandedOn = (place: number): boolean => stepOf(ask, place) !== undefined && isHandedAway(ask, place);
  return reachedPlaces(ask.places).filter((place) => !isHandedOn(place));
}

/** The numbers of the places that have a copy of the question and can still be reached. */
export function shownPlaces(ask: Ask): readonly number[] {
  const shown = new Set(copiesOf(ask).map(([, place]) => place));
  return reachedPlaces(ask.places).filter((place) => shown.has(place));
}

/** The number of the step that has added a place. */
function stepOf({ places }: Ask, place: number): number | undefined {
  return places.further?.[place - 1]?.step;
}

/**
 * Where the question stands now: where the last step has put it; before any step, at its own place and those of `notify`. A place that
 * cannot be reached is left out, and so is one for people who have all handed the ask over. None if only the inbox has it.
 */
export function currentPlaces(ask: Ask): readonly number[] {
  const reached = reachedPlaces(ask.places);
  if (reached.length === 0) return [0];
  const since = (place: number): number => stepOf(ask, place) ?? -1;
  const kept = reached.filter((place) => !isHandedAway(ask, place));
  const last = Math.max(...kept.map(since));
  return kept.filter((place) => since(place) === last);
}

/** Whether everybody for whom this place was chosen has handed the ask over. */
export function isHandedAway(ask: Ask, place: number): boolean {
  const { steps } = ask.progress;
  if (steps === undefined) return false;
  const left = new Set(steps.flatMap((step) => (step.type === 'handed-over' ? [step.by.id] : [])));
  const step = steps[stepOf(ask, place) ?? -1];
  const chosen = step?.type === 'handed-over' ? [step.to.id] : (step?.answerableBy ?? ask.audience.answerableBy);
  if (typeof chosen === 'string' || 'roles' in chosen || 'policy' in chosen) return false;
  return chosen.every((id) => left.has(id));
}

/**
 * The number of the place that a reply came from. A channel may receive replies under a more exact address than the one it sent to, such
 * as a thread: then its only further place on that channel; unless people there are known by the address alone. Undefined if it is none of them, or nobody
 * can tell which.
 */
export function placeNumber(places: AskPlaces, from: Place): number | undefined {
  const all = placesOf(places);
  const exact = all.findIndex((place) => isSamePlace(place, from));
  if (exact >= 0) return exact;
  if (from.proof === 'address') return undefined;
  const near = all.flatMap(({ channel }, number) => (channel === from.channel ? [number] : []));
  return near.length === 1 && near[0] !== 0 ? near[0] : undefined;
}

/** Whether a reply came from a place beside the ask's own, also where nobody can tell which. */
export function isFromFurtherPlace({ own, further }: AskPlaces, from: Place): boolean {
  if (further === undefined || isSamePlace(own, from)) return false;
  return further.some(({ channel }) => channel === from.channel);
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.channel === other.channel && canonical(one.address) === canonical(other.address);
}

/**
 * Where the question is shown again after a reply from this place: there, where that is one of its places; where nobody can tell which,
 * at all of them on that channel; else where it stands now.
 */
export function placesAfterReply(ask: Ask, from: Place | undefined): readonly number[] {
  const { places } = ask;
  const place = from === undefined ? undefined : placeNumber(places, from);
  if (place !== undefined) return [place];
  const near = from !== undefined && isFromFurtherPlace(places, from) ? placesOn(places, from.channel) : [];
  return near.length > 0 ? near : currentPlaces(ask);
}

/** The numbers of its places on a channel. */
export function placesOn(places: AskPlaces, channel: string): readonly number[] {
  const all = placesOf(places);
  return reachedPlaces(places).filter((place) => all[place]?.channel === channel);
}

/** The ask after this copy could not be delivered: its place counts as lost. */
export function withPlaceLost(ask: Ask, copy: number): Ask {
  const { further, lost = [] } = ask.places;
  const place = further === undefined ? 0 : copiesOf(ask).find(([number]) => number === copy)?.[1];
  if (place === undefined || lost.includes(place)) return ask;
  return { ...ask, places: { ...ask.places, lost: [...lost, place] } };
}

/**
 * The ask with a further place, and one more copy of its question there. A place that it has already is the same place; that it was lost
 * does not count any more. An ask that is not shown yet is shown at all its places when its turn comes.
 */
export function withCopyAt(ask: Ask, place: FurtherPlace): Ask {
  const { places, progress } = ask;
  const found = placesOf(places).findIndex((each) => isSamePlace(each, place));
  if (found === 0 && places.further === undefined) return progress.shown ? shownAgain(ask) : ask;
  const further = [...(places.further ?? [])];
  const number = found >= 0 ? found : 1 + further.length;
  if (number > 0) further[number - 1] = place;
  const lost = places.lost?.filter((each) => each !== number);
  const after: Ask = { ...ask, places: { ...places, further, lost } };
  return progress.shown ? withCopiesAt(shownAgain(after), ask, [number]) : after;
}
