/**
 * The reference model: what must become of one conversation, told from the entries in the order the store recorded them.
 * Plain data and one loop. No store, no clock, no agent; when an ask was opened, and which messages came before it was shown, is
 * given, because no rule decides it.
 */
import { english } from '../../../src/core/wording/english.js';

/** How an ask is put. */
export interface Plan {
  readonly kind: 'text' | 'vote' | 'form';
  /** How often it is asked again. */
  readonly retries: number;
  /** Whom it may be answered by: the people named, those with a role, or those whom a policy lets. */
  readonly by: 'asker' | 'bob' | 'anyone' | 'clerks' | 'owners';
  /** Not by whoever wanted it. */
  readonly others: boolean;
  /** It has a deadline. */
  readonly soon: boolean;
  /** Its answer is sensitive. */
  readonly secret: boolean;
  /** What follows its decision never runs a second time by itself (`onCrash: 'park'`). */
  readonly careful: boolean;
  /** It is shown once more if nobody answers. */
  readonly reminds: boolean;
  /** It is asked in the other conversation, by `registry.askAndWait` where the turn waits for it. */
  readonly via: boolean;
  /** The turn that asks it waits: beyond its deadline, or only shortly, and then withdraws it or leaves it open. */
  readonly waits: 'no' | 'long' | 'short' | 'keep';
}

/** How long a turn waits for it. `soon` is the time until a deadline. */
export const patienceFor = ({ waits }: Pick<Plan, 'waits'>, soon: number): number =>
  waits === 'long' ? (soon * 7) / 6 : soon / 3;

/** A person as `identify` knows them. Ann has two telephones. */
export interface Person {
  readonly id: string;
  readonly tenant: string;
  readonly roles: readonly string[];
}
const ann: Person = { id: 'ann', tenant: 'north', roles: [] };
export const people = {
  ann,
  ann2: ann,
  bob: { id: 'bob', tenant: 'north', roles: ['clerk'] },
  cat: { id: 'cat', tenant: 'south', roles: ['clerk'] },
  dan: { id: 'dan', tenant: 'north', roles: ['clerk'] },
  eve: { id: 'eve', tenant: 'south', roles: ['clerk'] },
} as const satisfies Record<string, Person>;
export type Who = keyof typeof people;
/** The policy of the registry. */
export const isOwner = ({ id }: Pick<Person, 'id'>): boolean => id !== 'bob';
/** So many must say yes. */
export const quorum = 2;

export interface Event {
  readonly id: string;
  readonly at: number;
  readonly type: 'message' | 'answer' | 'decline' | 'cancel' | 'open' | 'retry';
  readonly who?: Person;
  readonly text: string;
  /** The asks that had not been shown when it was recorded, by their keys. */
  readonly unseen: ReadonlySet<string>;
  /** The asks that ended after it was recorded, by their keys. */
  readonly open: ReadonlySet<string>;
  /** The ask it names, by its key; an ask of another conversation or none is 'elsewhere'. */
  readonly names?: string;
  /** The ask that a message of the other conversation wanted here, and who wrote that message. */
  readonly opens?: {
    readonly key: string;
    readonly plan: Plan;
    readonly asker: Person | undefined;
    /** A program, or a turn, waits for it: `opened` unless its cancel stood in the queue when its turn came. */
    readonly awaited?: 'opened' | 'given up';
  };
  /** The work it tries again, and the sensitive asks that were remembered when it did. */
  readonly retries?: { readonly work: string; readonly traces: ReadonlySet<string> };
}

/** The work that failed for good: an entry by its id, the end of an ask as `askWork`. */
export type Failed = ReadonlyMap<string, Failing>;
export interface Failing {
  /** It had decided an ask. */
  readonly hasDecided: boolean;
  /** The asks that had been shown by then, by their keys: a turn that waits fails before it asks for the rest. */
  readonly shown: ReadonlySet<string>;
}
export const askWork = (key: string): string => `end of ${key}`;

/** What no rule decides, because it depends on how soon the work was done; by the keys of the asks. */
export interface Given {
  readonly askedAt: ReadonlyMap<string, number>;
  readonly decidedAt: ReadonlyMap<string, number>;
  /** The asks that were shown at some time. */
  readonly shown: ReadonlySet<string>;
  /** What a turn was told that waited for an ask in the other conversation. */
  readonly toldOf: ReadonlyMap<string, string>;
  /** When a turn gave up waiting, or failed before it waited again, and the entries that it had handled early by then. */
  readonly gaveUp: ReadonlyMap<
    string,
    { readonly at: number; readonly heard: ReadonlySet<string>; readonly hasFailed: boolean }
  >;
}

export interface ModelAsk extends Plan {
  readonly key: string;
  /** Who goes on with its end: a handler, the turn that waits for it, or nobody that the model knows. */
  follows: 'handler' | 'turn' | 'nobody';
  /** No person has wanted it. */
  readonly byProgram: boolean;
  /** Whoever wanted it is elsewhere: 'asker' stands for whoever writes here. */
  readonly fromElsewhere: boolean;
  /** The turn that left it open was tried again after its end, and told of it. */
  heardOf: boolean;
  /** The cancels of all that its turn had heard before it asked: they leave it alone. */
  readonly after: readonly string[];
  readonly asker: Person | undefined;
  readonly deadline: number;
  status: 'pending' | 'answered' | 'declined' | 'exhausted' | 'expired' | 'cancelled';
  again: number;
  /** How often the question was shown again, for whatever reason. */
  shows: number;
  shown: boolean;
  /** Those who have said yes. */
  readonly votes: string[];
  /** The first field of a form. */
  order?: string;
  decidedBy?: string;
  answer?: string;
  /** Its turn has given up waiting for it. */
  takenBack?: true;
}

/** What somebody is told who replies to it after its end. */
function overWords({ status, shown, takenBack }: ModelAsk): string {
  const { wording } = english;
  if (status === 'cancelled') return shown && !takenBack ? wording.alreadyCancelled() : wording.alreadyWithdrawn();
  if (status === 'declined') return wording.alreadyDeclined();
  if (status === 'exhausted') return wording.alreadyExhausted();
  return status === 'expired' ? wording.late() : wording.already(undefined);
}

export interface Story {
  readonly asks: readonly ModelAsk[];
  /** The history, line by line. */
  readonly lines: readonly string[];
  /** Lines that depend on how soon the work was done, so they may be missing. */
  readonly optional: ReadonlySet<string>;
  /** The asks it wanted in the other conversation. */
  readonly forwards: readonly string[];
  /** What became of each entry. */
  readonly fates: ReadonlyMap<string, string>;
  /** The entries whose words answer a sensitive question, where their fate does not say so. */
  readonly hidden: ReadonlySet<string>;
}

export const isGood = (text: string): boolean => /^\d{5}$/.test(text);
/** A message that wants asks is its id and their plans. */
export const wanting = (id: string, wanted: readonly Plan[]): string => `${id} wants ${JSON.stringify(wanted)}`;
export const plans = (text: string): readonly Plan[] => {
  const found = /^m\d+ wants (.*)$/.exec(text)?.[1];
  return found === undefined ? [] : (JSON.parse(found) as readonly Plan[]);
};
/** An ask's name in model and agent alike: the message that wanted it, and which of that message it is. */
export const keyOf = (text: string, i: number): string => `${text.split(' ')[0]}.${i}`;

const isVote = (text: string): boolean => text === 'yes' || text === 'no';
const hasVoted = ({ votes }: ModelAsk, who: Person | undefined): boolean => who !== undefined && votes.includes(who.id);
const declines = ['cancel', 'never mind', '/stop'];

/** `prompt`: everything was worked on the moment it was recorded, so nothing depends on how soon. */
export function told(
  events: readonly Event[],
  given: Given,
  soon: number,
  prompt: boolean,
  failed: Failed = new Map(),
) {
  const asks: ModelAsk[] = [];
  const lines: string[] = [];
  const optional = new Set<string>();
  const fates = new Map<string, string>();
  const forwards: string[] = [];
  let late: ModelAsk | undefined;
  const ended: ModelAsk[] = [];
  /** What was set aside, by its work: what a retry does. */
  const aside = new Map<string, (retry: Event) => void>();
  const hidden = new Set<string>();
  /** The ask that a turn waits for now. */
  let awaited: ModelAsk | undefined;
  /** What became of entries that a waiting turn handled early: they keep their place in the queue. */
  const early = new Map<string, string>();
  /** The cancels of all that the turn at hand has heard. */
  let cancels: readonly string[] = [];
  let hasWaited = false;

  const open = () => asks.filter((ask) => ask.status === 'pending');
  const endOf = ({ status, secret, answer }: ModelAsk): string =>
    status !== 'answered' ? status : secret ? 'Paid' : `Paid ${answer}`;
  const may = (
    { by, others, asker, byProgram, fromElsewhere }: ModelAsk,
    who: Person | undefined,
    isWritten = true,
  ): boolean => {
    if (who === undefined || (others && who.id === asker?.id)) return false;
    if (by === 'asker') return fromElsewhere ? isWritten : who.id === asker?.id;
    if (!byProgram && who.tenant !== asker?.tenant) return false;
    if (by === 'bob') return who.id === 'bob';
    return by === 'clerks' ? who.roles.includes('clerk') : by === 'anyone' || isOwner(who);
  };
  const say = (text: string) => lines.push(`out ${text}`);
  const fate = (event: Event, what: string): void => {
    fates.set(event.id, what);
    if (awaited === undefined) lines.push(`in ${event.id}: ${what}`);
    else early.set(event.id, what);
  };
  const decide = (ask: ModelAsk, status: ModelAsk['status'], who?: string) => {
    ask.status = status;
    if (who !== undefined) ask.decidedBy = who;
    if (ask.follows !== 'turn') settle(ask);
  };
  /** An ask that a turn waited for is put aside when that turn is over. */
  const settle = (ask: ModelAsk) => {
    if (ask.status === 'expired') late = ask;
    ended.push(ask);
    lines.push(`decision ${ask.key} ${ask.status} by ${ask.decidedBy ?? 'nobody'}`);
  };
  const isRetry = (event: Event): boolean => event.retries !== undefined;
  const workOf = (event: Event): string => event.retries?.work ?? event.id;
  /** It failed for good. Whoever wrote it is told once. */
  const setAside = (event: Event, again: (retry: Event) => void, ask?: ModelAsk) => {
    aside.set(workOf(event), again);
    fate(event, 'failed');
    if (ask?.secret) hidden.add(event.id);
    if (event.type === 'message' && !isRetry(event)) say(english.wording.failed());
  };
  /** What follows the decision, now or when it is tried again. */
  const follow = (event: Event, ask: ModelAsk, what: string, text?: string): void => {
    if (failed.has(event.id)) setAside(event, (retry) => follow(retry, ask, what, text), ask);
    else {
      fate(event, what);
      if (ask.secret) hidden.add(event.id);
      if (text !== undefined) say(text);
    }
  };
  /** The end of an ask that no entry decided: nobody is told of it. */
  const closed = (ask: ModelAsk) => {
    if (failed.has(askWork(ask.key)))
      aside.set(askWork(ask.key), (retry) => follow({ ...retry, type: 'cancel' }, ask, `control ${ask.key}`));
  };
  /** The head is put to the human, unless its time is over, or the cancel of all is about to end it. */
  const present = (now: number, exact: boolean) => {
    const [head] = open();
    if (head === undefined || head.shown || head.deadline <= now) return;
    if (cancels.some((cancel) => !head.after.includes(cancel))) return;
    if (head.deadline < Number.POSITIVE_INFINITY && !exact) {
      if (!given.shown.has(head.key)) return; // its deadline passed before the work was done
      optional.add(`out question ${head.key}#0`);
    }
    head.shown = true;
    say(`question ${head.key}#0`);
  };
  const expire = (now: number) => {
    for (let ask = first(now); ask !== undefined; ask = first(now)) {
      decide(ask, 'expired');
      closed(ask);
      present(ask.deadline, false);
    }
  };
  /** However late anybody looks, asks end in the order of their deadlines. */
  const first = (now: number) =>
    open()
      .filter((ask) => ask.deadline <= now)
      .sort((one, other) => one.deadline - other.deadline)[0];

  const answered = (event: Event, ask: ModelAsk, answer: string) => {
    decide(ask, 'answered', event.who?.id);
    ask.answer = answer;
    follow(event, ask, `accepted ${ask.key}`, ask.follows === 'handler' ? endOf(ask) : undefined);
  };
  const shownAgain = (event: Event, ask: ModelAsk, what: string) => {
    ask.shows += 1;
    ask.shown = true;
    fate(event, what);
    say(`question ${ask.key}#${ask.shows}`);
  };
  const insufficient = (event: Event, ask: ModelAsk) => {
    if (event.type === 'answer') fate(event, `invalid ${ask.key}`);
    else if (ask.again < ask.retries) {
      ask.again += 1;
      shownAgain(event, ask, `insufficient ${ask.key} ${ask.again}`);
    } else {
      decide(ask, 'exhausted', event.who?.id);
      follow(event, ask, `insufficient ${ask.key} ${ask.again}`, english.wording.skipped());
    }
  };
  const vote = (event: Event, ask: ModelAsk) => {
    if (event.text === 'no' || ask.votes.length + 1 === quorum) return answered(event, ask, event.text);
    ask.votes.push(event.who?.id ?? 'nobody');
    fate(event, `voted ${ask.key}`);
    say(english.wording.voted(ask.votes.length, quorum));
  };
  const field = (event: Event, ask: ModelAsk) => {
    if (event.text.startsWith('{')) answered(event, ask, event.text);
    else if (ask.order === undefined && isGood(event.text)) {
      ask.order = event.text;
      ask.again = 0;
      shownAgain(event, ask, `partial ${ask.key}`);
    } else if (ask.order !== undefined && isVote(event.text))
      answered(event, ask, JSON.stringify({ order: ask.order, sure: event.text === 'yes' }));
    else insufficient(event, ask);
  };
  const reply = (event: Event, ask: ModelAsk) => {
    if (declines.includes(event.text) || event.type === 'decline') {
      decide(ask, 'declined', event.who?.id);
      follow(event, ask, `declined ${ask.key}`, ask.follows === 'turn' ? undefined : english.wording.declined());
    } else if (failed.get(event.id)?.hasDecided === false)
      setAside(event, (retry) => read({ ...event, ...again(retry), ...(ask.secret ? { names: ask.key } : {}) }), ask);
    else if (ask.kind === 'form') field(event, ask);
    else if (ask.kind === 'vote' && isVote(event.text)) vote(event, ask);
    else if (ask.kind === 'text' && isGood(event.text)) answered(event, ask, event.text);
    else insufficient(event, ask);
  };

  const named = (event: Event, ask: ModelAsk | undefined) => {
    const tell = (what: string, text: string) => {
      fate(event, what);
      if (event.type === 'message') say(text);
    };
    if (ask === undefined) tell('ignored unknown ask', english.wording.unknownAsk());
    else if (event.type !== 'cancel' && !may(ask, event.who, event.type === 'message'))
      tell(`not-authorised ${ask.key}`, ask.status === 'pending' ? english.wording.refused() : overWords(ask));
    else if (ask.status === 'expired') tell(`late ${ask.key}`, overWords(ask));
    else if (ask.status !== 'pending') tell(`already ${ask.key}`, overWords(ask));
    else if (event.type !== 'cancel' && hasVoted(ask, event.who))
      tell(`already ${ask.key}`, english.wording.votedAlready());
    else if (event.type === 'cancel') {
      decide(ask, 'cancelled');
      follow(event, ask, `control ${ask.key}`);
    } else reply(event, ask);
  };

  const opened = (key: string, plan: Plan, asker: Person | undefined, at: number): ModelAsk => {
    const deadline = plan.soon ? (given.askedAt.get(key) ?? at) + soon : Number.POSITIVE_INFINITY;
    const fresh = { status: 'pending', follows: 'handler', again: 0, shows: 0, shown: false, votes: [] } as const;
    const by = { asker, byProgram: false, fromElsewhere: false };
    return { ...plan, ...fresh, ...by, key, deadline, heardOf: false, after: cancels, votes: [] };
  };
  /** It was written while the sensitive question was there to be answered. A policy might have allowed it. */
  const isMeantFor = (event: Event, ask: ModelAsk): boolean => {
    if (!ask.secret || !ask.shown || event.unseen.has(ask.key) || !event.open.has(ask.key)) return false;
    if (event.retries !== undefined && !event.retries.traces.has(ask.key)) return false; // too long ago
    // what came after the answer is not one, however long the turn went on
    if (ask.follows === 'turn' && event.at > (given.decidedAt.get(ask.key) ?? 0)) return false;
    return may(ask.by === 'owners' ? { ...ask, by: 'anyone' } : ask, event.who);
  };
  const over = (event: Event, ask: ModelAsk): void => {
    const isLate = ask.status === 'expired';
    fate(event, `${isLate ? 'late' : 'already'} ${ask.key}`);
    say(overWords(ask));
  };
  /** `talk`: people who may vote talk to each other. `again`: it failed as an ordinary message, and stays one. */
  const ordinary = (event: Event, as: 'message' | 'talk' | 'again') => {
    const secret = as === 'message' ? ended.find((ask) => isMeantFor(event, ask)) : undefined;
    if (secret !== undefined) {
      if (secret === late && secret.status === 'expired') late = undefined;
      return over(event, secret);
    }
    const isLate = as !== 'talk' && late !== undefined && !event.unseen.has(late.key) && may(late, event.who);
    const missed = isLate && !(as === 'again' && late?.secret) ? late : undefined;
    const wanted = plans(event.text);
    const waits = !missed?.secret && wanted.some((plan) => plan.waits !== 'no');
    if (failed.has(event.id) && !waits) return tryAgainLater(event);
    if (missed !== undefined && !failed.has(event.id)) late = undefined;
    if (missed?.secret) return over(event, missed);
    if (waits) return turn(event, wanted);
    fate(event, 'ordinary');
    for (const [i, plan] of wanted.entries()) wants(event, keyOf(event.text, i), plan);
    if (wanted.length === 0) say(missed === undefined ? 'hello' : `too late for ${missed.key}`);
  };
  const wants = (event: Event, key: string, plan: Plan) => {
    if (plan.via) forwards.push(key);
    else asks.push(opened(key, plan, event.who, event.at));
  };

  const tryAgainLater = (event: Event) => setAside(event, (retry) => ordinary({ ...event, ...again(retry) }, 'again'));
  /**
   * A turn that waits keeps the conversation. What it asks and does not wait for is asked at its end. One that fails is told the
   * same again when it is tried again, of all that it had asked: nothing is asked twice.
   */
  const turn = (event: Event, wanted: readonly Plan[]) => {
    hasWaited = true;
    const fails = failed.get(event.id);
    const mine: ModelAsk[] = [];
    const got: (() => string)[] = [];
    const later: ModelAsk[] = [];
    for (const [i, plan] of wanted.entries()) {
      const key = keyOf(event.text, i);
      const known = asks.find((ask) => ask.key === key);
      if (plan.waits === 'no') later.push(opened(key, plan, event.who, event.at));
      else if (plan.via) got.push(() => given.toldOf.get(key) ?? 'nothing');
      else if (known === undefined && fails?.shown.has(key) === false) break;
      else {
        const ask = known ?? waitFor(event, opened(key, plan, event.who, event.at));
        if (known !== undefined && ask.status !== 'pending') ask.heardOf = true;
        mine.push(ask);
        got.push(() => (ask.status === 'pending' ? 'waiting' : endOf(ask)));
      }
    }
    for (const ask of mine) if (ask.status !== 'pending' && !ended.includes(ask)) settle(ask);
    if (fails !== undefined) return tryAgainLater(event);
    fate(event, 'ordinary');
    say(`Got ${got.map((words) => words()).join(', ')}`);
    for (const ask of later) {
      if (ask.via) forwards.push(ask.key);
      else asks.push(ask);
    }
  };
  /** Shown at once, before all others. Whatever concerns it is handled early; the rest of the queue waits. */
  const waitFor = (event: Event, ask: ModelAsk): ModelAsk => {
    asks.unshift(ask);
    ask.follows = 'turn';
    ask.shown = true;
    say(`question ${ask.key}#0`);
    awaited = ask;
    const gaveUp = given.gaveUp.get(ask.key);
    for (const next of events.slice(events.findIndex(({ id }) => id === event.id) + 1)) {
      if (ask.status !== 'pending' || next.at >= ask.deadline) break;
      const isHeard = gaveUp === undefined || gaveUp.heard.has(next.id) || (prompt && next.at < gaveUp.at);
      if (isHeard && !early.has(next.id) && concerns(next, ask)) handleEarly(next, ask);
    }
    if (ask.status === 'pending') {
      if (gaveUp === undefined && ask.soon) decide(ask, 'expired');
      else if (ask.waits !== 'keep' || gaveUp?.hasFailed) {
        ask.takenBack = true;
        decide(ask, 'cancelled');
      } else ask.follows = 'nobody';
    }
    awaited = undefined;
    return ask;
  };
  const concerns = (event: Event, ask: ModelAsk): boolean => {
    if (event.names !== undefined) return event.names === ask.key;
    return event.type === 'cancel' || (event.type === 'message' && isReplyTo(event, ask));
  };
  const handleEarly = (event: Event, ask: ModelAsk) => {
    if (event.names !== undefined) named(event, ask);
    else if (event.type === 'cancel') {
      cancels = [...cancels, event.id];
      decide(ask, 'cancelled'); // the others, when it is at the front
      fate(event, 'control');
    } else reply(event, ask);
  };
  /** A message that names no ask and may be read as a reply to this one. */
  const isFor = (event: Event, ask: ModelAsk): boolean =>
    !event.unseen.has(ask.key) && may(ask, event.who) && !hasVoted(ask, event.who) && event.text !== '/help';
  /** It is one, unless people who may vote talk to each other. */
  const isReplyTo = (event: Event, ask: ModelAsk): boolean =>
    isFor(event, ask) && (ask.kind !== 'vote' || isVote(event.text) || declines.includes(event.text));

  /** It was handled early, and now it is at the front: only a cancel of all has something left to do. */
  const leave = (event: Event, what: string) => {
    if (event.type === 'cancel' && event.names === undefined) {
      cancels = [event.id];
      for (const ask of open()) {
        if (ask.after.includes(event.id)) continue;
        decide(ask, 'cancelled');
        closed(ask);
        present(event.at, false);
      }
    }
    lines.push(`in ${event.id}: ${what}`);
  };
  /** What is the retry's own when it tries an earlier entry again. */
  const again = ({ id, retries }: Event) => ({ id, ...(retries === undefined ? {} : { retries }) });
  const read = (event: Event): void => {
    const [head] = open();
    if (event.opens?.awaited === 'given up') fate(event, 'ignored cancelled before it was asked');
    else if (event.opens !== undefined) {
      const { key, plan, asker, awaited: isAwaited } = event.opens;
      const ask = { ...opened(key, plan, asker, event.at), fromElsewhere: true };
      asks.push(isAwaited === undefined ? ask : { ...ask, byProgram: asker === undefined, follows: 'nobody' });
      fate(event, `control ${key}`);
    } else if (event.names !== undefined)
      named(
        event,
        asks.find((ask) => ask.key === event.names),
      );
    else if (event.type === 'cancel') {
      for (const ask of open()) {
        decide(ask, 'cancelled'); // none of them is put to the human on the way
        closed(ask);
      }
      fate(event, 'control');
    } else if (head !== undefined && isReplyTo(event, head)) reply(event, head);
    else ordinary(event, head !== undefined && isFor(event, head) ? 'talk' : 'message');
  };
  const retry = (event: Event, work: string): void => {
    const tries = aside.get(work);
    aside.delete(work);
    if (tries === undefined) fate(event, 'ignored no longer parked');
    else tries(event);
  };

  for (const event of events) {
    cancels = [];
    expire(event.at);
    const done = early.get(event.id);
    if (done !== undefined) leave(event, done);
    else if (event.retries === undefined) read(event);
    else retry(event, event.retries.work);
    present(event.at, prompt && !hasWaited);
  }
  cancels = [];
  expire(Number.MAX_SAFE_INTEGER); // every deadline has passed when the story is compared
  return { asks, lines, optional, forwards, fates, hidden } satisfies Story;
}
