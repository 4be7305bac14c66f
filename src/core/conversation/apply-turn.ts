/**
 * The moves that a turn has collected, applied to the document at its end. Pure; none of them takes effect before the save.
 */
import type { Ask, FollowUp, Place, Vote } from '../ask/ask.js';
import { promptOf, retried, shownAgain, showsOf, withoutSensitiveAnswer, withPart } from '../ask/ask.js';
import { withReminderPostponed, withReminderShown } from '../ask/reminders.js';
import { countVote } from '../ask/votes.js';
import { definedFields } from '../defined-fields.js';
import type { Json } from '../json.js';
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
import type { Entry } from './entry.js';
import type { HistoryItem } from './history.js';
import type { Outgoing, OutgoingQuestion, OutgoingText } from './outgoing.js';
import { copyKeys, keptCopies, questionKey, redrawKey } from './outgoing.js';

export type Move =
  | { readonly type: 'open'; readonly ask: Ask }
  | { readonly type: 'reask'; readonly askId: string; readonly text: string }
  /** A part of the answer came; `failed` if the whole was sent back. */
  | {
      readonly type: 'step';
      readonly askId: string;
      readonly step: FollowUp;
      readonly text: string;
      readonly failed: boolean;
    }
  /** The question of an ask that a turn waits for. */
  | { readonly type: 'show'; readonly askId: string }
  /** A new copy of a question. Older ones that are still unsent are not sent any more. */
  | { readonly type: 'copy'; readonly askId: string }
  | { readonly type: 'vote'; readonly askId: string; readonly vote: Vote }
  | { readonly type: 'remind'; readonly askId: string; readonly text: string }
  | { readonly type: 'postpone'; readonly askId: string; readonly until: number }
  | {
      readonly type: 'say';
      readonly place: Place;
      readonly text: string;
      /** It goes to another place than the one that the turn is about. */
      readonly aside?: true;
      /** The id of the only participant whom it concerns. */
      readonly only?: string;
      /** Of the agent's result, where this is its output. */
      readonly metadata?: { readonly [key: string]: Json };
    }
  | { readonly type: 'forward'; readonly conversationId: string; readonly entryId: string; readonly entry: Entry };

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
    if (move.type === 'say') outputs.push({ ...move, key: `${keyPrefix}:${i}` });
    else if (move.type === 'forward') outputs.push({ ...move, key: `${keyPrefix}:${i}` });
    else if (move.type === 'open') {
      if (findAsk(conversation, move.ask.id) !== undefined) continue;
      fresh.push(move.ask);
      conversation = withAskOpened(conversation, move.ask);
    } else {
      const ask = findAsk(conversation, move.askId);
      if (ask?.status !== 'pending') continue;
      const text =
        move.type === 'show' || move.type === 'copy' ? promptOf(ask) : 'text' in move ? move.text : undefined;
      const next = moved(ask, move, now);
      const after: Ask = text === undefined ? next : withShown(next, now, revision); // a vote by id shows the question to nobody
      conversation = withAsk(conversation, after);
      if (text === undefined) continue;
      asked.push(questionOf(after, text));
      if (move.type === 'copy') withdraw.push(...copyKeys(ask));
      if (showsOf(after) >= keptCopies) withdraw.push(questionKey(after, showsOf(after) - keptCopies));
    }
  }
  const over = conversation.asks.filter((ask) => ask.decision !== undefined && isKept?.(ask) !== true).sort(byDecision);
  for (const ask of over) conversation = withAskSettled(conversation, ask, now, revision);
  const ended = [...setAside, ...over];
  for (const ask of ended) withdraw.push(...copyKeys(ask));
  const next = withHeadShown(conversation, now, isCancelledNext, revision);
  if (next.question !== undefined) asked.push(questionOf(next.question, promptOf(next.question)));
  outputs.push(...asked);
  for (const ask of ended) if (ask.shown && !redrawn?.has(ask.id)) outputs.push(...redrawsOf(ask));
  const history: HistoryItem[] = [];
  for (const output of outputs) {
    if (output.type === 'say' || output.type === 'question') history.push(outItem(output, now));
  }
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
  return first || (one.shownIn ?? 0) - (other.shownIn ?? 0); // in the same millisecond: each was shown when the one before was over
}

/** A pending ask after a move of its own. */
function moved(ask: Ask, move: Exclude<Move, { type: 'open' | 'say' | 'forward' }>, now: number): Ask {
  if (move.type === 'reask') return retried(ask);
  if (move.type === 'step') return withPart(ask, move.step, move.failed);
  if (move.type === 'remind') return withReminderShown(ask, now);
  if (move.type === 'postpone') return withReminderPostponed(ask, move.until);
  if (move.type === 'copy') return shownAgain(ask);
  if (move.type === 'show') return ask;
  const result = countVote(ask, move.vote);
  return result.type === 'open' ? result.ask : ask;
}

function questionOf(ask: Ask, text: string): Outgoing {
  return { type: 'question', key: questionKey(ask), place: ask.place, text, ask: withoutSensitiveAnswer(ask) };
}

/** Each copy by itself: one that its platform cannot draw again holds up no other. */
export function redrawsOf(ask: Ask): readonly Outgoing[] {
  const { place, question: text } = ask;
  const shown = withoutSensitiveAnswer(ask);
  return copyKeys(ask).map((copy) => ({ type: 'redraw', key: redrawKey(copy), place, text, ask: shown }));
}

function outItem(output: OutgoingText | OutgoingQuestion, at: number): HistoryItem {
  const { key, text, place } = output;
  if (output.type === 'say') {
    const { aside, only } = output;
    return { type: 'out', at, key, text, channel: place.channel, ...definedFields({ aside, only }) };
  }
  // the text of a re-ask may quote the reply
  const said = output.ask.sensitive ? promptOf(output.ask) : text;
  return { type: 'out', at, key, text: said, channel: place.channel, askId: output.ask.id };
}
