/**
 * The moves that a turn has collected, applied to the document at its end. Pure; none of them takes effect before the save.
 */
import type { Ask, FollowUp, Place, ShownCopy, Vote } from '../ask/ask.js';
import { promptOf, publicPart, retried, shownAgain, showsOf, withoutSensitiveAnswer, withPart } from '../ask/ask.js';
import { wholePromptOf } from '../ask/drawn.js';
import {
  copiesOf,
  currentPlaces,
  firstPlaces,
  keptCopies,
  placeNumber,
  placesAfterReply,
  placesOf,
  placesOn,
  shownPlaces,
  withCopiesAt,
  withPlaceLost,
} from '../ask/places.js';
import { withReminderPostponed, withReminderShown } from '../ask/reminders.js';
import type { HandOverRequest } from '../ask/steps.js';
import { escalated, handedOver } from '../ask/steps.js';
import { countVote } from '../ask/votes.js';
import { definedFields } from '../defined-fields.js';
import type { Conversation } from './conversation.js';
import {
  dueAt,
  findAsk,
  isOpen,
  withAsk,
  withAskOpened,
  withAskSettled,
  withHeadShown,
  withShown,
} from './conversation.js';
import type { HistoryItem } from './history.js';
import type { Forwarded, Outgoing, OutgoingQuestion, OutgoingText } from './outgoing.js';
import { copyKeys, questionKey, redrawKey } from './outgoing.js';

export type Move =
  | { readonly type: 'open'; readonly ask: Ask }
  | AskMove
  | Omit<OutgoingText, 'key' | 'tries'>
  | Omit<Forwarded, 'key' | 'tries'>;

/** A move of a pending ask. `from` is where the reply came from, `reply` its digest where that is kept. */
type AskMove = { readonly askId: string } & (
  | { readonly type: 'reask'; readonly text: string; readonly from?: Place; readonly reply?: string }
  /** A part of the answer came from there; `failed` if the whole was sent back. */
  | {
      readonly type: 'step';
      readonly step: FollowUp;
      readonly text: string;
      readonly failed: boolean;
      readonly from?: Place;
    }
  /** The question of an ask that a turn waits for. */
  | { readonly type: 'show' }
  /** A new copy of a question. Older ones that are still unsent are not sent any more. */
  | { readonly type: 'copy'; readonly from?: Place; readonly channel?: string }
  | { readonly type: 'vote'; readonly vote: Vote }
  | { readonly type: 'remind'; readonly text: string }
  | { readonly type: 'postpone'; readonly until: number }
  /** The next step of its escalation. */
  | { readonly type: 'escalate'; readonly why?: 'undeliverable' }
  /** A copy could not be delivered. */
  | { readonly type: 'lose'; readonly copy: number }
  | { readonly type: 'hand-over'; readonly request: HandOverRequest; readonly text: string }
);

export interface AppliedTurn {
  readonly conversation: Conversation;
  readonly outputs: readonly Outgoing[];
  readonly withdraw: readonly string[];
  readonly history: readonly HistoryItem[];
  readonly opened: readonly Ask[];
  readonly settled: readonly Ask[];
  readonly due: number | null;
  readonly open: boolean;
}

/** What a caller knows of the asks of a turn beside the document. */
interface AskRules {
  /** Its cancel comes next: it is not shown any more. */
  readonly isCancelledNext?: ((ask: Ask) => boolean) | undefined;
  /** It is decided and stays in the document. */
  readonly isKept?: (ask: Ask) => boolean;
  /** Asks that ended with work that is set aside: they are not in the document any more. */
  readonly setAside?: readonly Ask[] | undefined;
  /** Ids of asks whose copies were drawn again while the turn went on. */
  readonly redrawn?: ReadonlySet<string> | undefined;
  /** The revision that the save of this turn makes. */
  readonly revision?: number;
}

/**
 * The document after a turn: its moves made, decided asks taken out, the next question put to the human.
 * What the agent says goes out before what it asks. `keyPrefix` begins the keys of what is said, which must be the same in a
 * re-run.
 */
export function applyTurn(
  before: Conversation,
  moves: readonly Move[],
  now: number,
  keyPrefix: string,
  { isCancelledNext, isKept, setAside = [], redrawn, revision }: AskRules = {},
): AppliedTurn {
  let conversation = before;
  const outputs: Outgoing[] = [];
  const asked: Outgoing[] = [];
  const fresh: Ask[] = [];
  const withdraw: string[] = [];
  for (const [i, move] of moves.entries()) {
    if (move.type === 'say' || move.type === 'forward') outputs.push({ ...move, key: `${keyPrefix}:${i}` });
    else if (move.type === 'open') {
      if (findAsk(conversation, move.ask.id) !== undefined) continue;
      fresh.push(move.ask);
      conversation = withAskOpened(conversation, move.ask);
    } else {
      const ask = findAsk(conversation, move.askId);
      if (ask?.status !== 'pending') continue;
      const shown = shownBy(ask, move, now, revision);
      conversation = withAsk(conversation, shown.ask);
      asked.push(...shown.questions);
      withdraw.push(...shown.withdraw);
    }
  }
  const over = conversation.asks.filter((ask) => ask.decision !== undefined && isKept?.(ask) !== true).sort(byDecision);
  for (const ask of over) conversation = withAskSettled(conversation, ask, now, revision);
  const ended = [...setAside, ...over];
  for (const ask of ended) withdraw.push(...copyKeys(ask));
  const next = withHeadShown(conversation, now, isCancelledNext, revision);
  if (next.question !== undefined)
    asked.push(...questionsOf(next.question, wholePromptOf(next.question), copiesOf(next.question), true));
  outputs.push(...asked);
  for (const ask of ended) if (ask.progress.shown && !redrawn?.has(ask.id)) outputs.push(...redrawsOf(ask));
  const history = outputs.flatMap((output) =>
    output.type === 'say' || output.type === 'question' ? [outItem(output, now)] : [],
  );
  return {
    conversation: next.conversation,
    outputs,
    withdraw,
    history,
    opened: fresh,
    settled: over,
    due: dueAt(next.conversation) ?? null,
    open: isOpen(next.conversation),
  };
}

/** Asks in the order in which they were decided: a turn that waited for several asks ends with all of them. */
function byDecision(one: Ask, other: Ask): number {
  const first = (one.decision?.at ?? 0) - (other.decision?.at ?? 0);
  return first || (one.progress.shownIn ?? 0) - (other.progress.shownIn ?? 0); // in the same millisecond: each was shown when the one before was over
}

/** A pending ask after a move of its own, the copies of its question that go out with it, and the keys of those that need not any more. */
function shownBy(
  ask: Ask,
  move: AskMove,
  now: number,
  revision: number | undefined,
): { readonly ask: Ask; readonly questions: readonly Outgoing[]; readonly withdraw: readonly string[] } {
  const next = moved(ask, move, now);
  const text = textOf(next, move);
  if (text === undefined) return { ask: next, questions: [], withdraw: [] }; // a vote by id shows the question to nobody
  const isNowhere = move.type === 'remind' && currentPlaces(ask).length === 0; // those who may answer find it in the inbox
  const placed = ask.places.further === undefined && !isNowhere ? next : withItsCopies(next, ask, move);
  const after = withShown(placed, now, revision);
  const isFirst = move.type === 'show' || !ask.progress.shown;
  const fresh = copiesOf(after).filter(([copy]) => isFirst || copy > showsOf(ask));
  const withdraw = [...droppedCopies(ask, after)];
  if (move.type === 'copy') {
    const places = new Set(fresh.map(([, place]) => place));
    for (const [copy, place] of copiesOf(ask)) if (places.has(place)) withdraw.push(questionKey(ask.id, copy));
  }
  if (move.type !== 'step' || after.places.copies === undefined)
    return { ask: after, questions: questionsOf(after, text, fresh, isFirst), withdraw };
  // who gave the part knows what they wrote; the others are told
  const from = move.from === undefined ? undefined : placeNumber(ask.places, move.from);
  const questions = fresh.flatMap((copy) =>
    questionsOf(after, copy[1] === from ? text : wholePromptOf(after, text), [copy], isFirst),
  );
  return { ask: after, questions, withdraw };
}

/** What is said with the question; undefined for a move that shows it to nobody. */
function textOf(ask: Ask, move: AskMove): string | undefined {
  if (move.type === 'show' || move.type === 'copy' || move.type === 'escalate') return wholePromptOf(ask);
  if (move.type === 'hand-over' && !ask.progress.shown) return undefined; // it waits behind another question
  return 'text' in move ? move.text : undefined;
}

/** The ask after a move that costs no more than one copy, or none. */
function moved(ask: Ask, move: AskMove, now: number): Ask {
  if (move.type === 'reask') return retried(ask, move.reply);
  if (move.type === 'step') return withPart(ask, move.step, move.failed);
  if (move.type === 'remind') return withReminderShown(ask, now);
  if (move.type === 'postpone') return withReminderPostponed(ask, move.until);
  if (move.type === 'copy') return shownAgain(ask);
  if (move.type === 'show') return ask;
  if (move.type === 'escalate') return escalated(ask, now, move.why);
  if (move.type === 'lose') return withPlaceLost(ask, move.copy);
  if (move.type === 'hand-over') return handedOver(ask, move.request, now, move.text);
  const result = countVote(ask, move.vote);
  return result.type === 'open' ? result.ask : ask;
}

/**
 * The copies of a move of an ask with several places. What was asked stays right where it stands, so a re-ask goes only to where the
 * reply came from, and a reminder to where the question stands now. A part of the answer changes what is asked: it goes everywhere, and
 * nobody is left with a question that is over.
 */
function withItsCopies(next: Ask, before: Ask, move: AskMove): Ask {
  if (move.type === 'escalate' || move.type === 'hand-over') return next; // with its own copy
  if (move.type === 'show') return withCopiesAt(next, undefined, firstPlaces(next));
  const places =
    move.type === 'step'
      ? shownPlaces(before)
      : move.type === 'reask' || (move.type === 'copy' && move.from !== undefined)
        ? placesAfterReply(before, move.from)
        : move.type === 'copy' && move.channel !== undefined
          ? placesOn(before.places, move.channel)
          : currentPlaces(before);
  return withCopiesAt(next, before, places.length === 0 && move.type !== 'remind' ? [0] : places);
}

/** The keys of copies that are not kept track of any more. */
function droppedCopies(before: Ask, after: Ask): readonly string[] {
  const { copies } = after.places;
  if (copies === undefined)
    return showsOf(after) < keptCopies ? [] : [questionKey(after.id, showsOf(after) - keptCopies)];
  if (before.places.copies === undefined && before.places.further !== undefined) return []; // shown for the first time
  const kept = new Set(copies.map(([copy]) => copy));
  return copiesOf(before).flatMap(([copy]) => (kept.has(copy) ? [] : [questionKey(before.id, copy)]));
}

function questionsOf(ask: Ask, text: string, copies: readonly ShownCopy[], isFirst: boolean): readonly Outgoing[] {
  if (copies.length === 0) return [];
  const shown = publicPart(withoutSensitiveAnswer(ask));
  const { own, further, copies: noted, escalate } = ask.places;
  if (noted === undefined && escalate === undefined) {
    const key = questionKey(ask.id, showsOf(ask));
    const question = { type: 'question', key, place: own, text, ask: shown } as const;
    return [ask.audience.asker === undefined ? { ...question, told: true } : question];
  }
  const places = placesOf(ask.places);
  return copies.map(([copy, number]) => {
    const place = places[number] as Place; // copies are made for places that it has
    const first = isFirst && ask.progress.part?.partial === undefined ? further?.[number - 1]?.text : undefined;
    return { type: 'question', key: questionKey(ask.id, copy), place, text: first ?? text, ask: shown, told: true };
  });
}

/** Each copy by itself: one that its platform cannot draw again holds up no other. */
export function redrawsOf(ask: Ask): readonly Outgoing[] {
  const { text } = ask.question;
  const shown = publicPart(withoutSensitiveAnswer(ask));
  const copies = copiesOf(ask);
  const places = placesOf(ask.places);
  return copies.map(([copy, number]) => {
    const place = places[number] as Place; // copies are made for places that it has
    const redraw = { type: 'redraw', key: redrawKey(questionKey(ask.id, copy)), place, text, ask: shown } as const;
    return isTold(ask, copies, copy, number) ? { ...redraw, told: true } : redraw;
  });
}

/** Who decides in the inbox need not be told where the ask was handed to them. */
function isPlaceOfDecider({ places, progress, decision }: Ask, place: number): boolean {
  const step = progress.steps?.[places.further?.[place - 1]?.step ?? -1];
  return step?.type === 'handed-over' && step.to.id === decision?.by?.id;
}

/**
 * Whether whoever got this copy is told that the ask is over: once at each place, but not where the decision came from. Nor where the
 * asker is: what the decision leads to is said there, and who answered is not for them to know. If it was shown in one place only, whoever
 * was asked there is told that somebody has answered elsewhere.
 */
function isTold(ask: Ask, copies: readonly ShownCopy[], copy: number, place: number): boolean {
  if (place === 0 && ask.audience.asker !== undefined) return false;
  const isOnly = copies.every(([, each]) => each === place);
  if (isOnly && !ask.decision?.elsewhere) return false;
  if (place === ask.decision?.from || ask.places.lost?.includes(place) || isPlaceOfDecider(ask, place)) return false;
  return copies.findLast(([, each]) => each === place)?.[0] === copy;
}

function outItem(output: OutgoingText | OutgoingQuestion, at: number): HistoryItem {
  const { key, text, place } = output;
  if (output.type === 'say') {
    const { aside, only } = output;
    return { type: 'out', at, key, text, channel: place.channel, ...definedFields({ aside, only }) };
  }
  // the text of a re-ask may quote the reply
  const said = output.ask.question.sensitive && text !== wholePromptOf(output.ask) ? promptOf(output.ask) : text;
  const item = { type: 'out', at, key, text: said, channel: place.channel, askId: output.ask.id } as const;
  return place === output.ask.places.own ? item : { ...item, aside: true };
}
