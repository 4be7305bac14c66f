/**
 * Which turn the running code belongs to, before and after every `await`. One AsyncLocalStorage knows it; nothing is
 * decided here.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError } from '../../core/errors.js';
import { isPromiseLike } from '../../core/promise.js';
import type { Clock } from '../../machine/clock.js';
import type { RegistryContext } from '../context.js';
import type { Turn } from './turn.js';

/** A call of the author's code that belongs to no turn, but that the registry awaits: `identify`, a channel's `send`. */
export class AuthorCall {
  readonly context: RegistryContext;
  ended = false;

  constructor(context: RegistryContext) {
    this.context = context;
  }
}

const turns = new AsyncLocalStorage<Turn | AuthorCall | undefined>();

/** Runs the work as part of the turn; so is everything that the work starts. */
export function runTurn<T>(turn: Turn, work: () => T): T {
  return turns.run(turn, work);
}

/**
 * Runs the work as part of no turn. For what outlives the turn it is called in: a timer or a connection made there would
 * keep the turn in memory, and would run other conversations' work as part of it.
 */
export function outsideTurn<T>(work: () => T): T {
  return turns.run(undefined, work);
}

/** The turn that the caller is part of. It may have ended: work that nobody awaited stays part of it. */
export function currentTurn(): Turn | undefined {
  const current = turns.getStore();
  return current instanceof AuthorCall ? undefined : current;
}

/** The turn of this registry that the caller is part of, if it has not ended. */
export function runningTurn(context: RegistryContext): Turn | undefined {
  const turn = currentTurn();
  return turn !== undefined && !turn.ended && turn.context === context ? turn : undefined;
}

/** What waits for work in a conversation is refused inside that conversation's own turn: it would wait for itself. */
export function assertOutsideTurnOf(
  context: RegistryContext,
  conversationId: string,
  call: string,
  instead: string,
): void {
  if (runningTurn(context)?.conversationId !== conversationId) return;
  throw new AgentError(
    'in-turn',
    `${call} was called in a turn of conversation ${JSON.stringify(conversationId)} itself, and would wait for that turn to end. ${instead}`,
  );
}

/** Runs the work as part of the call, whose end its caller tells. */
export function runAuthorCall<T>(call: AuthorCall, work: () => T): T {
  return turns.run(call, work);
}

/** The same function; what it runs is known as a call that the registry awaits. Inside a turn it stays part of the turn. */
export function asAuthorCall<A extends readonly unknown[], R>(
  context: () => RegistryContext,
  hook: (...given: A) => R,
): (...given: A) => R {
  return (...given) => {
    if (currentTurn() !== undefined) return hook(...given);
    const call = new AuthorCall(context());
    const end = (): void => {
      call.ended = true;
    };
    const result = runAuthorCall(call, () => hook(...given));
    if (isPromiseLike(result)) result.then(end, end);
    else end();
    return result;
  };
}

/** Whether the registry awaits the caller: then the caller must not wait until the registry has no work. */
export function isAwaitedBy(context: RegistryContext): boolean {
  const current = turns.getStore();
  return current !== undefined && current.context === context && !current.ended;
}

/** The same clock; its timers run as part of no turn, whoever sets them. */
export function timersOutsideTurns(clock: Clock): Clock {
  return {
    now: clock.now.bind(clock),
    elapsed: clock.elapsed.bind(clock),
    after: (ms, work) => outsideTurn(() => clock.after(ms, work)),
  };
}
