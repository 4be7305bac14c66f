/**
 * One turn: what an agent may see and do while it handles one entry. Moves are collected and written by the last save;
 * a decision and a finished effect are written at once, because they must survive a crash.
 */
import type { AgentInput, Model } from '../../core/agent.js';
import type { Ask, FollowUp, Place, Vote } from '../../core/ask/ask.js';
import type { TurnAsker } from '../../core/ask/asker.js';
import { askerOf } from '../../core/ask/asker.js';
import type { NewVerdict } from '../../core/ask/decision.js';
import { decidedBy } from '../../core/ask/decision.js';
import { countVote } from '../../core/ask/votes.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Conversation, Parked } from '../../core/conversation/conversation.js';
import { findAsk, withAsk, withEarlyOutcome } from '../../core/conversation/conversation.js';
import { dispositionOfDecision, openEntryId, sayEntryId } from '../../core/conversation/entry.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import type { Reading } from '../../core/conversation/match-reply.js';
import { drawnIn } from '../../core/conversation/match-reply.js';
import type { Mutable } from '../../core/defined-fields.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, mayHaveHappened } from '../../core/errors.js';
import { readItem, writeConversation } from '../../core/format/document.js';
import type { QuestionPlace } from '../../core/ids.js';
import { askIdentity, describe, digest } from '../../core/ids.js';
import { canonical, copyOf } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import type { Language } from '../../core/wording/language.js';
import type { RegistryContext } from '../context.js';
import { handleChannel, waitingAgent, warnOnce } from '../context.js';
import type { Lease } from '../lease/lease.js';
import type { StopSignal } from '../lease/stop-signal.js';
import type { NewAsk } from './new-ask.js';
import {
  askRecord,
  assertAnswerable,
  assertPolicyKnown,
  assertRoom,
  furtherPlaces,
  listedUnder,
  questionKey,
  tenantCheck,
  viaTarget,
  warnOfDoubtfulOptions,
} from './new-ask.js';
import type { StoredMemo } from './turn-memo.js';
import { TurnMemo } from './turn-memo.js';
import type { InTurnWait } from './wait-options.js';

/** Why a reply has not decided its ask. */
export type UndecidedReply =
  /** `asked-why`: the person asked what the answer is needed for, which is no attempt. */
  | { readonly type: 'insufficient' | 'partial' | 'voted' | 'asked-why' }
  | { readonly type: 'invalid'; readonly problem: string };

export interface TurnParts {
  readonly id: string;
  readonly workId: string;
  readonly attempt: number;
  readonly lease: Lease;
  readonly stop: StopSignal;
  readonly reading: Reading;
  /** What was said, or ''. */
  readonly message: string;
  /** What the agent is given. A copy: the agent may change it. */
  readonly input: AgentInput;
  readonly who: Participant | undefined;
  /** Where the agent speaks. */
  readonly place: Place;
  /** Where its author wrote, if somebody did. */
  readonly from: Place | undefined;
  /** The process that waits for what becomes of the entry. */
  readonly waiter: string | undefined;
  readonly cause: string | undefined;
  /** What was set aside of earlier attempts, where it is tried again. */
  readonly parked: Parked | undefined;
  readonly memo: StoredMemo;
  /** It is a turn beside a waiting one, for one entry that is handled early. */
  readonly isAside?: true;
  /** Makes what lets a turn wait for an answer. */
  readonly waitsBy: (turn: Turn) => InTurnWait;
}

export class Turn {
  readonly context: RegistryContext;
  readonly parts: TurnParts;
  /** The document as it is stored; moves are not in it. */
  written: Conversation;
  readonly moves: Move[] = [];
  /** Who handles it, once that is known. */
  agentName: string | undefined;
  /** The cancel of all asks that this turn follows: what it asks from then on is not cancelled by it. */
  cause: string | undefined;
  undecided: UndecidedReply | undefined;
  continued = false;
  /** The agent has asked which ask its message replies to. */
  hasLookedForReply = false;
  /** A handler or invokeAgent() of the author was called: what it does may have happened. */
  hasBegun = false;
  /** The ask that was given up in this turn; the human has been told. */
  skipped: string | undefined;
  ended = false;
  /** The asks that it waited for in other conversations, decided. */
  readonly awaited: Ask[] = [];
  /** Ids of the asks that it waited for and whose copies are drawn again already. */
  readonly redrawn = new Set<string>();
  /** With `onCrash: 'park'`: its code was told an outcome in this run, so it may have acted on it. */
  mustNotRepeat = false;
  /** The refusal to tell such an outcome a second time. */
  #repeated: AgentError | undefined;
  readonly #memo: TurnMemo;
  /** The document that it began with. */
  readonly #found: Conversation;
  /** The asks whose outcome was told in this run. */
  readonly #told = new Set<string>();
  /** The keys of the questions asked so far. */
  readonly #asked: string[] = [];
  /** How many asks wait until the participants that they list are looked up, and when the last of them is opened or refused. */
  #checking = 0;
  #lastChecked: Promise<unknown> | undefined;
  #waiting: InTurnWait | undefined;
  #progress = 0;

  constructor(context: RegistryContext, parts: TurnParts, written: Conversation) {
    this.context = context;
    this.parts = parts;
    this.written = written;
    this.#found = written;
    this.cause = parts.cause;
    this.#memo = new TurnMemo(context, parts.lease, parts.memo);
  }

  /** The document as it is stored. What an aside decides is written later, by whoever made it. */
  get stored(): Conversation {
    return this.parts.isAside ? this.#found : this.written;
  }

  get conversationId(): string {
    return this.parts.lease.conversationId;
  }

  /** Somebody in another process waits for what becomes of its entry. */
  get isAwaitedElsewhere(): boolean {
    const { waiter } = this.parts;
    return waiter !== undefined && waiter !== this.context.id;
  }

  /** The language of whoever wrote, else of whoever was asked. */
  get language(): Language {
    return this.context.language(this.authorLocale);
  }

  get authorLocale(): string | undefined {
    return this.parts.who?.locale ?? this.reply?.locale;
  }

  /** Whom it acts for: the author of its message, or whom the ask was asked for that has ended. */
  get asker(): TurnAsker {
    const { who, reading } = this.parts;
    const decided = reading.type === 'reply' || reading.type === 'close' ? reading.ask : undefined;
    return askerOf(who, this.conversationId, decided);
  }

  get model(): Model | undefined {
    return this.context.model;
  }

  /** The ask this entry is a reply to, as it stands now. */
  get reply(): Ask | undefined {
    const { reading } = this.parts;
    if (reading.type !== 'reply') return undefined;
    return findAsk(this.written, reading.ask.id) ?? reading.ask;
  }

  /** Whether the author's code was given a sensitive answer: then no error of it is quoted. */
  get hasSensitiveAnswer(): boolean {
    const { parked, workId } = this.parts;
    const here = this.written.asks.filter(({ waitsIn }) => waitsIn === workId);
    return [...here, ...this.awaited, ...(parked?.awaited ?? [])].some(({ sensitive }) => sensitive);
  }

  /** An ask that this turn waited for before it was parked. */
  waitedFor(askId: string): Ask | undefined {
    return this.parts.parked?.awaited?.find(({ id }) => id === askId);
  }

  /** Waits for answers within this turn, one after the other. */
  get waiting(): InTurnWait {
    this.#waiting ??= this.parts.waitsBy(this);
    return this.#waiting;
  }

  /** The author's code is called now: not in a process that may have lost the conversation while it stood still. */
  begins(): void {
    this.parts.lease.assertHeld();
    this.hasBegun = true;
  }

  /**
   * Its code is told an outcome that it waited for. With `onCrash: 'park'` that is written first, so a re-run which would act on it
   * again goes to a person; only the run that an operator asked for is told again.
   */
  async tells(id: string, onCrash: Ask['onCrash']): Promise<void> {
    if (onCrash !== 'park' || this.#told.has(id)) return;
    const { parked, attempt } = this.parts;
    const isAskedFor = attempt === 1 + (parked?.attempts ?? 0);
    const note = `told ${id}`;
    if (this.#memo.hasNote(note) && !isAskedFor) {
      this.#repeated = mayHaveHappened(id);
      throw this.#repeated;
    }
    this.#told.add(id);
    this.mustNotRepeat = true;
    if (!this.#memo.hasNote(note)) await this.#memo.note(note);
  }

  /** Code that caught the refusal must not end as if nothing were wrong. */
  assertNotRepeated(): void {
    if (this.#repeated !== undefined) throw this.#repeated;
  }

  /** What the agent left running is refused from now on. */
  end(): void {
    this.ended = true;
  }

  assertOpen(what: string): void {
    if (!this.ended) return;
    throw new AgentError(
      'turn-ended',
      `${what} was called after its turn in conversation ${JSON.stringify(this.conversationId)} was over; nothing was done. Await everything before you return.`,
    );
  }

  /**
   * Opens an ask with the end of the turn. The same question in a re-run of the turn is the same ask. Gives a promise only if tenants of
   * listed ids have to be looked up, and for what is asked meanwhile: asks are opened in the order asked.
   */
  ask(request: NewAsk): string | Promise<string> {
    this.assertOpen('ask()');
    this.#assertRegistered(request.agentName);
    const { options } = request;
    const { lease, place: here } = this.parts;
    const askedIn = this.conversationId;
    const target = options.via === undefined ? undefined : viaTarget(this.context, options.via, { askedIn });
    const there = target ?? { conversationId: askedIn, isApart: false, place: here };
    const { place } = there;
    assertAnswerable(place);
    assertPolicyKnown(this.context, options.answerableBy);
    warnOfDoubtfulOptions(this.context, request);
    const { id, conversationId } = this.identityOf(request, there);
    const further = furtherPlaces(this.context, options, place);
    const open = (): string => {
      const { asker, cause, context } = this;
      const { language } = context;
      const [elsewhere, listed, now] = [target !== undefined, listedUnder(there), lease.now()];
      const ask = askRecord(request, { id, place, asker, elsewhere, further, listed, cause, now, language });
      assertRoom(this, ask);
      if (target === undefined) this.#open(ask);
      else this.#openThere(ask, conversationId, options.expiresIn);
      return id;
    };
    const check = tenantCheck(this.context, this.asker.tenant, options);
    return check === undefined && this.#checking === 0 ? open() : this.#checked(check, open);
  }

  #open(ask: Ask): void {
    this.#warnIfOpen(ask);
    this.moves.push({ type: 'open', ask });
  }

  #openThere(ask: Ask, conversationId: string, expiresIn: number | undefined): void {
    const { expiresAt: _, ...open } = ask; // the deadline starts when the ask is opened there
    const entry = definedFields({ type: 'open' as const, ask: open, expiresIn });
    this.moves.push({ type: 'forward', conversationId, entryId: openEntryId(ask.id), entry });
  }

  /** Opens an ask after its check and after all asks before it. The turn may be over by then. */
  #checked(check: Promise<void> | undefined, open: () => string): Promise<string> {
    this.#checking += 1;
    const done = Promise.all([check, this.#lastChecked])
      .then(() => {
        this.assertOpen('ask()');
        return open();
      })
      .finally(() => {
        this.#checking -= 1;
      });
    this.#lastChecked = done.catch(() => undefined);
    return done;
  }

  /** The reply goes to the agent by its name: one that another runs in this turn has to be there, too. */
  #assertRegistered(name: string): void {
    const { agentNames } = this.context;
    if (name === waitingAgent || agentNames.includes(name)) return; // every registry reads what is only waited for
    throw new AgentError(
      'not-registered',
      `ask(): agent ${JSON.stringify(name)} is not registered, so nobody could read the reply. Nothing was asked. Put it into \`agents\` beside ${agentNames.map(describe).join(', ')}, or let it use askAndWait().`,
    );
  }

  #warnIfOpen({ id: askId, agentName, name, question, context: knows }: Ask): void {
    const opened = this.moves.flatMap((move) => (move.type === 'open' ? [move.ask] : []));
    const twin = [...this.written.asks, ...opened].find(
      (each) =>
        each.status === 'pending' &&
        each.id !== askId &&
        each.question === question &&
        each.agentName === agentName &&
        canonical(each.context) === canonical(knows),
    );
    if (twin === undefined) return;
    warnOnce(
      this.context,
      `asked twice: ${agentName} ${name ?? question}`,
      'A question was asked while the same question is open in its conversation: the person has to answer it twice. Do not ask it again, or cancel the open one first',
      { conversationId: this.conversationId, agentName, askId, open: twin.id },
    );
  }

  /** The ask's id and its conversation: the same for the same question in a re-run of the turn. The id is secret by the turn's. */
  identityOf(request: NewAsk, there: QuestionPlace): ReturnType<typeof askIdentity> {
    const identity = this.nextIdentity(request, there);
    this.#asked.push(questionKey(request));
    return identity;
  }

  /** What they would be if the question were asked now. */
  nextIdentity(request: NewAsk, there: QuestionPlace): ReturnType<typeof askIdentity> {
    const question = questionKey(request);
    const number = this.#asked.filter((each) => each === question).length;
    return askIdentity(there, this.parts.id, question, String(number));
  }

  /**
   * The final decision, written before anything continues. Returns the ask as decided; the first decision stands.
   * Nothing of the author's continues an aside: whoever made it writes the decision together with what is said about it.
   */
  async decide(askId: string, verdict: NewVerdict): Promise<Ask> {
    this.assertOpen('A decision');
    const ask = findAsk(this.written, askId) ?? [this.reply, this.parts.parked?.ask].find((each) => each?.id === askId);
    if (ask === undefined) throw new AgentError('unknown-ask', `This conversation has no open ask ${askId}.`);
    if (ask.decision !== undefined) return ask;
    const { lease, workId, who, place, from, reading } = this.parts;
    const { status } = verdict;
    const isTheirs = reading.type === 'reply' || status === 'declined' || status === 'cancelled';
    const by = {
      entry: workId,
      at: lease.now(),
      channel: (from ?? place).channel,
      who: isTheirs ? who : undefined,
      drawn: drawnIn(reading, askId),
      from,
    };
    const over = decidedBy(ask, verdict, by);
    const after = this.#handledEarly(withAsk(this.written, over), over);
    if (!this.parts.isAside) {
      const asks = { opened: [], changed: [askId], settled: [] };
      await lease.save({ type: 'hold' }, { document: writeConversation(after), asks });
    }
    this.written = after;
    return over;
  }

  /** An answer that a waiting turn takes out of line is marked with the decision itself: neither is there without the other. */
  #handledEarly(conversation: Conversation, ask: Ask): Conversation {
    const { workId, reading } = this.parts;
    if (ask.waitsIn === undefined || ask.waitsIn === workId) return conversation;
    const disposition = reading.type === 'notice' ? reading.disposition : dispositionOfDecision(ask);
    const { historyEnd } = this.parts.lease;
    const outcome = { disposition, said: [historyEnd, historyEnd] } as const; // the decision itself says nothing
    return withEarlyOutcome(conversation, workId, ask.sensitive ? { ...outcome, hidden: true } : outcome);
  }

  /** Counts a vote: the decision, if it is the one that was missing. */
  async vote(askId: string, value: boolean, verdict: NewVerdict): Promise<Ask | undefined> {
    const ask = findAsk(this.written, askId);
    const { who, place, from, workId, lease } = this.parts;
    if (ask === undefined || who === undefined)
      throw new AgentError('unknown-ask', `No vote can be given to ask ${askId}.`);
    const by: Mutable<Participant> = { id: who.id };
    if (who.name !== undefined) by.name = who.name;
    const vote: Vote = { by, at: lease.now(), value, entry: workId, channel: (from ?? place).channel };
    const result = countVote(ask, vote);
    if (result.type === 'decided') {
      this.written = withAsk(this.written, result.ask);
      return this.decide(askId, verdict);
    }
    const { wording } = this.language;
    this.undecided = { type: 'voted' };
    if (result.type === 'open') this.moves.push({ type: 'vote', askId, vote });
    this.tell(result.type === 'open' ? wording.voted(result.yes, result.needed) : wording.votedAlready());
    return undefined;
  }

  /** A part of the answer is kept, and the rest asked for. */
  followUp(askId: string, step: FollowUp, text: string, failed: boolean): void {
    this.assertOpen('A re-ask');
    this.moves.push({ type: 'step', askId, step, text, failed, ...definedFields({ from: this.parts.from }) });
    this.undecided = { type: failed ? 'insufficient' : 'partial' };
  }

  /** The question again, with its details: to somebody who asked what the answer is needed for. Not an attempt. */
  showAgain(askId: string): void {
    this.assertOpen('A re-ask');
    this.moves.push({ type: 'copy', askId, ...definedFields({ from: this.parts.from }) });
    this.undecided = { type: 'asked-why' };
  }

  /** Asks again. `reply` is the digest of the reply that costs an attempt, where that is kept. */
  reask(askId: string, text: string, reply?: string): void {
    this.assertOpen('A re-ask');
    this.moves.push({ type: 'reask', askId, text, ...definedFields({ from: this.parts.from, reply }) });
    this.undecided = { type: 'insufficient' };
  }

  /** Tells whoever wrote something about what they wrote. */
  tell(text: string): void {
    this.say(text, this.parts.from, this.authorLocale);
  }

  /** `locale` is the language of whoever is there, if it is known for another place than that of the turn. */
  say(text: string, place: Place = this.parts.place, locale?: string): void {
    this.assertOpen('sendTo()');
    const here = this.parts.place;
    const isHere =
      place.channel === handleChannel || // nothing is pushed there: whoever reads the conversation fetches it
      (place.channel === here.channel && canonical(place.address) === canonical(here.address));
    const spoken = locale ?? (isHere ? this.asker.localeHere : undefined);
    const aside: true | undefined = isHere ? undefined : true;
    this.moves.push({ type: 'say', place, text, ...definedFields({ aside, locale: spoken }) });
  }

  /** Says it in another conversation of a channel that pushes nothing, once for this turn and its re-runs. */
  sayIn(
    { conversationId, channel }: { readonly conversationId: string; readonly channel: string },
    text: string,
  ): void {
    const place: Place = { channel, address: null };
    if (conversationId === this.conversationId) {
      this.say(text, place);
      return;
    }
    this.assertOpen('sendTo()');
    const { id, workId, who } = this.parts;
    const entryId = sayEntryId(digest(id, workId), this.moves.length);
    const about = [...new Set([who?.id, this.asker.id])].filter((each) => each !== undefined);
    this.moves.push({ type: 'forward', conversationId, entryId, entry: { type: 'say', place, text, about } });
  }

  /** Sends now and remembers nothing; for "working on it…". */
  progress(text: string): void {
    this.assertOpen('progress()');
    const { place, id } = this.parts;
    const channel = this.context.channels.get(place.channel);
    if (channel === undefined || place.trigger) return;
    this.#progress += 1;
    const key = `${digest(id)}:progress:${this.parts.attempt}:${this.#progress}`;
    const message = {
      key,
      conversationId: this.conversationId,
      address: copyOf(place.address),
      text,
      shape: { type: 'text' },
      transient: true,
    } as const;
    Promise.resolve(channel.send(message)).catch((error: unknown) => {
      this.context.logger.warn('progress() could not be sent', { channel: place.channel, error });
    });
  }

  /**
   * The work's result, done once and kept for this turn and its re-runs: written before it is returned. `by` is the agent that wants it:
   * one that another agent runs in its turn has keys of its own.
   */
  async once<T>(
    key: string,
    work: (key: string) => Promise<T>,
    bytes = this.context.settings.textBytes,
    by = this.agentName,
  ): Promise<T> {
    this.assertOpen('once()');
    return this.#memo.once({ key, run: work, bytes, by: by === this.agentName ? undefined : by });
  }

  /** What the conversation has said so far, oldest first, at most `limit` items. */
  async history(limit: number): Promise<readonly HistoryItem[]> {
    const page = await this.context.store.history(this.conversationId, { limit });
    return page.items.map(readItem);
  }
}
