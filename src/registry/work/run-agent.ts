/**
 * Runs the agent of a turn: who handles it, what it is given, and what its result means.
 */
import type { AgentInput } from '../../core/agent.js';
import { askView } from '../../core/ask/ask.js';
import { hasFields, nearest } from '../../core/check-options.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import { replyText } from '../../core/conversation/reply-text.js';
import { hasOwnedAsk, hasUnownedAsk } from '../../core/conversation/unowned.js';
import { definedFields, type Mutable } from '../../core/defined-fields.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { readEntry } from '../../core/format/document.js';
import { describe, describeKind } from '../../core/ids.js';
import { copyOf, plainData } from '../../core/json.js';
import type { RegistryContext } from '../context.js';
import { waitingAgent, warnOnce } from '../context.js';
import type { StopSignal } from '../lease/stop-signal.js';
import { withSignal } from '../lease/stop-signal.js';
import type { RegisteredAgent, Served } from '../turn/agent-port.js';
import { serve } from '../turn/agent-port.js';
import { runTurn } from '../turn/current-turn.js';
import type { TurnParts } from '../turn/turn.js';
import { Turn } from '../turn/turn.js';
import type { Ending } from './commit.js';
import { dispositionOf } from './disposition.js';
import type { InTurnWaitParts } from './wait-in-turn.js';
import { WaitInTurn } from './wait-in-turn.js';
import type { ReadWorkItem, WorkItem } from './work-item.js';
import { messageOf, turnIdOf, writtenAt } from './work-item.js';

/** This process cannot do the work; it is given back untouched. */
export class HandBack extends Error {}

/** The agent that handles a message, and the intent that the author's `classify` found. */
export interface Route {
  readonly agentName: string;
  readonly intent: string | undefined;
}

export class AgentRunner {
  readonly #context: RegistryContext;
  readonly #agents: ReadonlyMap<string, RegisteredAgent>;
  readonly #waitsBy: TurnParts['waitsBy'];

  constructor(context: RegistryContext, agents: ReadonlyMap<string, RegisteredAgent>, waits: InTurnWaitParts) {
    this.#context = context;
    this.#agents = agents;
    this.#waitsBy = (turn) => new WaitInTurn(context, waits, turn);
  }

  /** The turn that is to be run. */
  turnOf(item: ReadWorkItem, intent: string | undefined, stop: StopSignal): Turn {
    return new Turn(this.#context, this.#partsOf(item, stop, intent), item.document);
  }

  /** Runs the agent inside its turn. */
  run(turn: Turn, item: WorkItem, agentName: string): Promise<Served> {
    const agent = this.#agents.get(agentName);
    if (agent === undefined) throw this.#unknownAgent(item, agentName);
    turn.agentName = agentName;
    return isBlank(turn) ? refuseBlank(turn) : runTurn(turn, () => agent[serve](turn));
  }

  /** Who handles it. A promise only where the author's `classify` or `route` has to be asked. */
  route(item: ReadWorkItem): Route | Promise<Route> {
    const { reading } = item;
    const { classify, route, agentNames } = this.#context;
    if (reading.type === 'reply' || reading.type === 'close')
      return { agentName: reading.ask.agentName, intent: undefined };
    const [agentName] = agentNames;
    if (agentName === undefined) return this.#ignored(item);
    return classify === undefined && route === undefined
      ? { agentName, intent: undefined }
      : this.#routed(item, agentName);
  }

  /** Without agents, what is no reply is ignored where only asks that no agent owns are open. All else is left to agents. */
  async #ignored({ lease, document }: ReadWorkItem): Promise<Route> {
    const { conversationId } = lease;
    const state = document.asks.length > 0 ? null : await this.#context.store.conversation(conversationId, 1);
    if (hasOwnedAsk(document) || !hasUnownedAsk(document, state?.queue.map(readEntry) ?? []))
      throw new HandBack('No agents in this process');
    return { agentName: waitingAgent, intent: undefined };
  }

  async #routed(item: ReadWorkItem, first: string): Promise<Route> {
    const { classify, route, agentNames } = this.#context;
    const isClassified = classify !== undefined && !saysIntent(item);
    const intent = isClassified ? checkedIntent(await classify(messageOf(item))) : undefined;
    if (route === undefined) return { agentName: first, intent };
    return { agentName: checkedRoute(await route(messageOf(item), agentNames), agentNames), intent };
  }

  #partsOf(item: ReadWorkItem, stop: StopSignal, intent: string | undefined): TurnParts {
    const { reading, lease, claim, who, place, attempt, work, scope } = item;
    const message = replyText(item.subject.entry) ?? '';
    return {
      id: turnIdOf(item),
      workId: work.id,
      attempt,
      lease,
      stop,
      reading,
      message,
      input: inputOf(item, stop, message, intent),
      who,
      place,
      from: writtenAt(item.subject),
      waiter: work.type === 'entry' ? work.queued.waiter : undefined,
      cause: work.type === 'settle' ? work.cause : undefined,
      parked: item.parked,
      memo: { turn: claim.turn, scope, kept: claim.memo },
      waitsBy: this.#waitsBy,
    };
  }

  /** An agent no process here has: left to others, and parked by one with agents when none of them came for a while. */
  #unknownAgent(item: WorkItem, name: string): Error {
    const what = `No agent ${JSON.stringify(name)} in this process`;
    const { agentNames } = this.#context;
    if (agentNames.length === 0) return new HandBack(what);
    const waited = item.lease.now() - item.subject.at;
    if (this.mayOthersCome(item)) {
      if (waited >= 2 * this.#context.settings.sweep) this.#warnOfUnknownAgent(item.lease.conversationId, name);
      return new HandBack(what);
    }
    return new AgentError(
      'unknown-agent',
      `${what}, and none that has it took this entry for ${waited} ms. Start one, then retry.`,
    );
  }

  /** A process that has the agent would have taken its work by now. If there is none, nothing else tells of it for minutes. */
  #warnOfUnknownAgent(conversationId: string, agentName: string): void {
    const { agentNames, settings } = this.#context;
    const near = nearest(agentName, agentNames);
    const meant = near === undefined ? '' : ` (did you mean ${JSON.stringify(near)}?)`;
    warnOnce(
      this.#context,
      `unknown agent: ${agentName}`,
      `Work for the agent ${JSON.stringify(agentName)}${meant} waits: this process does not have it, and no other has taken it. Its conversation stands still until one does, and the work is parked after settings.unknownAgent ms. Start a process that has it, or correct the name, also what route returns`,
      { conversationId, agentName, agents: agentNames, unknownAgent: settings.unknownAgent },
    );
  }

  /** Whether a process may still come that can do work which this one cannot: a rolling deploy takes some minutes. */
  mayOthersCome({ lease, subject }: WorkItem): boolean {
    return lease.now() - subject.at < this.#context.settings.unknownAgent;
  }
}

/** What the turn comes to, now that its agent has returned. */
export function endingOf(turn: Turn, returned: Served): Ending {
  assertContinued(turn);
  turn.assertNotRepeated();
  warnIfUnhandled(turn);
  const result = checkedResult(turn, returned);
  const metadata = metadataOf(turn, result);
  const moves = [...turn.moves, ...saidBy(turn, result, metadata)];
  const { written, agentName, cause, redrawn } = turn;
  return { written, moves, disposition: dispositionOf(turn), agentName, cause, metadata, redrawn };
}

/** What the caller of handle() and the channel are given of the result. What cannot be stored is left out: the turn has done its work. */
function metadataOf(turn: Turn, result: Served): Ending['metadata'] {
  const { context, agentName, conversationId } = turn;
  const metadata = result?.metadata;
  if (metadata === undefined) return undefined;
  const { textBytes: bytes, depth } = context.settings;
  try {
    const plain = plainData(metadata, `The metadata of agent ${agentName}`, { bytes, depth }) as Ending['metadata'];
    return withFirstAsk(turn, plain);
  } catch (error) {
    const about = { conversationId, agentName, failure: failureOf(error) };
    context.logger.warn('The metadata of a result cannot be stored and was left out', about);
    return undefined;
  }
}

/** Of several questions of a turn the first is put to the person first, whichever the author returned: it is named, and all are listed. */
function withFirstAsk({ moves }: Turn, metadata: Ending['metadata']): Ending['metadata'] {
  const askIds = moves.map(openedBy).filter((id) => id !== undefined);
  const [first] = askIds;
  const returned = metadata?.['askId'];
  if (first === undefined || askIds.length < 2 || typeof returned !== 'string' || !askIds.includes(returned))
    return metadata;
  return { ...metadata, askId: first, askIds };
}

/** What JavaScript lets pass: a string of a class is what it says, and a question that was not asked is told. */
function checkedResult(turn: Turn, returned: unknown): Served {
  const { agentName } = turn;
  if (typeof returned === 'string') return { output: returned };
  const has = (field: string): boolean => hasFields(returned) && field in returned;
  if ((has('type') || has('question')) && !has('output') && !has('metadata')) {
    throw new AgentError(
      'bad-option',
      `Agent ${agentName} returned a question and did not ask it. Return ask(question) of the turn, or of the class.`,
    );
  }
  if (!isResult(returned)) {
    const fields = hasFields(returned) ? Object.keys(returned).slice(0, 5) : [];
    warnOnce(
      turn.context,
      `no result: ${agentName}`,
      "What an agent returned is no result, so nothing is said. Return a string, { output: '…' }, what ask() gave, or nothing",
      { agentName, returned: describeKind(returned), fields, conversationId: turn.conversationId },
    );
  }
  return returned as Served;
}

function isResult(returned: unknown): boolean {
  if (returned === undefined || returned === null) return true;
  if (!hasFields(returned) || Array.isArray(returned)) return false;
  const { output, metadata } = returned as Record<string, unknown>;
  if (output !== undefined && output !== null) return typeof output === 'string';
  return metadata !== undefined || 'output' in returned || Object.keys(returned).length === 0;
}

/** A reply that the agent has not looked for: its ask stays open, and the person hears nothing of it. */
function warnIfUnhandled(turn: Turn): void {
  const { context, conversationId, reply, undecided, hasLookedForReply } = turn;
  if (reply === undefined || reply.decision !== undefined || undecided !== undefined || hasLookedForReply) return;
  const { agentName, id: askId, question } = reply;
  warnOnce(
    context,
    `not handled: ${agentName} ${question}`,
    'A reply was not handled, and its ask stays open. Call getPendingAsk() and handlePendingAsk() in invokeAgent(), or declare the question with question(), whose onAnswer gets the answer',
    { conversationId, agentName, askId },
  );
}

/** The agent's output goes to whoever wrote, unless the result stands for a question of this turn or a skipped step. */
function saidBy(turn: Turn, result: Served, metadata: Ending['metadata']): Move[] {
  const { reading, place, from } = turn.parts;
  const askId = result?.metadata?.['askId'];
  const standsFor =
    typeof askId === 'string' && (askId === turn.skipped || turn.moves.some((move) => asksFor(move, askId)));
  if (typeof result?.output === 'string' && result.output !== '' && !standsFor) {
    const { localeHere: locale } = turn.asker;
    return [{ type: 'say', place, text: result.output, ...definedFields({ metadata, locale }) }];
  }
  if (reading.type === 'close' && reading.as === 'declined' && turn.moves.length === 0) {
    const text = turn.language.wording.declined();
    return [{ type: 'say', place: from ?? place, text, ...definedFields({ locale: turn.authorLocale }) }];
  }
  return [];
}

function assertContinued(turn: Turn): void {
  const mine =
    turn.written.asks.find((ask) => ask.decision?.entry === turn.parts.workId) ??
    (turn.reply?.decision === undefined ? undefined : turn.reply);
  if (mine === undefined || turn.continued || turn.parts.reading.type !== 'reply') return;
  throw new AgentError(
    'not-continued',
    `Ask ${mine.id} is decided, but the agent ${mine.agentName} did not continue with it. Call handlePendingAsk() (or resolvePendingAsk()) for the ask getPendingAsk() returns.`,
  );
}

/** An answer by id that says nothing, to an ask whose agent reads text. */
function isBlank({ parts: { reading, message } }: Turn): boolean {
  if (reading.type !== 'reply' || reading.how !== 'api' || message !== '') return false;
  return reading.ask.name === undefined && !reading.ask.awaited;
}

async function refuseBlank(turn: Turn): Promise<undefined> {
  turn.undecided = { type: 'invalid', problem: turn.language.wording.needText() };
}

/** Another process may have an agent that this one does not know; but it has a name. */
function checkedRoute(name: unknown, known: readonly string[]): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new AgentError(
    'bad-option',
    `route must return the name of an agent, such as ${known.map(describe).join(', ')}, got ${describe(name)}.`,
  );
}

function checkedIntent(intent: unknown): string | undefined {
  if (intent === undefined || intent === null) return undefined;
  if (typeof intent === 'string') return intent;
  throw new AgentError(
    'bad-option',
    `classify must return an intent as a string, or undefined, got ${describe(intent)}.`,
  );
}

function saysIntent(item: ReadWorkItem): boolean {
  const { entry } = item.subject;
  return entry.type === 'message' && entry.intent !== undefined;
}

/** What the agent is given. `found` is the intent that was found for a message that names none. */
function inputOf(item: ReadWorkItem, stop: StopSignal, message: string, found: string | undefined): AgentInput {
  const { reading, who, attempt, place } = item;
  const { entry } = item.subject;
  const { conversationId } = item.lease;
  const said = entry.type === 'message' ? entry : undefined;
  const intent = said?.intent ?? found;
  const late = reading.type === 'ordinary' ? reading.lateFor : undefined;
  const input: Mutable<AgentInput> = withSignal({ conversationId, channelName: place.channel, attempt }, stop);
  if (message !== '') input.message = message;
  if (intent !== undefined) input.intent = intent;
  if (who !== undefined) input.participant = copyOf(who);
  if (said?.data !== undefined) input.data = copyOf(said.data);
  if (late !== undefined) input.lateFor = askView(late, conversationId);
  return input;
}

/** The move puts this ask to a person. */
function asksFor(move: Move, askId: string): boolean {
  if (move.type === 'reask' || move.type === 'step' || move.type === 'vote' || move.type === 'copy')
    return move.askId === askId;
  return openedBy(move) === askId;
}

/** The id of the ask that the move opens, here or elsewhere. */
function openedBy(move: Move): string | undefined {
  if (move.type === 'open') return move.ask.id;
  return move.type === 'forward' && move.entry.type === 'open' ? move.entry.ask.id : undefined;
}
