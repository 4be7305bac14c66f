/**
 * The store as the parts of a registry see it. Reads are retried for a moment after an outage and limited in number, as messages
 * are. Steps that write for a turn have time limits of their own; their callers retry them.
 * No step runs as part of the turn that calls it: whatever a client keeps of a call would keep the turn in memory as well.
 */
import type { Store } from '../stores/port.js';
import { Admission } from './admission.js';
import type { RegistryContext } from './context.js';
import { retried } from './retry.js';
import { outsideTurn } from './turn/current-turn.js';

export function retryingStore(store: Store, context: () => RegistryContext, limit: number): Store {
  const admission = new Admission(context);
  const read = <T>(step: keyof Store, work: () => Promise<T>): Promise<T> =>
    admission.run(() => retried(context(), step, limit, () => outsideTurn(work)));
  return {
    open: () => store.open(),
    take: (call) => outsideTurn(() => store.take(call)),
    save: (call) => outsideTurn(() => store.save(call)),
    remember: (call) => outsideTurn(() => store.remember(call)),
    renew: (leases, lease) => outsideTurn(() => store.renew(leases, lease)),
    due: (count) => outsideTurn(() => store.due(count)),
    sent: (marks) => outsideTurn(() => store.sent(marks)),
    hint: (hint) => outsideTurn(() => store.hint(hint)),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
    unsent: (call) => read('unsent', () => store.unsent(call)),
    conversation: (id) => read('conversation', () => store.conversation(id)),
    outcome: (id, entryId) => read('outcome', () => store.outcome(id, entryId)),
    find: (id) => read('find', () => store.find(id)),
    list: (what, page) => read('list', () => store.list(what, page)),
    history: (id, page) => read('history', () => store.history(id, page)),
    conversationsOf: (id) => read('conversationsOf', () => store.conversationsOf(id)),
    sentAs: (id, name) => read('sentAs', () => store.sentAs(id, name)),
    erase: (call) => read('erase', () => store.erase(call)),
  };
}
