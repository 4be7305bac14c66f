/**
 * Stores and authors' functions that are wrong on purpose, each in one way that they might be. A model that does not
 * notice them is no model.
 */
import type { Parked } from '../../../src/core/conversation/conversation.js';
import { forwardChannel } from '../../../src/core/conversation/outgoing.js';
import { readConversation, writeConversation } from '../../../src/core/format/document.js';
import type { Claim, Save, Saved, Store, Take, Taken } from '../../../src/stores/port.js';
import { askLike, type FlatAsk } from '../../support/asks.js';
import { wrapped } from './faults.js';
import type { Breakage } from './stage.js';
import { identify } from './stage.js';

interface Ways {
  take?(inner: Store, call: Take): Promise<Taken>;
  save?(inner: Store, call: Save): Promise<Saved>;
  unsent?(): Promise<readonly []>;
  erase?(): Promise<boolean>;
}

/** The store with some steps done in another way. */
const wrong = (ways: Ways): Breakage => ({
  store: (inner) =>
    wrapped(inner, (step, args, go) => {
      if (step === 'take' && ways.take) return ways.take(inner, args[0] as Take);
      if (step === 'save' && ways.save) return ways.save(inner, args[0] as Save);
      if (step === 'erase' && ways.erase) return ways.erase();
      return step === 'unsent' && ways.unsent ? ways.unsent() : go(...args);
    }),
});

/** Changes every claim that is given out. */
const claims = (change: (claim: Claim, conversationId: string) => Claim): Ways => ({
  take: async (inner, call) => {
    const taken = await inner.take(call);
    return taken.claim === undefined ? taken : { ...taken, claim: change(taken.claim, call.conversationId) };
  },
  save: async (inner, call) => {
    const saved = await inner.save(call);
    if (saved.type === 'refused' || saved.next === undefined) return saved;
    return { ...saved, next: change(saved.next, call.conversationId) };
  },
});

function forgetsRepeats(): Breakage {
  const known = new Map<string, string>();
  let again = 0;
  return wrong({
    take: (inner, call) => {
      const { entry, token } = call;
      if (entry === undefined) return inner.take(call);
      const first = known.get(entry.id) ?? token;
      known.set(entry.id, first);
      if (first === token) return inner.take(call);
      again += 1;
      return inner.take({ ...call, entry: { ...entry, id: `${entry.id}~${again}` } });
    },
  });
}

/** Writes what a save says, whoever holds the conversation, if nobody does just now. */
function forcing(): (inner: Store, call: Save) => Promise<Saved | undefined> {
  let forced = 0;
  return async (inner, call) => {
    forced += 1;
    const { conversationId } = call;
    const token = `forced-${forced}`;
    const entry = { id: token, data: { text: '{}' }, room: 1_000 };
    const { claim } = await inner.take({ conversationId, token, turn: token, lease: 60_000, entry });
    if (claim === undefined) return undefined;
    const held = { ...call, token, call: `${token}.1`, revision: claim.revision, then: { type: 'hold' } } as const;
    const written = await inner.save(held);
    const closes = { entryId: token, outcome: { text: '{}' }, keepMemo: false };
    const { outputs, history, people, ...rest } = { ...held, outputs: [], history: [], people: [] };
    const then = { type: 'release', wait: 0, returns: 'strike' } as const;
    const parts = { asks: { opened: [], changed: [], settled: [] }, parked: { added: [], removed: [] }, withdraw: [] };
    const revision = claim.revision + 1;
    await inner.save({ ...rest, ...parts, outputs, history, people, call: `${token}.2`, revision, closes, then });
    return written;
  };
}

/** What is refused is written all the same, as if its holder still held the conversation. */
function hasNoFence(): Breakage {
  const force = forcing();
  return wrong({
    save: async (inner, call) => {
      const saved = await inner.save(call);
      return saved.type === 'saved' ? saved : ((await force(inner, call)) ?? saved);
    },
  });
}

function doesItAgain(): Breakage {
  const force = forcing();
  const done = new Set<string>();
  return wrong({
    save: async (inner, call) => {
      if (done.has(call.call)) await force(inner, call);
      done.add(call.call);
      return inner.save(call);
    },
  });
}

function givesAnOldDocument(): Breakage {
  const before = new Map<string, Claim['document']>();
  return wrong(
    claims((claim, id) => {
      const old = before.get(id) ?? claim.document;
      before.set(id, claim.document);
      return claim.attempt > 1 ? { ...claim, document: old } : claim;
    }),
  );
}

const without = (field: keyof Save, when: (call: Save) => boolean): Breakage =>
  wrong({
    save: (inner, call) => {
      const { [field]: _, ...rest } = call;
      return inner.save(when(call) ? (rest as Save) : call);
    },
  });

/** A field of open asks is lost on the way to the store. */
const losing = (field: keyof FlatAsk): Breakage =>
  wrong({
    save: (inner, call) => {
      if (call.document === undefined) return inner.save(call);
      const before = readConversation(call.document, call.conversationId);
      const asks = before.asks.map((ask) => askLike(ask, { [field]: undefined }));
      return inner.save({ ...call, document: writeConversation({ ...before, asks }) });
    },
  });

/** What a waiting turn has handled early is forgotten. */
const forgetsEarlyOutcomes = (): Breakage =>
  wrong({
    save: (inner, call) => {
      if (call.document === undefined) return inner.save(call);
      const { earlyOutcomes: _, ...rest } = readConversation(call.document, call.conversationId);
      return inner.save({ ...call, document: writeConversation(rest) });
    },
  });

/** A field of what is set aside is lost on the way to the store. */
const losingAside = (field: keyof Parked): Breakage =>
  wrong({
    save: (inner, call) => {
      if (call.document === undefined) return inner.save(call);
      const before = readConversation(call.document, call.conversationId);
      const parked = before.parked.map((each) => {
        const { [field]: _, ...rest } = each;
        return rest as Parked;
      });
      return inner.save({ ...call, document: writeConversation({ ...before, parked }) });
    },
  });

export const broken: readonly { readonly name: string; readonly made: () => Breakage }[] = [
  { name: 'forgets which messages it has recorded', made: forgetsRepeats },
  { name: 'loses a decision before its continuation', made: () => without('document', (c) => c.then.type === 'hold') },
  { name: 'loses when an ask ends', made: () => without('due', (call) => call.asks.opened.length > 0) },
  { name: 'lets an old holder write', made: hasNoFence },
  { name: 'does a save again whose reply was lost', made: doesItAgain },
  { name: 'gives the next holder an old document', made: givesAnOldDocument },
  {
    name: 'stamps an entry when it is read, not when it came',
    made: () =>
      wrong(claims((claim) => (claim.entry ? { ...claim, entry: { ...claim.entry, at: claim.now } } : claim))),
  },
  { name: 'never lends what another process left unsent', made: () => wrong({ unsent: async () => [] }) },
  { name: 'loses votes', made: () => losing('votes') },
  { name: 'loses the first field of a form', made: () => losing('partial') },
  { name: 'loses whom an ask excludes', made: () => losing('excluded') },
  { name: 'loses the tenant of an ask', made: () => losing('tenant') },
  { name: 'loses that an answer is sensitive', made: () => losing('sensitive') },
  { name: 'loses when a question was shown', made: () => losing('shownAt') },
  { name: 'loses that a question was shown again', made: () => losing('reminded') },
  { name: 'loses that a program waits for an ask', made: () => losing('awaited') },
  { name: 'loses which turn waits for an ask', made: () => losing('waitsIn') },
  { name: 'loses that an ask came after a cancel of all', made: () => losing('cause') },
  { name: 'forgets what a waiting turn has handled early', made: forgetsEarlyOutcomes },
  {
    name: 'loses what is asked in another conversation',
    made: () =>
      wrong({
        save: (inner, call) =>
          inner.save({ ...call, outputs: call.outputs.filter(({ channel }) => channel !== forwardChannel) }),
      }),
  },
  {
    name: 'forgets what is set aside',
    made: () => wrong({ save: (inner, call) => inner.save({ ...call, parked: { added: [], removed: [] } }) }),
  },
  { name: 'loses what was decided and set aside', made: () => losingAside('ask') },
  { name: 'loses what a turn had waited for that is set aside', made: () => losingAside('awaited') },
  {
    name: 'loses the effects of what is set aside',
    made: () =>
      wrong({
        save: (inner, call) =>
          inner.save(call.closes === undefined ? call : { ...call, closes: { ...call.closes, keepMemo: false } }),
      }),
  },
  {
    name: 'gives a retry a turn of its own',
    made: () =>
      wrong({
        take: (inner, call) => {
          const { turn: _, ...entry } = call.entry ?? {};
          return inner.take(call.entry === undefined ? call : { ...call, entry: entry as typeof call.entry });
        },
      }),
  },
  { name: 'loses that a decision must not run twice', made: () => losing('onCrash') },
  {
    name: 'forgets what waits for a person',
    made: () => wrong({ save: (inner, call) => inner.save({ ...call, open: false }) }),
  },
  {
    name: 'never forgets',
    made: () => wrong({ save: (inner, call) => inner.save({ ...call, open: true }) }),
  },
  { name: 'erases nothing', made: () => wrong({ erase: async () => true }) },
];

/** The same for what an author gives to the registry. */
export const brokenAuthors: typeof broken = [
  {
    name: 'takes two telephones for two people',
    made: () => ({ author: { identify: (who) => ({ ...identify(who), id: who.id }) } }),
  },
  {
    name: 'forgets what people are',
    made: () => ({ author: { identify: (who) => ({ ...identify(who), roles: [] }) } }),
  },
  { name: 'lets everybody in by its policy', made: () => ({ author: { policies: { owners: () => true } } }) },
];
