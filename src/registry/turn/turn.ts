/**
 * One turn, from the claim of its work to the save that closes it: data that is filled as the work goes on. What an agent may do in it are
 * functions of it, in asking.ts, saying.ts, deciding.ts and remembering.ts. Nothing is written, sent or decided here.
 */
import type { AgentInput, Model } from '../../core/agent.js';
import type { Ask, Place } from '../../core/ask/ask.js';
import { askView } from '../../core/ask/ask.js';
import type { TurnAsker } from '../../core/ask/asker.js';
import { askerOf } from '../../core/ask/asker.js';
import type { Outcome } from '../../core/ask/outcome.js';
import { isFromFurtherPlace } from '../../core/ask/places.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Conversation, Parked, Work } from '../../core/conversation/conversation.js';
import { findAsk } from '../../core/conversation/conversation.js';
import type { Disposition, EntryOutcome, Queued } from '../../core/conversation/entry.js';
import type { Reading } from '../../core/conversation/match-reply.js';
import { replyText } from '../../core/conversation/reply-text.js';
import type { Mutable } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { routedId } from '../../core/ids.js';
import { copyOf } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import type { Language } from '../../core/wording/language.js';
import type { Claim } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { Lease } from '../lease/lease.js';
import type { StopSignal } from '../lease/stop-signal.js';
import { withSignal } from '../lease/stop-signal.js';
import type { NewAsk } from './new-ask.js';
import type { CheckedWait, ReplyReader } from './wait-options.js';

/** Why a reply has not decided its ask. */
export type UndecidedReply =
  /** `asked-why`: the person asked what the answer is needed for, which is no attempt. */
  | { readonly type: 'insufficient' | 'partial' | 'voted' | 'asked-why' }
  | { readonly type: 'invalid'; readonly problem: string };

/** Waits for an answer inside a turn of the same conversation. */
export interface InTurnWait {
  wait<T>(turn: Turn, request: NewAsk, wait: CheckedWait, reader: ReplyReader): Promise<Outcome<T>>;
}

/** What is known of work when it is claimed. */
export interface ClaimedWork {
  readonly lease: Lease;
  readonly claim: Claim;
  readonly document: Conversation;
  readonly work: Work;
  /** What is worked on: for a retry, the parked entry. */
  readonly subject: Queued;
  /** What was set aside of earlier attempts, where it is tried again. */
  readonly parked?: Parked | undefined;
  readonly attempt: number;
  /**
   * Set if other work has the same turn id: an ask that ends ahead of a retry is claimed under the turn id of the retry. What
   * the two say, ask and remember is kept apart by it.
   */
  readonly scope?: string | undefined;
}

/** The reading of an entry that nobody has read yet. */
const unread = { type: 'unread' } as const;

const nowhere: Place = { channel: '', address: null, trigger: true };

/** What a turn knows of its waits for people. */
interface Waits {
  /** The asks that it waited for in other conversations, decided. */
  readonly awaited: Ask[];
  /** Ids of the asks that it waited for and whose copies are drawn again already. */
  readonly redrawn: Set<string>;
  /** Ids of the asks whose outcome its code was told in this run. */
  readonly told: Set<string>;
  /** One question at a time in its own conversation: the next wait begins when this one is over. */
  last: Promise<unknown>;
  /** Lets the wait in its own conversation look again. */
  wake: () => void;
}

/** What a turn remembers for its re-runs, by the key that the store has. */
export interface TurnMemo {
  readonly kept: Map<string, string>;
  /** The work of once() that is running now. */
  readonly running: Map<string, Promise<string>>;
}

export class Turn implements ClaimedWork {
  readonly context: RegistryContext;
  readonly lease: Lease;
  readonly claim: Claim;
  readonly work: Work;
  readonly subject: Queued;
  readonly parked: Parked | undefined;
  readonly attempt: number;
  readonly scope: string | undefined;
  /** No other work has it. */
  readonly id: string;
  /** The turn beside a waiting one, for one entry that is handled early. Its decision is written with what is said about it. */
  readonly isAside: boolean;

  /** The document that it began with. */
  document: Conversation;
  /** The document as it is stored, decisions of this turn included; moves are not in it. */
  written: Conversation;

  // from when it was read on
  reading: Reading | typeof unread = unread;
  /** Who wrote it, as `identify` named them. */
  who: Participant | undefined = undefined;
  /** Where the agent speaks. */
  place: Place = nowhere;

  // while it runs: both are set before an agent does
  stop!: StopSignal;
  waiting!: InTurnWait;
  /** The agent that runs. */
  agentName: string | undefined = undefined;
  /** The intent that the author's `classify` found. */
  intent: string | undefined = undefined;
  /** The cancel of all asks that it follows: what it asks from then on is not cancelled by it. */
  cause: string | undefined;
  /** What it wants, in order. Applied by the save that closes it. */
  readonly moves: Move[] = [];
  undecided: UndecidedReply | undefined = undefined;
  continued = false;
  /** The agent has asked which ask its message replies to. */
  hasLookedForReply = false;
  /** A handler or invokeAgent() of the author was called: what it does may have happened. */
  hasBegun = false;
  /** The ask that was given up in this turn; the human has been told. */
  skipped: string | undefined = undefined;
  /** With `onCrash: 'park'`: its code was told an outcome in this run, so it may have acted on it. */
  mustNotRepeat = false;
  /** The refusal to tell such an outcome a second time. */
  repeated: AgentError | undefined = undefined;
  ended = false;
  /** The keys of the questions asked so far. */
  readonly asked: string[] = [];
  /** How many asks wait until the participants that they list are looked up, and when the last of them is opened or refused. */
  checking = 0;
  lastChecked: Promise<unknown> | undefined = undefined;
  /** How many messages of progress() it has sent. */
  sent = 0;
  memo: TurnMemo | undefined = undefined;
  waits: Waits | undefined = undefined;

  // its end
  disposition: Disposition = { type: 'ordinary' };
  /** Of the agent's result. */
  metadata: EntryOutcome['metadata'] = undefined;

  constructor(context: RegistryContext, claimed: ClaimedWork, isAside = false) {
    const { lease, claim, work, document, scope } = claimed;
    this.context = context;
    this.lease = lease;
    this.claim = claim;
    this.work = work;
    this.subject = claimed.subject;
    this.parked = claimed.parked;
    this.attempt = claimed.attempt;
    this.scope = scope;
    this.id = scope === undefined ? claim.turn : routedId(lease.conversationId, claim.turn, scope);
    this.isAside = isAside;
    this.document = document;
    this.written = document;
    this.cause = work.type === 'settle' ? work.cause : undefined;
  }

  /** The turn for another entry of its conversation, which is handled while it waits. It has the same lease. */
  aside(queued: Queued): Turn {
    const { context, lease, claim, written: document, attempt, scope } = this;
    const work: Work = { type: 'entry', id: queued.id, queued };
    const aside = new Turn(context, { lease, claim, document, work, subject: queued, attempt, scope }, true);
    aside.stop = this.stop;
    aside.place = this.place;
    return aside;
  }

  isRead(reading: Reading, who: Participant | undefined): void {
    this.reading = reading;
    this.who = who;
    this.place = this.isAside ? (this.from ?? this.place) : placeOf(this.subject, reading);
  }

  /** It ends so, with these moves beside those that it has collected. */
  endsWith(disposition: Disposition, moves: readonly Move[] = []): void {
    this.moves.push(...moves);
    this.disposition = disposition;
  }

  /** Its work is set aside: nothing of what it wanted happens, and whoever wrote is told so. */
  giveUp(disposition: Disposition, told: readonly Move[]): void {
    this.moves.length = 0;
    this.endsWith(disposition, told);
    this.metadata = undefined;
    this.cause = undefined;
    this.waits?.redrawn.clear();
  }

  /** The author's code is called now: not in a process that may have lost the conversation while it stood still. */
  begins(): void {
    this.lease.assertHeld();
    this.hasBegun = true;
  }

  /** What the agent left running is refused from now on; a wait that it left ends. */
  end(): void {
    this.ended = true;
    this.waits?.wake();
  }

  assertOpen(what: string): void {
    if (!this.ended) return;
    throw new AgentError(
      'turn-ended',
      `${what} was called after its turn in conversation ${JSON.stringify(this.conversationId)} was over; nothing was done. Await everything before you return.`,
    );
  }

  get conversationId(): string {
    return this.lease.conversationId;
  }

  get workId(): string {
    return this.work.id;
  }

  /** What was said, or ''. */
  get message(): string {
    return replyText(this.subject.entry) ?? '';
  }

  /** Where its author wrote, if somebody did. */
  get from(): Place | undefined {
    return writtenAt(this.subject);
  }

  /** The process that waits for what becomes of the entry. */
  get waiter(): string | undefined {
    return this.work.type === 'entry' ? this.work.queued.waiter : undefined;
  }

  /** Somebody in another process waits for what becomes of its entry. */
  get isAwaitedElsewhere(): boolean {
    const { waiter } = this;
    return waiter !== undefined && waiter !== this.context.id;
  }

  /** The document as it is stored. What an aside decides is written with its end. */
  get stored(): Conversation {
    return this.isAside ? this.document : this.written;
  }

  /** The ask this entry is a reply to, as it stands now. */
  get reply(): Ask | undefined {
    const { reading } = this;
    if (reading.type !== 'reply') return undefined;
    return findAsk(this.written, reading.ask.id) ?? reading.ask;
  }

  /** The language of whoever wrote, else of whoever was asked. */
  get language(): Language {
    return this.context.language(this.authorLocale);
  }

  get authorLocale(): string | undefined {
    return this.who?.locale ?? this.reply?.question.locale;
  }

  /** Whom it acts for: the author of its message, or whom the ask was asked for that has ended. */
  get asker(): TurnAsker {
    const { who, reading } = this;
    const decided = reading.type === 'reply' || reading.type === 'close' ? reading.ask : undefined;
    return askerOf(who, this.conversationId, decided);
  }

  get model(): Model | undefined {
    return this.context.model;
  }

  /** What it knows of its waits, from the first one on: most turns never wait. */
  get waited(): Waits {
    this.waits ??= { awaited: [], redrawn: new Set(), told: new Set(), last: Promise.resolve(), wake: () => {} };
    return this.waits;
  }

  /** Whether the author's code was given a sensitive answer: then no error of it is quoted. */
  get hasSensitiveAnswer(): boolean {
    const here = this.written.asks.filter(({ progress }) => progress.waitsIn === this.workId);
    const elsewhere = [...(this.waits?.awaited ?? []), ...(this.parked?.awaited ?? [])];
    return [...here, ...elsewhere].some(({ question }) => question.sensitive);
  }

  /** An ask that it waited for before it was parked. */
  waitedFor(askId: string): Ask | undefined {
    return this.parked?.awaited?.find(({ id }) => id === askId);
  }

  /** What the agent is given. A copy: the agent may change it. */
  input(): AgentInput {
    const { reading, who, attempt, place, conversationId, message } = this;
    const { entry } = this.subject;
    const said = entry.type === 'message' ? entry : undefined;
    const intent = said?.intent ?? this.intent;
    const late = reading.type === 'ordinary' ? reading.lateFor : undefined;
    const input: Mutable<AgentInput> = withSignal({ conversationId, channelName: place.channel, attempt }, this.stop);
    if (message !== '') input.message = message;
    if (intent !== undefined) input.intent = intent;
    if (who !== undefined) input.participant = copyOf(who);
    if (said?.data !== undefined) input.data = copyOf(said.data);
    if (late !== undefined) input.lateFor = askView(late, conversationId);
    return input;
  }
}

/** What an agent says about a reply goes to the ask's own place, also where the reply came from another place of the ask. */
export function placeOf({ entry }: Queued, reading: Reading): Place {
  const ask = reading.type === 'reply' || reading.type === 'close' ? reading.ask : undefined;
  if (entry.type !== 'message') return ask?.places.own ?? nowhere;
  return ask !== undefined && isFromFurtherPlace(ask.places, entry.place) ? ask.places.own : entry.place;
}

/** Where its author wrote, if they did. */
export function writtenAt({ entry }: Queued): Place | undefined {
  return entry.type === 'message' ? entry.place : undefined;
}
