/**
 * The store as the parts of a registry read it: a look that met an outage is taken again for a moment, as a message is.
 * Steps that write for a turn have limits of their own and are tried again by whoever makes them.
 */
import type { Store } from '../stores/port.js';
import type { House } from './house.js';
import { persistently } from './house.js';

export function patient(store: Store, house: () => House, limit: number): Store {
  const look = <T>(step: keyof Store, work: () => Promise<T>): Promise<T> => persistently(house(), step, limit, work);
  return {
    open: () => store.open(),
    take: (call) => store.take(call),
    save: (call) => store.save(call),
    remember: (call) => store.remember(call),
    renew: (holds, lease) => store.renew(holds, lease),
    due: (count) => store.due(count),
    sent: (marks) => store.sent(marks),
    hint: (hint) => store.hint(hint),
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
