/**
 * The store port: where conversations live. Each method is one step that cannot be half done and may be repeated.
 *
 * A store applies what it is told atomically and knows no rules: documents, entries, outputs, history items, outcomes and what
 * is left of asks are opaque records. A store that keeps text reads their `text` and gives back `{ text }`; one that keeps objects
 * gives back what it was given. It knows who holds a conversation, in which order entries came, and what time it is.
 * Every writing call carries a token made for that call, because a client may send it again after a lost reply.
 */

import type { Stored } from '../core/format/stored.js';

export type { Stored };

/** An entry to record. Its id is unique within the conversation for as long as repeat marks are kept. */
export interface NewEntry {
  /** The id of the entry. */
  readonly id: string;
  /** The entry itself. */
  readonly data: Stored;
  /** Refuse the entry when this many are waiting. */
  readonly room: number;
  /** The turn id its work must have: for work that begins again under its old id. */
  readonly turn?: string;
  /** Its author, who is found in the conversation from now on, even if nobody has worked on the entry. */
  readonly person?: string;
}

/**
 * Records an entry unless its id is known, and claims the conversation if somebody should work on it, in one step.
 * Claimed if: `lease` > 0, `claimBefore` has not passed, nobody holds it (or the hold ran out), its back-off is over, an
 * entry waits or its `due` time has come, and the entry given here is not one that was closed before.
 * A claim counts one attempt and one strike. While it holds, the same token gives the same claim, counting nothing.
 * The token that recorded an entry is told `recorded` again; every other is told `repeat`.
 */
export interface Take {
  /** The conversation. */
  readonly conversationId: string;
  /** Made for this call: whoever has it holds the conversation. */
  readonly token: string;
  /** The turn id if new work begins with this claim; unfinished work keeps the id it had. */
  readonly turn: string;
  /** How long the claim holds; 0 records without claiming. */
  readonly lease: number;
  /** The store's time after which this call must not claim: it was sent again and nobody waits for it any more. */
  readonly claimBefore?: number;
  /** The entry to record; without one the call only claims. */
  readonly entry?: NewEntry;
  /** Decides a plain reply within the step. */
  readonly predecide?: Predecide;
}

/**
 * Says what the entry of a `take` makes of the document, or undefined if only its work can say. Asked if this call records
 * the entry at the time `now`, its claim begins the work on it, its `due` time has not come, and the document is at hand:
 * a store may leave it out for a long one. What it returns is written with the claim, and the revision is one more.
 * It depends on nothing else and changes nothing: a store may ask again, and only what was written counts.
 */
export type Predecide = (document: Stored, now: number) => Predecided | undefined;

/** What an entry makes of the document. */
export interface Predecided {
  /** The new document. */
  readonly document: Stored;
  /** Ids of open asks that changed with it, for `changes`. */
  readonly changed: readonly string[];
}

/** What `take` did. */
export interface Taken {
  /** The store's time; within a conversation it never goes back. */
  readonly now: number;
  /** `repeat`: the id was known, whether waiting, being worked on or closed. `full`: not recorded. */
  readonly entry?: 'recorded' | 'repeat' | 'full';
  /** For a repeat of a closed entry: the outcome it was closed with. */
  readonly outcome?: Stored;
  /** The claim; absent if the conversation was not claimed. */
  readonly claim?: Claim;
}

/** An entry that waits. */
export interface QueuedRecord {
  /** The id of the entry. */
  readonly id: string;
  /** The store's time at which it was recorded. */
  readonly at: number;
  /** The entry itself. */
  readonly data: Stored;
  /** The revision of the conversation when it was recorded: what a later one wrote, its author had not seen. */
  readonly revision: number;
}

/** A hold on a conversation, with what its holder needs to work. */
export interface Claim {
  /** The token of the call that claimed it: every write of the holder names it. */
  readonly token: string;
  /** The turn id of this work. Every attempt has the same. */
  readonly turn: string;
  /** How often this work was begun. */
  readonly attempt: number;
  /** How often it was begun and not given back; more than `settings.maxAttempts` parks it. */
  readonly strikes: number;
  /** The revision that the next save follows. */
  readonly revision: number;
  /** Which life of the conversation it is: an erased one begins another. */
  readonly incarnation: string;
  /** The store's time. */
  readonly now: number;
  /** The entry at the front of the queue; none if only a due time brought the claim about. */
  readonly entry?: QueuedRecord;
  /** The document; null before the first save. */
  readonly document: Stored | null;
  /** The number that the next history item will have. Only the holder adds any. */
  readonly historyEnd: number;
  /** What `remember` kept for this turn, by key. */
  readonly memo: Readonly<Record<string, string>>;
}

/** A message for a channel, as it is stored. */
export interface Output {
  /** Stable over repeats; unique within the conversation. */
  readonly key: string;
  /** The channel that sends it. */
  readonly channel: string;
  /** The output itself. */
  readonly data: Stored;
  /** saver: lent to the saver for `sendLease`, then to whoever asks. anyone: can be borrowed at once by whoever has the channel. */
  readonly to: 'saver' | 'anyone';
}

/**
 * The holder's one write. Refused unless `token` holds the conversation (also after its time, as long as nobody else
 * took it) and `revision` is its current one; then everything in it happens, or nothing.
 * Repeated at once it gives the same answer, the same next claim included, and does nothing: the last save is known by
 * `call`. Repeated later, a save that closed an entry is known by that entry's mark and answered `saved` without `next`.
 */
export interface Save extends Hold {
  /** Unique for this call. */
  readonly call: string;
  /** The revision this save follows. It leaves the conversation at one more. */
  readonly revision: number;
  /** The new document; absent if it did not change. */
  readonly document?: Stored;
  /** When the conversation wants a holder even if no entry waits; null for never. Absent: unchanged. */
  readonly due?: number | null;
  /** Whether anything waits for a person. If not, and nothing else is left to do, the keys live for `retention` more. Absent: unchanged. */
  readonly open?: boolean;
  /** The work that is over: its mark is written, it leaves the queue if it was there, attempt and strikes start anew. */
  readonly closes?: { readonly entryId: string; readonly outcome: Stored; readonly keepMemo: boolean };
  /** Added to the outbox in this order. `sendLease` is how long the saver's own are lent. */
  readonly outputs: readonly Output[];
  /** Keys of outputs that must not go out any more. */
  readonly withdraw: readonly string[];
  /** Added to the history in this order. */
  readonly history: readonly Stored[];
  /** Beyond this many items the oldest of the history are dropped, in the same step; at least 1 is kept. */
  readonly historyLimit: number;
  /** Asks that were opened, changed and settled, for `find`, `list`, `changes` and `settled`. */
  readonly asks: {
    /** `deadline` is when it expires, if it does. */
    readonly opened: readonly { readonly id: string; readonly at: number; readonly deadline?: number }[];
    /** Ids of open asks that changed and stay open: a vote, a part of a form. */
    readonly changed: readonly string[];
    readonly settled: readonly ListedRecord[];
  };
  /** Work that was parked, and that is parked no more. */
  readonly parked: {
    readonly added: readonly { readonly id: string; readonly at: number }[];
    readonly removed: readonly string[];
  };
  /** Participants of this work; those who are known already may be among them. */
  readonly people: readonly string[];
  /**
   * hold: the turn goes on. next: claim the next work if there is any (as `take` would), else let go.
   * release: let go, to be claimed again after `wait` ms. `returns` undoes what the claim counted: its strike, or its attempt,
   * too, where nothing of the work was begun.
   */
  readonly then:
    | { readonly type: 'hold' }
    | { readonly type: 'next'; readonly turn: string; readonly lease: number }
    | { readonly type: 'release'; readonly wait: number; readonly returns: Returned };
  /** How long outputs are lent to the saver, in ms. */
  readonly sendLease: number;
  /** How long a conversation with nothing open is kept, in ms. */
  readonly retention: number;
  /** How long the mark of a closed entry is kept, in ms. */
  readonly dedupeWindow: number;
}

/** What a release gives back of the claim's counts. */
export type Returned = 'nothing' | 'strike' | 'claim';

/** What `save` did. */
export type Saved =
  | { readonly type: 'saved'; readonly now: number; readonly revision: number; readonly next?: Claim }
  /** Another holds the conversation, or it was erased. Nothing was written. */
  | { readonly type: 'refused' };

/** Keeps a finished effect under a key for the turn. The first value wins and is what everyone gets. */
export interface Remember {
  /** The conversation. */
  readonly conversationId: string;
  /** The turn whose effect it is. */
  readonly turn: string;
  /** The name of the effect. */
  readonly key: string;
  /** Its result. */
  readonly value: string;
}

/** `ended`: the turn is over (saved or erased), nothing was kept. */
export type Remembered = { readonly type: 'kept'; readonly value: string } | { readonly type: 'ended' };

/** A hold on a conversation, by its token. */
export interface Hold {
  /** The conversation. */
  readonly conversationId: string;
  /** The token of its claim. */
  readonly token: string;
}

/** What became of a hold. */
export interface Renewed extends Hold {
  /** False: somebody else holds it, or nobody does any more. */
  readonly held: boolean;
  /** Entries waiting, the one being worked on included. */
  readonly queue: number;
  /** The store's time. */
  readonly now: number;
}

/** Lends outputs of these channels, of one conversation or of all. */
export interface Borrow {
  /** The channels that the borrower has. */
  readonly channels: readonly string[];
  /** At most this many. */
  readonly limit: number;
  /** How long they are lent, in ms. */
  readonly sendLease: number;
  /** Only outputs of this conversation. */
  readonly conversationId?: string;
}

/** An output that was lent to be sent. */
export interface Lent extends Omit<Output, 'to'> {
  /** The conversation. */
  readonly conversationId: string;
  /** The store's time at which the lease to send began. */
  readonly now: number;
}

/** What became of an output: gone for good, or to be tried again in `again` ms with new data. */
export interface Mark extends Pick<Lent, 'conversationId' | 'key' | 'channel'> {
  /** It was not sent: try again in `in` ms, with this data. */
  readonly again?: { readonly in: number; readonly data: Stored };
  /** The channel's own id of what was sent, kept under this name until the conversation is forgotten. */
  readonly sentAs?: { readonly name: string; readonly id: string };
  /** A small value that is kept for `ttl` ms, as `swap` keeps one, whatever was there: before the mark is written, or with it. */
  readonly kept?: { readonly key: string; readonly value: string; readonly ttl: number };
}

/** What is stored of a conversation. */
export interface ConversationState {
  /** Which life of the conversation it is. */
  readonly incarnation: string;
  /** How often it was saved. */
  readonly revision: number;
  /** The document; null before the first save. */
  readonly document: Stored | null;
  /** The entries that wait, in order. */
  readonly queue: readonly QueuedRecord[];
  /** Somebody holds it now. */
  readonly held: boolean;
  /** The work at the front has been begun and not finished. */
  readonly begun: boolean;
  /** The store's time. */
  readonly now: number;
}

/** Which part of a list is read. */
export interface Page {
  /** At most this many. */
  readonly limit: number;
  /** The cursor of the page before. */
  readonly cursor?: string;
}

/** An ask, or parked work. */
export interface Listed {
  /** The id of the ask or of the parked work. */
  readonly id: string;
  /** The conversation it is in; empty for the change of an ask that was erased. */
  readonly conversationId: string;
  /** What the list is ordered by: when it was asked, parked or changed; by deadline the deadline, and behind all of them when it was asked. */
  readonly at: number;
}

/** Which list is read: open asks by the time they were asked, parked work, or open asks by deadline. */
export type ListName = 'open' | 'parked' | 'deadline';

/** Changes of asks, and where the next read begins. */
export interface ChangePage {
  /** The asks that changed; `at` is when, by the store's time. At most one row for an ask. */
  readonly items: readonly Listed[];
  /** Give it to the next read. It is always there: a reader goes on with it when more has changed. */
  readonly cursor: string;
  /** Changes after the given cursor were dropped. There are no items: read the lists anew, then go on with `cursor`. */
  readonly gap?: true;
}

/** A compare-and-set of a small value. */
export interface Swap {
  /** Under what it is kept. Give a hash of what must not be read from the store. */
  readonly key: string;
  /** What must be there now; null for nothing. */
  readonly expected: string | null;
  /** What is kept from now on, at most 64 KiB; null deletes. */
  readonly value: string | null;
  /** How long it is kept, in ms, by the store's time. */
  readonly ttl: number;
}

/** What `swap` did. */
export interface Swapped {
  /** `current` is the value of the call. */
  readonly swapped: boolean;
  /** What is there after the call; null for nothing. */
  readonly current: string | null;
}

/** Which settled asks are listed: decided from `since` on and before `until`, in one conversation or in all. */
export interface SettledPage extends Page {
  /** Decided at this time or later. */
  readonly since?: number;
  /** Decided before this time. */
  readonly until?: number;
  /** Only asks of this conversation. */
  readonly conversationId?: string;
}

/** A settled ask. */
export interface ListedRecord {
  /** The id of the ask. */
  readonly id: string;
  /** When it was decided. */
  readonly at: number;
  /** The ask as it was settled. */
  readonly record: Stored;
}

/** Items of a history, and the number of the first of them. */
export interface HistoryPart {
  /** The items, oldest first. */
  readonly items: readonly Stored[];
  /** The number of the first of them. */
  readonly first: number;
}

/** Erases one life of a conversation: the named incarnation at the named revision, or nothing. */
export interface Erase {
  /** The conversation. */
  readonly conversationId: string;
  /** The life that is erased. */
  readonly incarnation: string;
  /** The revision at which it was read. */
  readonly revision: number;
  /** All asks of the conversation, open and settled: each keeps a tombstone for `retention` under its id. */
  readonly asks: readonly { readonly id: string; readonly tombstone: Stored }[];
  /** Ids of its parked work. */
  readonly parked: readonly string[];
  /** How long tombstones are kept, in ms. */
  readonly retention: number;
}

/** Something changed in a conversation that somebody may wait for. Best effort: a lost hint only costs time. */
export interface Hint {
  /** The conversation in which something changed. */
  readonly conversationId: string;
  /** The entry that was closed; absent when an entry waits for a worker. */
  readonly entryId?: string;
  /** Outputs wait for a process that has their channel. */
  readonly unsent?: true;
}

/**
 * Where conversations live. `MemoryStore`, `SqliteStore` and `RedisStore` implement it; `storeContract` of `askback/testing` proves one.
 *
 * @example
 * import { AgentRegistry, MemoryStore, type Store } from 'askback';
 *
 * const store: Store = new MemoryStore();
 * const registry = new AgentRegistry({ store });
 */
export interface Store {
  /**
   * A `take()` or `save()` settles within this many ms, whatever becomes of the store. Where it is absent, or more than the time that the
   * caller has, the registry limits the call: a promise and a timer more for each.
   */
  readonly settlesWithin?: number;
  /** Connects and refuses what cannot keep the promises. Called before anything else; a repeat does nothing. */
  open(): Promise<void>;
  /** Records an entry and claims the conversation, in one step. */
  take(call: Take): Promise<Taken>;
  /** Writes what a turn did, in one step. */
  save(call: Save): Promise<Saved>;
  /** Keeps the result of a finished effect for the turn and its re-runs. */
  remember(call: Remember): Promise<Remembered>;
  /** Makes these holds last for `lease` ms from now. */
  renew(holds: readonly Hold[], lease: number): Promise<readonly Renewed[]>;
  /** Conversations that want a holder now, at most `limit`, and the store's time. */
  due(limit: number): Promise<{ readonly conversations: readonly string[]; readonly now: number }>;
  /** Lends outputs that wait to be sent. */
  unsent(call: Borrow): Promise<readonly Lent[]>;
  /** Marks what became of outputs that were lent. */
  sent(marks: readonly Mark[]): Promise<void>;
  /** The state of a conversation, its queue without the first `skip` entries: for whoever has read those. */
  conversation(conversationId: string, skip?: number): Promise<ConversationState | null>;
  /** The outcome a closed entry has; null while it is open or unknown. */
  outcome(conversationId: string, entryId: string): Promise<Stored | null>;
  /** The conversation an open ask or parked entry is in, or the record of a settled ask. */
  find(id: string): Promise<{ readonly conversationId: string } | { readonly record: Stored } | null>;
  /**
   * Open asks (or parked entries) of all conversations, by time and id. `deadline`: open asks, the soonest deadline first, then those
   * without one, oldest first. A page costs the same however many there are. A cursor stays good when the item that it names is gone.
   */
  list(what: ListName, page: Page): Promise<{ readonly items: readonly Listed[]; readonly cursor?: string }>;
  /**
   * Asks of all conversations that were opened, changed, settled or erased after the cursor, at most `limit`. Without a cursor there are no
   * items, only the cursor of now. A reader that goes from cursor to cursor misses no save, in whichever process it was made; it may
   * hear of an ask more than once. The order is that of the saves within a conversation, and by time over all. A change is kept for
   * at least 10 minutes, or until the ask changes again.
   */
  changes(page: Page): Promise<ChangePage>;
  /**
   * Keeps a small value under a key if `expected` is there now, in one step. `swapped` is true if the value of the call is there
   * afterwards, so a repeat after a lost reply says the same. Two callers must not give the same value: each makes its own
   * unique, then exactly one is told that it won. With `expected` and `value` null it only reads.
   */
  swap(call: Swap): Promise<Swapped>;
  /**
   * Settled asks whose record is still kept, the one that was decided last first, those of the same time by id, downwards. At most
   * `limit` are looked at: a page may have fewer, or none, and there are more as long as it has a cursor. One that an earlier
   * build has settled need not be listed.
   */
  settled(page: SettledPage): Promise<{ readonly items: readonly ListedRecord[]; readonly cursor?: string }>;
  /** Ids of the conversation's settled asks whose record is still kept, in any order; no limit on the history drops one. */
  settledAsks(conversationId: string): Promise<readonly string[]>;
  /**
   * The last `limit` history items before the cursor, oldest first. An item keeps its number when older ones are dropped, so a
   * cursor stays true; one from which on everything older was dropped gives an empty page.
   */
  history(conversationId: string, page: Page): Promise<{ readonly items: readonly Stored[]; readonly cursor?: string }>;
  /**
   * The history items from the number `from` on, at most `limit`, oldest first. `first` is the number of the first of them, or that
   * which the next item will have: more than `from` where older ones were dropped, less where so many never were.
   */
  historyFrom(conversationId: string, from: number, limit: number): Promise<HistoryPart>;
  /** Where somebody takes part. A conversation with many people that was forgotten may be named for a while longer. */
  conversationsOf(participantId: string): Promise<readonly string[]>;
  /** The channel's own id of what was sent under this name, or null. */
  sentAs(conversationId: string, name: string): Promise<string | null>;
  /** False: that life of the conversation is gone, or something changed since it was read. */
  erase(call: Erase): Promise<boolean>;
  /** Tells all processes that something changed. It must not wait, must not throw, and calls no listener before it has returned. */
  hint(hint: Hint): void;
  /** Listens to hints. Resolves with the function that ends it. */
  watch(listener: (hint: Hint) => void): Promise<() => Promise<void>>;
  /** Frees what the store holds. A repeat does nothing. */
  close(): Promise<void>;
}
