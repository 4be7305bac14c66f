/**
 * Runs the agent of a turn: who handles it, what it is given, and what its result means.
 */
import { hasFields, nearest } from '../../core/check-options.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import { hasOwnedAsk, hasUnownedAsk } from '../../core/conversation/conversation.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, badOption, failureOf } from '../../core/errors.js';
import { readEntry } from '../../core/format/document.js';
import { describe, describeKind } from '../../core/ids.js';
import { plainData } from '../../core/json.js';
import type { RegistryContext } from '../context.js';
import { waitingAgent, warnOnce } from '../context.js';
import type { RegisteredAgent, Served } from '../turn/agent-port.js';
import { serve } from '../turn/agent-port.js';
import { runTurn } from '../turn/current-turn.js';
import type { InTurnWait, Turn } from '../turn/turn.js';
import { dispositionOf } from './own-endings.js';
import { messageOf } from './read-turn.js';

/** This process cannot do the work; it is given back untouched. */
export class HandBack extends Error {}

export class AgentRunner {
  readonly #context: RegistryContext;
  readonly #agents: ReadonlyMap<string, RegisteredAgent>;
  readonly #waiting: InTurnWait;

  constructor(context: RegistryContext, agents: ReadonlyMap<string, RegisteredAgent>, waiting: InTurnWait) {
    this.#context = context;
    this.#agents = agents;
    this.#waiting = waiting;
  }

  /** Runs the agent inside its turn. */
  run(turn: Turn, agentName: string): Promise<Served> {
    const agent = this.#agents.get(agentName);
    if (agent === undefined) throw this.#unknownAgent(turn, agentName);
    turn.agentName = agentName;
    turn.waiting = this.#waiting;
    return isBlank(turn) ? refuseBlank(turn) : runTurn(turn, () => agent[serve](turn));
  }

  /** The agent that handles it. A promise only where the author's `classify` or `route` has to be asked. */
  route(turn: Turn): string | Promise<string> {
    const { reading } = turn;
    const { classify, route, agentNames } = this.#context;
    if (reading.type === 'reply' || reading.type === 'close') return reading.ask.agentName;
    const [agentName] = agentNames;
    if (agentName === undefined) return this.#ignored(turn);
    return classify === undefined && route === undefined ? agentName : this.#routed(turn, agentName);
  }

  /** Without agents, what is no reply is ignored where only asks that no agent owns are open. All else is left to agents. */
  async #ignored({ document, conversationId }: Turn): Promise<string> {
    const state = document.asks.length > 0 ? null : await this.#context.store.conversation(conversationId, 1);
    if (hasOwnedAsk(document) || !hasUnownedAsk(document, state?.queue.map(readEntry) ?? []))
      throw new HandBack('No agents in this process');
    return waitingAgent;
  }

  async #routed(turn: Turn, first: string): Promise<string> {
    const { classify, route, agentNames } = this.#context;
    const isClassified = classify !== undefined && !saysIntent(turn);
    turn.intent = isClassified ? checkedIntent(await classify(messageOf(turn))) : undefined;
    return route === undefined ? first : checkedRoute(await route(messageOf(turn), agentNames), agentNames);
  }

  /** An agent no process here has: left to others, and parked by one with agents when none of them came for a while. */
  #unknownAgent(turn: Turn, name: string): Error {
    const what = `No agent ${JSON.stringify(name)} in this process`;
    const { agentNames } = this.#context;
    if (agentNames.length === 0) return new HandBack(what);
    const waited = turn.lease.now() - turn.subject.at;
    if (this.mayOthersCome(turn)) {
      if (waited >= 2 * this.#context.settings.sweep) this.#warnOfUnknownAgent(turn.conversationId, name);
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
  mayOthersCome({ lease, subject }: Turn): boolean {
    return lease.now() - subject.at < this.#context.settings.unknownAgent;
  }
}

/** What the turn comes to, now that its agent has returned. */
export function concluded(turn: Turn, returned: Served): void {
  assertContinued(turn);
  if (turn.repeated !== undefined) throw turn.repeated; // code that caught the refusal must not end as if nothing were wrong
  warnIfUnhandled(turn);
  const result = checkedResult(turn, returned);
  turn.metadata = metadataOf(turn, result);
  turn.endsWith(dispositionOf(turn), saidBy(turn, result, turn.metadata));
}

/** What the caller of handle() and the channel are given of the result. What cannot be stored is left out: the turn has done its work. */
function metadataOf(turn: Turn, result: Served): Turn['metadata'] {
  const { context, agentName, conversationId } = turn;
  const metadata = result?.metadata;
  if (metadata === undefined) return undefined;
  try {
    const plain = plainData(metadata, `The metadata of agent ${agentName}`, context.settings) as Turn['metadata'];
    return withFirstAsk(turn, plain);
  } catch (error) {
    const about = { conversationId, agentName, failure: failureOf(error) };
    context.logger.warn('The metadata of a result cannot be stored and was left out', about);
    return undefined;
  }
}

/** Of several questions of a turn the first is put to the person first, whichever the author returned: it is named, and all are listed. */
function withFirstAsk({ moves }: Turn, metadata: Turn['metadata']): Turn['metadata'] {
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
    throw badOption(
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

/** The agent's output goes to the author of the message, unless the result stands for a question of this turn or a skipped step. */
function saidBy(turn: Turn, result: Served, metadata: Turn['metadata']): Move[] {
  const { reading, place, from } = turn;
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
    turn.written.asks.find((ask) => ask.decision?.entry === turn.workId) ??
    (turn.reply?.decision === undefined ? undefined : turn.reply);
  if (mine === undefined || turn.continued || turn.reading.type !== 'reply') return;
  throw new AgentError(
    'not-continued',
    `Ask ${mine.id} is decided, but the agent ${mine.agentName} did not continue with it. Call handlePendingAsk() (or resolvePendingAsk()) for the ask getPendingAsk() returns.`,
  );
}

/** An answer by id that says nothing, to an ask whose agent reads text. */
function isBlank({ reading, message }: Turn): boolean {
  if (reading.type !== 'reply' || reading.how !== 'api' || message !== '') return false;
  return reading.ask.question.name === undefined && !reading.ask.own.awaited;
}

async function refuseBlank(turn: Turn): Promise<undefined> {
  turn.undecided = { type: 'invalid', problem: turn.language.wording.needText() };
}

/** Another process may have an agent that this one does not know; but it has a name. */
function checkedRoute(name: unknown, known: readonly string[]): string {
  if (typeof name === 'string' && name !== '') return name;
  throw badOption(
    `route must return the name of an agent, such as ${known.map(describe).join(', ')}, got ${describe(name)}.`,
  );
}

function checkedIntent(intent: unknown): string | undefined {
  if (intent === undefined || intent === null) return undefined;
  if (typeof intent === 'string') return intent;
  throw badOption(`classify must return an intent as a string, or undefined, got ${describe(intent)}.`);
}

function saysIntent({ subject: { entry } }: Turn): boolean {
  return entry.type === 'message' && entry.intent !== undefined;
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
