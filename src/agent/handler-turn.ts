/**
 * Makes the turn that handlers are given, in both ways of writing an agent: the input, and the agent's own methods, bound to
 * this turn. It does nothing itself.
 */
import type { AgentInput } from '../core/agent.js';
import type { PendingAsk } from '../core/ask/ask.js';
import type { Mutable } from '../core/defined-fields.js';
import { failureOf } from '../core/errors.js';
import { withSignal } from '../registry/lease/stop-signal.js';
import type { RegisteredAgent } from '../registry/turn/agent-port.js';
import { currentTurn, runTurn } from '../registry/turn/current-turn.js';
import type { Continuation, MessageTurn, TurnActions } from '../registry/turn/question-handlers.js';
import type { Turn } from '../registry/turn/turn.js';

/** For a message that is no reply. */
export function messageTurn(agent: RegisteredAgent, input: AgentInput): MessageTurn {
  const given: Mutable<AgentInput & TurnActions> = handlerTurn(agent, currentTurn(), input);
  given.message ??= '';
  return given as MessageTurn; // it has a message now
}

/** For a decision: with the ask that was decided. */
export function continuation<T>(agent: RegisteredAgent, turn: Turn, pending: PendingAsk<T>): Continuation<T> {
  const given = handlerTurn(agent, turn, turn.input()) as Mutable<Continuation<T>>; // the rest follows
  given.effectKey = pending.effectKey;
  given.pending = pending;
  return given;
}

/** Own functions, no getters of a prototype: `{ pending, ...turn }` must keep them. */
function handlerTurn(agent: RegisteredAgent, turn: Turn | undefined, input: AgentInput): AgentInput & TurnActions {
  const acts = agent as unknown as TurnActions; // the methods of these names are protected, for subclasses
  /** A function that is kept beyond its turn must not act in the turn that happens to run then. */
  const inside = <T>(what: string, work: () => T): T => {
    turn?.assertOpen(what);
    return turn === undefined ? work() : runTurn(turn, work);
  };
  /** One that nobody awaits must not end the process: what it was refused for is logged. Of a stopped turn each call fails, awaited or not. */
  const call = <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const done = (async () => inside(what, work))(); // begun now: what is asked for in order is done in order
    done.catch((error: unknown) => {
      if (turn?.ended && !turn.stop.isStopped)
        turn.context.logger.warn(`${what} failed after its turn was over; await it`, { failure: failureOf(error) });
    });
    return done;
  };
  const { conversationId, channelName, attempt, message, intent, participant, data, lateFor } = input;
  const given: Mutable<AgentInput & TurnActions> = withSignal(
    {
      conversationId,
      channelName,
      attempt,
      ask: (question, options) => call('ask()', () => acts.ask(question, options)),
      askAndWait: (question, options) => call('askAndWait()', () => acts.askAndWait(question, options)),
      run: (prompt) => call('run()', () => acts.run(prompt)),
      sendTo: (channel, text, options) => call('sendTo()', () => acts.sendTo(channel, text, options)),
      progress: (text) => inside('progress()', () => acts.progress(text)),
      once: (key, work) => call('once()', () => acts.once(key, work)),
    } satisfies Omit<AgentInput, 'signal'> & TurnActions,
    input,
  );
  if (message !== undefined) given.message = message;
  if (intent !== undefined) given.intent = intent;
  if (participant !== undefined) given.participant = participant;
  if (data !== undefined) given.data = data;
  if (lateFor !== undefined) given.lateFor = lateFor;
  return given;
}
