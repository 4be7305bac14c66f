/**
 * The checker: pure functions from the evidence of a run to complaints. No complaint, no fault found.
 */
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import type { Call } from '../../support/replica/world.js';
import type { DecisionSeen, Event, Evidence, Expected, FinalAsk, FinalConversation } from './evidence.js';

export type Rule = (evidence: Evidence, expected: Expected) => string[];
type Of<W extends Event['what']> = Extract<Event, { what: W }>;
type In = Extract<HistoryItem, { type: 'in' }>;

const ofType = <W extends Event['what']>({ events }: Evidence, what: W): Of<W>[] =>
  events.filter((event): event is Of<W> => event.what === what);

const entryOf = (messageId: string) => `m:phone:${messageId}`;

function grouped<T>(list: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

const entriesOf = ({ items }: FinalConversation) =>
  items.filter((item) => item.type === 'in' || item.type === 'note') as Exclude<
    HistoryItem,
    { type: 'out' | 'decision' }
  >[];
const repliesIn = ({ items }: FinalConversation) => items.filter((item): item is In => item.type === 'in');
const byId = ({ conversations }: Evidence) => new Map(conversations.map((each) => [each.id, each]));
/** Every decision that was written or found written, in the order of the history. */
const decisionsSeen = ({ events }: Evidence): DecisionSeen[] => events.flatMap(decisionsOf);
function decisionsOf(event: Event): readonly DecisionSeen[] {
  if (event.what === 'take') return event.claim?.decisions ?? [];
  return event.what === 'save' ? [...(event.decisions ?? []), ...(event.next?.decisions ?? [])] : [];
}
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Every message that was acknowledged, and every entry that was recorded, has exactly one disposition. */
const accountedFor: Rule = (evidence, { lost }) => {
  const conversations = byId(evidence);
  const wanted = new Map<string, { conversationId: string; entryId: string; why: string }>();
  const want = (conversationId: string, entryId: string, why: string) =>
    wanted.set(`${conversationId} ${entryId}`, { conversationId, entryId, why });
  for (const { conversationId, entryId, entry } of ofType(evidence, 'take'))
    if (entry === 'recorded' && entryId !== undefined) want(conversationId, entryId, 'recorded');
  for (const { conversationId, id } of ofType(evidence, 'acknowledged'))
    want(conversationId, entryOf(id), 'acknowledged');
  return [...wanted.values()].flatMap(({ conversationId, entryId, why }) => {
    const conversation = conversations.get(conversationId);
    const found = (conversation === undefined ? [] : entriesOf(conversation)).filter((item) => item.entry === entryId);
    if (found.length === 1 || (found.length === 0 && lost?.(conversationId))) return [];
    return [`${conversationId}: ${entryId} was ${why} and has ${found.length} dispositions`];
  });
};

/** What was announced is what is kept, and it was announced once. */
const announcedOnce: Rule = (evidence, { lost }) => {
  const conversations = byId(evidence);
  const handled = ofType(evidence, 'event').filter((event) => event.event === 'handled');
  return [...grouped(handled, (event) => `${event.conversationId} ${event.entryId}`).values()].flatMap((group) => {
    const [{ conversationId = '', entryId, disposition }] = group as [Of<'event'>];
    if (lost?.(conversationId)) return [];
    if (group.length > 1) return [`${conversationId}: ${entryId} was announced as handled ${group.length} times`];
    const conversation = conversations.get(conversationId);
    const kept = conversation && entriesOf(conversation).find((item) => item.entry === entryId);
    if (kept === undefined || same(kept.disposition, disposition)) return [];
    return [
      `${conversationId}: ${entryId} was announced as ${disposition?.type} and is kept as ${kept.disposition.type}`,
    ];
  });
};

/** An ask has at most one decision, and it never changes. */
const oneDecision: Rule = (evidence, { lost }) => {
  const written = grouped(decisionsSeen(evidence), (each) => each.askId);
  return evidence.conversations.flatMap(({ id, items, asks }) => {
    const decided = items.filter((item) => item.type === 'decision');
    return asks.flatMap((ask) => {
      const complaints: string[] = [];
      const kept = decided.filter((item) => item.askId === ask.id);
      const wanted = ask.status === 'pending' ? 0 : 1;
      if (kept.length !== wanted)
        complaints.push(`${id}: ask ${ask.id} is ${ask.status} with ${kept.length} decisions`);
      const seen = lost?.(id) ? [] : (written.get(ask.id) ?? []);
      const final = seen.at(-1);
      if (seen.some((each) => !same(each, seen[0]))) complaints.push(`${id}: the decision of ask ${ask.id} changed`);
      if (final !== undefined && (final.status !== ask.status || final.answer !== ask.answer))
        complaints.push(`${id}: ask ${ask.id} was decided as ${final.status} and is ${ask.status}`);
      return complaints;
    });
  });
};

function askOf(conversations: ReadonlyMap<string, FinalConversation>, call: Call): FinalAsk | undefined {
  return conversations.get(call.conversationId)?.asks.find((ask) => ask.effectKey === call.key);
}

/** Money moves once for an answer, after it was decided, and not without one. */
const effects: Rule = (evidence, { lost }) => {
  const conversations = byId(evidence);
  const complaints: string[] = [];
  const payments = evidence.calls.filter((call) => call.what === 'pay');
  for (const [key, calls] of grouped(payments, (call) => call.key ?? '')) {
    const [{ conversationId }] = calls as [Call];
    const moved = calls.filter((call) => !call.repeat).length;
    const honours = calls.every((call) => call.honours !== false);
    if (honours && moved > 1) complaints.push(`${conversationId}: ${moved} payments under ${key}`);
    const parks = conversationId.split('-').includes('park'); // whatever the ledger thinks of keys
    if (parks && calls.length > 1)
      complaints.push(`${conversationId}: ${calls.length} calls under ${key}, which must not repeat`);
    if (!lost?.(conversationId) && askOf(conversations, calls[0] as Call)?.status !== 'answered')
      complaints.push(`${conversationId}: a payment under ${key}, which is no answered ask`);
  }
  const decided = new Set<string>();
  for (const event of evidence.events) {
    for (const each of decisionsOf(event)) if (each.status === 'answered') decided.add(each.askId);
    if (event.what !== 'paying' || lost?.(event.conversationId)) continue;
    const ask = conversations.get(event.conversationId)?.asks.find((each) => each.effectKey === event.key);
    if (!decided.has(ask?.id ?? ''))
      complaints.push(`${event.conversationId}: paid under ${event.key} before it was decided`);
  }
  const paid = new Set(payments.map((call) => call.key));
  for (const { id, asks, parked } of evidence.conversations)
    for (const ask of asks)
      if (ask.status === 'answered' && !paid.has(ask.effectKey) && !parked.some((each) => each.askId === ask.id))
        complaints.push(`${id}: ask ${ask.id} is answered and nothing was paid`);
  return complaints;
};

function mayDecide(
  answerableBy: DecisionSeen['answerableBy'],
  asker: string | undefined,
  by: DecisionSeen['decision']['by'],
): boolean {
  if (answerableBy === 'anyone') return true;
  if (answerableBy === 'asker') return by?.id === asker;
  if ('roles' in answerableBy) return by?.roles?.some((role) => answerableBy.roles.includes(role)) ?? false;
  return answerableBy.includes(by?.id ?? '');
}

/** Yes is decided by as many different people as must say so, and each has one vote. */
const votes: Rule = ({ conversations }) =>
  conversations.flatMap(({ id, asks }) =>
    asks.flatMap(({ id: askId, quorum, votes: given = [], value }) => {
      const people = new Set(given.map(({ by }) => by.id));
      if (people.size < given.length) return [`${id}: somebody has voted twice for ask ${askId}`];
      if (quorum === undefined || value !== true || given.length === quorum) return [];
      return [`${id}: ask ${askId} was decided by ${given.length} votes, and ${quorum} were needed`];
    }),
  );

/** Only somebody who may decides, and only in time. */
const allowed: Rule = (evidence) => {
  const conversations = evidence.conversations.flatMap((conversation) =>
    conversation.asks.map((ask) => [ask.id, { conversation, ask }] as const),
  );
  const places = new Map(conversations);
  const complaints: string[] = [];
  for (const { askId, status, asker, answerableBy, decision } of decisionsSeen(evidence)) {
    if (status !== 'answered') continue;
    const who = decision.by?.id;
    if (!mayDecide(answerableBy, asker, decision.by))
      complaints.push(`ask ${askId} was answered by ${who}, who may not`);
    const { conversation, ask } = places.get(askId) ?? {};
    const reply = conversation && entriesOf(conversation).find((item) => item.entry === decision.entry);
    if (ask?.expiresAt !== undefined && reply !== undefined && reply.at >= Date.parse(ask.expiresAt))
      complaints.push(`ask ${askId} was answered by a reply that came after its end`);
  }
  for (const conversation of evidence.conversations)
    for (const item of repliesIn(conversation)) {
      const { disposition } = item;
      const late = disposition.type === 'late' && conversation.asks.find((ask) => ask.id === disposition.askId);
      if (late && item.at < Date.parse(late.expiresAt ?? ''))
        complaints.push(`${conversation.id}: ${item.entry} came in time and was told that it was late`);
    }
  return [...new Set(complaints)];
};

/** What was acknowledged before the next was sent is handled before it. */
const order: Rule = (evidence, { lost }) => {
  const complaints: string[] = [];
  const talk = grouped(
    evidence.events.filter(
      (event): event is Of<'sending' | 'acknowledged'> => event.what === 'sending' || event.what === 'acknowledged',
    ),
    (event) => event.conversationId,
  );
  for (const conversation of evidence.conversations) {
    const items = repliesIn(conversation);
    if (items.some((item, i) => item.at < (items[i - 1]?.at ?? 0)))
      complaints.push(`${conversation.id}: the times go back`);
    if (lost?.(conversation.id)) continue;
    const place = new Map(items.map((item, i) => [item.entry, i]));
    const before = new Map<string, number>(); // the last place that a message must not come before
    let highest = -1;
    for (const { what, id } of talk.get(conversation.id) ?? []) {
      const at = place.get(entryOf(id));
      if (what === 'sending' && !before.has(id)) before.set(id, highest);
      if (what === 'acknowledged' && at !== undefined) highest = Math.max(highest, at);
    }
    for (const [id, least] of before) {
      const at = place.get(entryOf(id));
      if (at !== undefined && at < least)
        complaints.push(`${conversation.id}: message ${id} was handled out of its order`);
    }
  }
  return complaints;
};

/** What one process was handed over without waiting in between is handled in the order of handing over. */
const together: Rule = (evidence, { lost }) => {
  const conversations = byId(evidence);
  return ofType(evidence, 'together').flatMap(({ conversationId, ids }) => {
    const conversation = conversations.get(conversationId);
    if (conversation === undefined || lost?.(conversationId)) return [];
    const entries = repliesIn(conversation).map(({ entry }) => entry);
    const places = ids.map((id) => entries.indexOf(entryOf(id)));
    if (places.every((place, i) => i === 0 || place > (places[i - 1] as number))) return [];
    return [`${conversationId}: ${ids.join(', ')} were handed over in this order and handled in the order ${places}`];
  });
};

/** Each insufficient reply is counted once, and no more often than is allowed. */
const retries: Rule = ({ conversations }) =>
  conversations.flatMap((conversation) =>
    conversation.asks.flatMap((ask) => {
      const counted = repliesIn(conversation).flatMap(({ disposition }) =>
        disposition.type === 'insufficient' && disposition.askId === ask.id ? [disposition.retries] : [],
      );
      const wanted = counted.map((_, i) => Math.min(i + 1, ask.maxRetries));
      if (ask.retries === Math.min(counted.length, ask.maxRetries) && same(counted, wanted)) return [];
      return [
        `${conversation.id}: ask ${ask.id} counts ${ask.retries} retries after insufficient replies ${counted.join()}`,
      ];
    }),
  );

/** A question that was put to a person was sent, and nothing was sent without an ask. */
const sends: Rule = (evidence, { lost }) => {
  const delivered = evidence.calls.filter((call) => call.what === 'deliver' && call.askId !== undefined);
  const sent = new Set(delivered.map((call) => call.askId));
  const known = new Set(evidence.conversations.flatMap(({ asks }) => asks.map((ask) => ask.id)));
  const unasked = delivered.filter((call) => !known.has(call.askId as string) && !lost?.(call.conversationId));
  return [
    ...unasked.map((call) => `${call.conversationId}: question ${call.key} was sent and is no ask`),
    ...evidence.conversations.flatMap(({ id, asks }) => {
      const head = asks.find((ask) => ask.status === 'pending');
      // a question that was withdrawn before it went out may not have been sent
      const shown = asks.filter((ask) => ask === head || ask.status === 'answered' || ask.status === 'exhausted');
      return shown
        .filter((ask) => !sent.has(ask.id))
        .map((ask) => `${id}: ask ${ask.id} (${ask.status}) was never sent`);
    }),
  ];
};

/** After healing nothing is left leased, running, waiting or unsent. */
const nothingLeft: Rule = ({ conversations, unsent }) => [
  ...conversations.flatMap(({ id, held, begun, queue }) => {
    const left = [held && 'leased', begun && 'running', queue > 0 && `waiting with ${queue} entries`].filter(Boolean);
    return left.length === 0 ? [] : [`${id} is still ${left.join(', ')}`];
  }),
  ...(unsent === 0 ? [] : [`${unsent} outputs are still unsent`]),
];

/** A revision is written once, by somebody who held the conversation, and nobody writes after another has. */
const noOldHolder: Rule = (evidence, { lost }) => {
  const lives = new Map<string, string>();
  for (const { claim } of ofType(evidence, 'take')) if (claim) lives.set(claim.token, claim.incarnation);
  const saves = ofType(evidence, 'save').filter((save) => save.saved && !lost?.(save.conversationId));
  const complaints = saves.filter((save) => !lives.has(save.token)).map((save) => `${save.call} was never claimed`);
  for (const [where, group] of grouped(saves, (save) => `${save.conversationId} ${lives.get(save.token)}`)) {
    for (const [revision, by] of grouped(group, (save) => String(save.revision)))
      if (new Set(by.map((save) => save.call)).size > 1)
        complaints.push(`${where}: revision ${revision} was written by ${by.length} saves`);
    const tokens = [...group].sort((a, b) => a.revision - b.revision).map((save) => save.token);
    const turns = tokens.filter((token, i) => token !== tokens[i - 1]);
    if (new Set(turns).size < turns.length) complaints.push(`${where}: an old holder has written after another`);
  }
  return complaints;
};

const enough: Rule = ({ conversations }, { accepted }) => {
  const found = conversations.flatMap(repliesIn).filter(({ disposition }) => disposition.type === 'accepted').length;
  return found >= accepted ? [] : [`only ${found} answers were accepted, expected at least ${accepted}`];
};

const noCrash: Rule = (evidence) => ofType(evidence, 'crash').map(({ by, error }) => `${by} crashed: ${error}`);

export const rules = {
  ...{ accountedFor, announcedOnce, oneDecision, effects, allowed, order, together, retries, sends, nothingLeft },
  ...{ noOldHolder, votes, enough, noCrash },
};

export function complaints(evidence: Evidence, expected: Expected): string[] {
  return Object.entries(rules).flatMap(([name, rule]) => rule(evidence, expected).map((text) => `${name}: ${text}`));
}
