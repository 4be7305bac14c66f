/**
 * The store as the parts of a registry read it: a look that met an outage is taken again for a moment, as a message is, and
 * of very many at once most wait in line.
 * Steps that write for a turn have limits of their own and are tried again by whoever makes them. No step runs inside the
 * turn that asks for it: whatever a client keeps of a call would keep the turn as well.
 */
import type { Store } from '../stores/port.js';
import { Admission } from './admission.js';
import type { RegistryContext } from './context.js';
import { outsideTurn } from './turn/current-turn.js';

export function retryingStore(store: Store, context: () => RegistryContext, limit: number): Store {
  const admission = new Admission(context);
  const look = <T>(step: keyof Store, work: () => Promise<T>): Promise<T> =>
    admission.enter(() =>
      admission.through(
        step,
        limit,
        () => outsideTurn(work),
        (found) => found,
      ),
    );
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
    unsent: (call) => look('unsent', () => store.unsent(call)),
    conversation: (id) => look('conversation', () => store.conversation(id)),
    outcome: (id, entryId) => look('outcome', () => store.outcome(id, entryId)),
    find: (id) => look('find', () => store.find(id)),
    list: (what, page) => look('list', () => store.list(what, page)),
    history: (id, page) => look('history', () => store.history(id, page)),
    conversationsOf: (id) => look('conversationsOf', () => store.conversationsOf(id)),
    sentAs: (id, name) => look('sentAs', () => store.sentAs(id, name)),
    erase: (call) => look('erase', () => store.erase(call)),
  };
}
