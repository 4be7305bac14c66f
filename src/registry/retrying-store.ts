/**
 * The store as the parts of a registry see it. Reads are retried for a moment after an outage and limited in number, as messages
 * are. Every step has a time limit: that of a turn's lease, or of a caller who waits for less. Steps that write for a turn are retried by
 * their callers.
 * No step runs as part of the turn that calls it: whatever a client keeps of a call would keep the turn in memory as well.
 */
import { AgentError } from '../core/errors.js';
import { Deadlines } from '../machine/deadlines.js';
import type { Store } from '../stores/port.js';
import { Admission } from './admission.js';
import type { RegistryContext } from './context.js';
import { retried } from './retry.js';
import { outsideTurn } from './turn/current-turn.js';

export function retryingStore(store: Store, context: () => RegistryContext, timeout: number): Store {
  const admission = new Admission(context);
  const limited = limiter(context, 'lease');
  const called = limiter(context, 'callTimeout');
  const read = <T>(step: keyof Store, work: () => Promise<T>): Promise<T> =>
    admission.run(() => retried(context(), step, timeout, () => called(step, work)));
  return {
    open: () => store.open(),
    take: (call) => called('take', () => store.take(call), store.settlesWithin),
    save: (call) => limited('save', () => store.save(call), store.settlesWithin),
    remember: (call) => limited('remember', () => store.remember(call)),
    renew: (leases, lease) => limited('renew', () => store.renew(leases, lease)),
    due: (count) => limited('due', () => store.due(count)),
    sent: (marks) => limited('sent', () => store.sent(marks)),
    hint: (hint) => outsideTurn(() => store.hint(hint)),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
    unsent: (call) => read('unsent', () => store.unsent(call)),
    conversation: (id, skip) => read('conversation', () => store.conversation(id, skip)),
    outcome: (id, entryId) => read('outcome', () => store.outcome(id, entryId)),
    find: (id) => read('find', () => store.find(id)),
    list: (what, page) => read('list', () => store.list(what, page)),
    changes: (page) => read('changes', () => store.changes(page)),
    swap: (call) => read('swap', () => store.swap(call)),
    settled: (page) => read('settled', () => store.settled(page)),
    settledAsks: (id) => read('settledAsks', () => store.settledAsks(id)),
    history: (id, page) => read('history', () => store.history(id, page)),
    historyFrom: (id, from, limit) => read('historyFrom', () => store.historyFrom(id, from, limit)),
    conversationsOf: (id) => read('conversationsOf', () => store.conversationsOf(id)),
    sentAs: (id, name) => read('sentAs', () => store.sentAs(id, name)),
    erase: (call) => read('erase', () => store.erase(call)),
  };
}

/**
 * Runs a step, and rejects if the store has not answered when a lease would be over, or after the limit of the caller if that is
 * shorter: a store that hangs must not hang its callers.
 */
function limiter(
  context: () => RegistryContext,
  own: 'lease' | 'callTimeout',
): <T>(step: keyof Store, work: () => Promise<T>, settlesWithin?: number) => Promise<T> {
  let deadlines: Deadlines | undefined;
  return (step, work, settlesWithin = Number.POSITIVE_INFINITY) => {
    const { clock, settings } = context();
    const setting = settings[own] < settings.lease ? own : 'lease';
    if (settlesWithin <= settings[setting]) return outsideTurn(work);
    deadlines ??= new Deadlines(clock, settings[setting]);
    return deadlines.limit(
      () => outsideTurn(work),
      () => unanswered(step, setting, settings[setting]),
    );
  };
}

function unanswered(step: string, setting: string, ms: number): AgentError {
  const what = `The store has not answered ${step}() for ${ms} ms (settings.${setting}), and may still do it`;
  return new AgentError('store-unavailable', `${what}. Look at what holds it up.`);
}
