/**
 * Compares what a history left behind with what the reference model says. Returns complaints; none is a pass.
 */
import type { Disposition, Entry } from '../../../src/core/conversation/entry.js';
import { askOpenedBy, authorOf } from '../../../src/core/conversation/entry.js';
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import { forwardChannel } from '../../../src/core/conversation/outgoing.js';
import { replyText } from '../../../src/core/conversation/reply-text.js';
import { readOutcome } from '../../../src/core/format/document.js';
import { english } from '../../../src/core/wording/english.js';
import type { AgentRegistry } from '../../../src/index.js';
import type { Recorded, SetAside } from './faults.js';
import type { Event, Failed, Given, ModelAsk, Plan, Story, Who } from './reference.js';
import { askWork, patienceFor, people, told } from './reference.js';
import type { Stage } from './stage.js';
import { conversations } from './stage.js';

const bare = (id: string | undefined): string | undefined => id?.replace(/^(m:)?phone:/, '');

const isReminder = (item: HistoryItem): item is Extract<HistoryItem, { type: 'out' }> =>
  item.type === 'out' && item.text.startsWith(english.wording.reminder(''));

export async function complaints(
  stage: Stage,
  calm: boolean,
  seen = new Map<string, number>(),
): Promise<readonly string[]> {
  const registry = await stage.registry();
  const found: string[] = [...stage.outside.wrong];
  for (const [key, ids] of stage.outside.ids) if (ids.size > 1) found.push(`${key} was opened under ${ids.size} ids`);
  const stories = new Map<string, Story>();
  const fates = new Map<string, string>();
  const effects = new Map<string, string>();
  const forwards: string[] = [];
  const known = new Set<string>();
  for (const conversationId of conversations) {
    const scene = new Scene(stage, registry, conversationId, calm);
    const story = await scene.compare();
    stories.set(conversationId, story);
    forwards.push(...story.forwards);
    found.push(...scene.found.map((each) => `${conversationId}: ${each}`));
    for (const [id, fate] of story.fates) fates.set(id, fate);
    for (const what of [...story.fates.values(), ...story.asks.map((ask) => `ask ${ask.status}`)]) {
      const kind = what.startsWith('ask ') ? what : (what.split(' ')[0] as string);
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    for (const ask of story.asks) known.add(ask.key);
    for (const ask of story.asks)
      if (ask.status !== 'pending' && (ask.follows !== 'nobody' || ask.heardOf || isHeardElsewhere(stage, ask))) {
        effects.set(stage.outside.idOf(ask.key), ask.status === 'answered' ? `Paid ${ask.answer}` : ask.status);
      }
  }
  found.push(
    ...callersTold(stage, stories),
    ...(await calledOff(stage, registry)),
    ...turnsTold(stage, stories),
    ...setAside(stage, calm),
    ...startedTwice(stage),
    ...acknowledged(stage, fates),
    ...(await answered(stage, fates, registry)),
  );
  const erased = [...stage.outside.ids.keys()].filter((key) => !known.has(key) && stage.wasErased(key));
  for (const key of erased)
    if ((await registry.getAsk(stage.outside.idOf(key))) !== null) found.push(`${key} was erased and is still there`);
  for (const key of erased) {
    const id = stage.outside.idOf(key);
    if (stage.outside.decisions.has(id) && !stage.outside.effects.has(id))
      found.push(`${key} was decided, and erased before its effect`);
  }
  for (const id of stage.outside.erased)
    if (!stage.wasErased(stage.outside.keyOf(id) ?? '')) found.push(`${id} was said to be erased, and it was not`);
  for (const key of forwards)
    if (!known.has(key) && !erased.includes(key)) found.push(`${key} was never asked in the other conversation`);
  for (const [id, { what, calls }] of stage.outside.effects) {
    const name = stage.outside.keyOf(id) ?? id;
    if (erased.includes(name)) continue;
    if (effects.get(id) !== what) found.push(`effect of ${name}: "${what}", the model says "${effects.get(id)}"`);
    if (calm && calls !== 1) found.push(`effect of ${name} was asked for ${calls} times, and nothing had gone wrong`);
    effects.delete(id);
  }
  for (const [id, what] of effects) found.push(`no effect of ${stage.outside.keyOf(id)}: the model says "${what}"`);
  const parked = (await registry.parked()).items;
  if (parked.length > 0) found.push(`parked: ${JSON.stringify(parked)}`);
  const due = await stage.store.due(10);
  if (due.conversations.length > 0) found.push(`still due: ${due.conversations.join()}`);
  const unsent = await stage.store.unsent({ channels: ['phone', forwardChannel], limit: 10, sendLease: 1 });
  if (unsent.length > 0) found.push(`never sent: ${unsent.map((each) => each.key).join()}`);
  await stage.ground.look();
  if (stage.ground.outlast !== undefined) {
    stage.ground.outlast();
    found.push(...(await outlasted(stage, stories)));
  }
  return found;
}

/** After the retention nothing is left of what was finished, and everything of what still waits for a person. */
async function outlasted(stage: Stage, stories: ReadonlyMap<string, Story>): Promise<string[]> {
  const registry = await stage.registry();
  const found: string[] = [];
  for (const [id, { asks }] of stories) {
    for (const { key, status } of asks) {
      const now = (await registry.getAsk(stage.outside.idOf(key)))?.status ?? 'forgotten';
      const expected = status === 'pending' ? 'pending' : 'forgotten';
      if (now !== expected) found.push(`after the retention ${key} is ${now}, the model says ${expected}`);
    }
    const isOpen = asks.some(({ status }) => status === 'pending');
    const { items } = await registry.history(id, { limit: 1_000 });
    const known = await Promise.all(Object.keys(people).map((who) => stage.store.conversationsOf(`phone:${who}`)));
    const isLeft =
      items.length > 0 || known.some((ids) => ids.includes(id)) || (await stage.store.conversation(id)) !== null;
    if (isLeft !== isOpen) found.push(`after the retention ${id} is ${isLeft ? 'still there' : 'gone'}`);
  }
  return found;
}

/** The name the model has for a piece of work. */
function workOf({ outside }: Stage, workId: string): string {
  const ended = /^(?:expiry|cancel:cancel:[^:]+):(.+)$/.exec(workId)?.[1];
  return ended === undefined ? (bare(workId) ?? workId) : askWork(outside.keyOf(ended) ?? ended);
}

/** Only what failed is set aside, with what it had decided, and nothing quotes a sensitive answer. */
function setAside({ setAside: all, outside }: Stage, calm: boolean): string[] {
  return all.flatMap(({ workId, parked: { ask, awaited = [], queued, failure } }) => {
    const text = replyText(queued.entry) ?? '';
    const name = ask?.id ?? text;
    const isCareful = ask?.own.onCrash === 'park' && (outside.delays.has(name) || !calm);
    const isQuoted =
      (ask?.question.sensitive === true && failure.message.includes(JSON.stringify(text))) ||
      (awaited.some(({ question }) => question.sensitive) && failure.message.includes('"'));
    return [
      ...(outside.failures.has(name) || isCareful ? [] : [`${workId} was set aside, and had not failed like that`]),
      ...(isQuoted ? [`the failure of ${workId} quotes a sensitive answer`] : []),
    ];
  });
}

/** What follows a careful decision runs again only if somebody tries it again. */
function startedTwice({ setAside: all, outside, log }: Stage): string[] {
  return [...outside.started].flatMap(([id, times]) => {
    const key = outside.keyOf(id) ?? id;
    const parked = new Set(all.filter((each) => each.parked.ask?.id === id).map((each) => each.parked.id));
    const retries = log.filter(({ entry }) => entry.type === 'retry' && parked.has(entry.parkedId)).length;
    const isTwice = outside.plans.get(key)?.careful === true && times > 1 + retries;
    return isTwice ? [`what follows ${key} was started ${times} times, and tried again ${retries} times`] : [];
  });
}

/** Whoever was told "received" has a message that was recorded once and has one disposition. */
function acknowledged(stage: Stage, fates: ReadonlyMap<string, string>): string[] {
  const recorded = stage.log.filter((each) => stage.isOfNow(each)).map((each) => bare(each.id) ?? '');
  const before = new Set(stage.log.filter((each) => !stage.isOfNow(each)).map((each) => bare(each.id)));
  const twice = recorded.filter((id, i) => recorded.indexOf(id) !== i).map((id) => `${id} was recorded twice`);
  const first = stage.acks.filter((ack) => ack.told === 'recorded').map((ack) => ack.id);
  return [
    ...twice,
    ...first.filter((id, i) => first.indexOf(id) !== i).map((id) => `${id} was new to the store twice`),
    ...stage.acks
      .filter(({ id, told }) => ['recorded', 'repeat'].includes(told) && !fates.has(id) && !before.has(id))
      .map(({ id, told }) => `${id} was acknowledged (${told}) and never recorded`),
  ];
}

/** What a program that waited was told is how its ask has ended; nobody waits for ever. */
function callersTold(stage: Stage, stories: ReadonlyMap<string, Story>): string[] {
  const asks = [...stories.values()].flatMap((story) => story.asks);
  return stage.callers.flatMap(({ key, keeps, process, told: said }) => {
    if (said === undefined) return process.dead ? [] : [`a program waits for ${key} for ever`];
    if (said === 'stopped' && process.stopped) return [];
    if (said === 'store-unavailable' && process.cutOff) return [];
    if (stage.wasErased(key) || said === 'called off') return [];
    const ask = asks.find((each) => each.key === key);
    const end = ask?.status === 'answered' ? `Paid ${ask.answer}` : ask?.status;
    const mayBeGivenUp = ask === undefined || isWithdrawn(stage, key);
    const expected = [...tellable(stage, key, end, keeps), ...(mayBeGivenUp ? ['not-opened'] : [])];
    return expected.includes(said)
      ? []
      : [`a program was told "${said}" of ${key}, the model says ${expected.join(' or ')}`];
  });
}

/** What a program called off was withdrawn, unless it was over by then. */
async function calledOff(stage: Stage, registry: AgentRegistry): Promise<string[]> {
  const found: string[] = [];
  for (const { key, keeps, process, calledOffAt = 0, told: said } of stage.callers) {
    if (said !== 'called off' || keeps || process.cutOff || !stage.ground.prompt) continue;
    if (stage.wasErased(key) || isWithdrawn(stage, key)) continue;
    const ask = await registry.getAsk(stage.outside.idOf(key));
    if ((ask?.decidedAt?.getTime() ?? Infinity) > calledOffAt) found.push(`${key} was called off and not withdrawn`);
  }
  return found;
}

/** Its cancel was recorded. */
function isWithdrawn({ log, outside }: Stage, key: string): boolean {
  return log.some(({ entry }) => entry.type === 'cancel' && entry.askId === outside.idOf(key));
}

/** What whoever waited for an ask of another conversation may be told: its end, or that they gave up before it. */
function tellable(stage: Stage, key: string, end: string | undefined, keeps: boolean): readonly string[] {
  const isBehind = isWithdrawn(stage, key);
  const gaveUp = isBehind && end === 'expired' ? ['cancelled', 'waiting'] : ['waiting'];
  return [end ?? 'cancelled', ...(keeps || isBehind ? gaveUp : [])];
}

/** A turn of the other conversation was told its end, and went on with it. */
function isHeardElsewhere({ outside }: Stage, { key, via, waits, status }: ModelAsk): boolean {
  return via && waits !== 'no' && status !== 'cancelled' && outside.effects.has(outside.idOf(key));
}

/** What a turn was told of an ask of the other conversation is how that has ended. */
function turnsTold(stage: Stage, stories: ReadonlyMap<string, Story>): string[] {
  const asks = [...stories.values()].flatMap((story) => story.asks);
  return [...stage.outside.toldOf].flatMap(([key, said]) => {
    if (stage.wasErased(key)) return [];
    const ask = asks.find((each) => each.key === key);
    const answer = ask?.secret ? 'Paid' : `Paid ${ask?.answer}`;
    const keeps = stage.outside.plans.get(key)?.waits === 'keep';
    const expected = tellable(stage, key, ask?.status === 'answered' ? answer : ask?.status, keeps);
    return expected.includes(said)
      ? []
      : [`a turn was told "${said}" of ${key} elsewhere, the model says ${expected.join(' or ')}`];
  });
}

/** A turn whose ask of the other conversation ran out calls it off by itself, at the same time as a caller another one. */
function isAbout(entry: Entry, { outside }: Stage, key: string | undefined): boolean {
  return key === undefined || ('askId' in entry && entry.askId === outside.idOf(key));
}

/** What a caller of the API was told is what became of the entry, or that the ask was over. */
async function answered(stage: Stage, fates: ReadonlyMap<string, string>, registry: AgentRegistry): Promise<string[]> {
  const means: Record<string, string> = {
    accepted: 'accepted',
    declined: 'accepted',
    voted: 'counted',
    partial: 'counted',
    control: 'accepted',
    already: 'already',
    late: 'late',
    'not-authorised': 'refused',
    invalid: 'invalid',
    ignored: 'unknown',
    failed: 'accepted', // it decided the ask, and what follows waits for an operator
  };
  const found: string[] = [];
  for (const { group, type, told: said, key } of stage.answers) {
    if (['received', 'not now', 'nothing'].includes(said)) continue;
    // a process that stood still may have brought another of the kind at the same time
    const entries = stage.log.filter(
      (each) => each.group === group && each.entry.type === type && isAbout(each.entry, stage, key),
    );
    if (entries.some((each) => !stage.isOfNow(each))) continue;
    const fitting = entries.map((each) => fates.get(each.id) ?? 'lost');
    const status = key && (await registry.getAsk(stage.outside.idOf(key)))?.status;
    const kinds = fitting.map((fate) => fate.split(' ')[0] ?? '');
    if (entries.length > 0 && !kinds.some((kind) => (type === 'retry' ? kind : means[kind]) === said))
      found.push(`the API said "${said}" of ${key}, and its entry was ${fitting.join(' or ')}`);
    if (entries.length === 0 && !['refused', 'unknown'].includes(said) && status === 'pending')
      found.push(`the API said "${said}" of ${key}, and it is still pending`);
  }
  return found;
}

/** One conversation. */
class Scene {
  readonly found: string[] = [];
  readonly #ignored = new Set<string>();

  constructor(
    private readonly stage: Stage,
    private readonly registry: AgentRegistry,
    private readonly id: string,
    private readonly calm: boolean,
  ) {}

  async compare(): Promise<Story> {
    const { ground } = this.stage;
    const { items } = await this.registry.history(this.id, { limit: 1_000 });
    const failed = this.#failed();
    for (const item of items)
      if (item.type === 'note' && item.disposition.type === 'ignored') this.#ignored.add(item.entry);
    const story = told(this.#events(items), await this.#given(), ground.soon, ground.prompt && this.calm, failed);
    this.#same(
      'history',
      items.flatMap((item, i) => (isReminder(item) ? [] : [this.#line(item, items.slice(0, i))])),
      story.lines,
      story.optional,
    );
    for (const item of items) this.#stamp(item, story);
    for (const [id, fate] of story.fates) await this.#fate(id, fate);
    for (const ask of story.asks) await this.#ask(ask);
    for (const ask of story.asks) this.#reminders(ask, items, story);
    await this.#people();
    const open = (await this.registry.listAsks({ conversationId: this.id })).asks.map(
      (ask) => this.stage.outside.keyOf(ask.id) ?? ask.id,
    );
    this.#same(
      'open asks',
      open,
      story.asks.filter((ask) => ask.status === 'pending').map((ask) => ask.key),
    );
    const state = await this.stage.store.conversation(this.id);
    if (state !== null && (state.queue.length > 0 || state.held || state.begun))
      this.found.push(`left over: ${state.queue.length} entries, held ${state.held}, begun ${state.begun}`);
    this.#delivered(items, story);
    return story;
  }

  /**
   * The entries in the order in which they were handed over; of two at the same moment the store's order is the right one, and so it is
   * for what another conversation, or a program, asks here: nobody hands that over in an order. Nor does whoever is still on the way
   * when the next command begins, such as a program that withdraws its question.
   */
  #events(items: readonly HistoryItem[]): readonly Event[] {
    const mine = this.stage.log.filter((each) => each.conversationId === this.id && this.stage.isOfNow(each));
    const place = (each: Recorded) =>
      items.findIndex((item) => 'entry' in item && item.type !== 'decision' && item.entry === each.id);
    const unique = mine.filter((each, i) => mine.findIndex((other) => other.id === each.id) === i);
    const hasNoOrder = ({ entry, isOvertaken }: Recorded) => entry.type === 'open' || isOvertaken;
    const all = unique.filter((each) => !hasNoOrder(each)).sort((a, b) => a.group - b.group || place(a) - place(b));
    for (const other of unique.filter(hasNoOrder)) {
      const at = all.findIndex((each) => place(each) > place(other));
      all.splice(at < 0 ? all.length : at, 0, other);
    }
    return all.map((each) => this.#event(each));
  }

  #event({ id, at, entry }: Recorded): Event {
    const by = entry.type === 'message' ? entry.participant?.id : 'by' in entry ? entry.by?.id : undefined;
    const who = by === undefined ? undefined : people[bare(by) as Who];
    const askId = 'askId' in entry ? entry.askId : undefined;
    const key = entry.type === 'open' ? (this.stage.outside.keyOf(askOpenedBy(id)) ?? 'never wanted') : undefined;
    return {
      id: bare(id) ?? id,
      at,
      unseen: this.#unseen(id),
      open: this.#open(id),
      type: entry.type as Event['type'],
      text:
        'text' in entry && entry.text !== undefined ? entry.text : 'value' in entry ? JSON.stringify(entry.value) : '',
      ...(who === undefined ? {} : { who }),
      ...(key === undefined ? {} : { opens: this.#wanted(key, id) }),
      ...(entry.type === 'retry' ? { retries: this.#retries(id, entry.parkedId) } : {}),
      ...(askId === undefined ? {} : { names: this.stage.outside.keyOf(askId) ?? 'elsewhere' }),
    };
  }

  #failed(): Failed {
    const mine = this.stage.setAside.filter((each) => each.conversationId === this.id && this.stage.isOfNow(each));
    const { outside } = this.stage;
    return new Map(
      mine.map(({ workId, parked, shown }) => [
        workOf(this.stage, workId),
        { hasDecided: parked.ask !== undefined, shown: new Set([...shown].map((id) => outside.keyOf(id) ?? id)) },
      ]),
    );
  }

  /** What a retry tries again. */
  #retries(id: string, parkedId: string): NonNullable<Event['retries']> {
    const { setAside: all, revisions, outside } = this.stage;
    const first: SetAside | undefined = all.find(({ parked }) => parked.id === parkedId);
    const traces = (revisions.traces.get(id) ?? []).map((each) => outside.keyOf(each) ?? each);
    return { work: workOf(this.stage, first?.workId ?? 'unknown'), traces: new Set(traces) };
  }

  /** Whoever wrote it had not seen what was first shown by a later revision. */
  #unseen(entryId: string): ReadonlySet<string> {
    const { recorded, shown } = this.stage.revisions;
    const at = recorded.get(entryId) ?? 0;
    return new Set(
      [...this.stage.outside.ids.keys()].filter((key) => {
        const first = shown.get(this.stage.outside.idOf(key));
        return first === undefined || first > at;
      }),
    );
  }

  /** What had not ended when it was recorded. */
  #open(entryId: string): ReadonlySet<string> {
    const { recorded, ended } = this.stage.revisions;
    const at = recorded.get(entryId) ?? 0;
    const { ids } = this.stage.outside;
    return new Set([...ids.keys()].filter((key) => (ended.get(this.stage.outside.idOf(key)) ?? 0) > at));
  }

  /** What a message of the other conversation, or a program, wanted here. */
  #wanted(key: string, entryId: string): NonNullable<Event['opens']> {
    if (this.stage.callers.some((caller) => caller.key === key)) return this.#awaited(key, entryId);
    const { entry } = this.stage.log.find((each) => bare(each.id) === key.split('.')[0]) ?? {};
    const id = entry?.type === 'message' ? bare(entry.participant?.id) : undefined;
    const plan = this.stage.outside.plans.get(key) as Plan; // whoever wanted it has said how
    const asker = id === undefined ? undefined : people[id as Who];
    return plan.waits === 'no' ? { key, plan, asker } : { ...this.#awaited(key, entryId), asker };
  }

  /** It is not opened if whoever wanted it gave up first: its cancel was recorded, and whoever would open it saw that. */
  #awaited(key: string, entryId: string): NonNullable<Event['opens']> {
    const id = this.stage.outside.idOf(key);
    const isCancelled = this.stage.log.some(({ entry }) => entry.type === 'cancel' && entry.askId === id);
    const isGivenUp = isCancelled && this.#ignored.has(entryId);
    const plan = this.stage.outside.plans.get(key) as Plan; // set before it was asked
    return { key, plan, asker: undefined, awaited: isGivenUp ? 'given up' : 'opened' };
  }

  async #given(): Promise<Given> {
    const askedAt = new Map<string, number>();
    const decidedAt = new Map<string, number>();
    for (const [key] of this.stage.outside.ids) {
      const ask = await this.registry.getAsk(this.stage.outside.idOf(key));
      if (ask !== null) askedAt.set(key, ask.askedAt.getTime());
      if (ask?.decidedAt !== undefined) decidedAt.set(key, ask.decidedAt.getTime());
    }
    const gaveUp = [...this.stage.revisions.gaveUp].map(([id, { heard, ...rest }]) => {
      const entries = new Set(heard.map((each) => bare(each) ?? each));
      return [this.stage.outside.keyOf(id) ?? id, { ...rest, heard: entries }] as const;
    });
    const { ids, toldOf } = this.stage.outside;
    const shown = new Set(
      [...ids.keys()].filter((key) => this.stage.revisions.shown.has(this.stage.outside.idOf(key))),
    );
    return { askedAt, decidedAt, shown, gaveUp: new Map(gaveUp), toldOf };
  }

  #line(item: HistoryItem, before: readonly HistoryItem[] = []): string {
    const key = (id: string | undefined) => this.stage.outside.keyOf(id) ?? `unknown ask ${id}`;
    if (item.type === 'decision')
      return `decision ${key(item.askId)} ${item.status} by ${bare(item.by?.id) ?? 'nobody'}`;
    if (item.type !== 'out') return `in ${bare(item.entry)}: ${this.#fateOf(item.disposition)}`;
    if (item.askId === undefined) return `out ${item.text}`;
    const reminders = before.filter((each) => isReminder(each) && each.askId === item.askId).length;
    return `out question ${key(item.askId)}#${Number(item.key.split(':').at(-1)) - reminders}`;
  }

  #fateOf(disposition: Disposition): string {
    const parts = [disposition.type as string];
    if ('askId' in disposition && disposition.askId !== undefined)
      parts.push(this.stage.outside.keyOf(disposition.askId) ?? `unknown ask ${disposition.askId}`);
    if (disposition.type === 'insufficient') parts.push(String(disposition.retries));
    if (disposition.type === 'ignored') parts.push(disposition.why);
    return parts.join(' ');
  }

  /** What is kept of an entry has the time at which the store recorded it, and not the answer to a sensitive question. */
  #stamp(item: HistoryItem, { hidden }: Story): void {
    if (item.type !== 'in' && item.type !== 'note') return;
    const { disposition } = item;
    const key = 'askId' in disposition ? this.stage.outside.keyOf(disposition.askId) : undefined;
    const isSecret = key !== undefined && this.stage.outside.plans.get(key)?.secret === true;
    if (item.type === 'in' && hidden.has(bare(item.entry) ?? '') && item.text !== '[hidden]')
      this.found.push(`${bare(item.entry)} is kept as "${item.text}", and what it answers is sensitive`);
    if (item.type === 'in' && isSecret && item.text !== '[hidden]')
      this.found.push(`${bare(item.entry)} is kept as "${item.text}", and ${key} is sensitive`);
    const recorded = this.stage.log.find(
      (each) => each.conversationId === this.id && each.id === item.entry && this.stage.isOfNow(each),
    );
    if (recorded !== undefined && recorded.entry.type !== 'retry' && recorded.at !== item.at)
      this.found.push(`${bare(item.entry)} was recorded at ${recorded.at} and is kept as of ${item.at}`);
  }

  async #fate(id: string, expected: string): Promise<void> {
    const entry = this.stage.log.find((each) => bare(each.id) === id);
    const outcome = await this.stage.store.outcome(this.id, entry?.id ?? id);
    const actual = outcome === null ? 'none' : this.#fateOf(readOutcome(outcome).disposition);
    if (actual !== expected) this.found.push(`disposition of ${id}: ${actual}, the model says ${expected}`);
  }

  async #ask(ask: Story['asks'][number]): Promise<void> {
    const real = await this.registry.getAsk(this.stage.outside.idOf(ask.key));
    const shape = (status?: string, retries?: number, by?: string, answer?: string) =>
      `${status}, asked again ${retries} times, by ${by ?? 'nobody'}, answer ${answer ?? 'none'}`;
    const expected = shape(
      ask.status,
      ask.again,
      ask.decidedBy,
      ask.secret ? undefined : ask.status === 'exhausted' ? '__insufficient__' : ask.answer,
    );
    const actual = shape(real?.status, real?.retries, bare(real?.decidedBy?.id), real?.answer);
    if (actual !== expected) this.found.push(`${ask.key}: ${actual}; the model says ${expected}`);
    const ends = real?.expiresAt === undefined ? undefined : real.expiresAt.getTime() - real.askedAt.getTime();
    const gaveUp = this.stage.revisions.gaveUp.get(real?.id ?? '');
    const waited =
      gaveUp === undefined || gaveUp.hasFailed || real === null ? Infinity : gaveUp.at - real.askedAt.getTime();
    const { soon, prompt } = this.stage.ground; // where time really passes, a process only guesses the store's
    if (prompt && waited < patienceFor(ask, soon)) this.found.push(`${ask.key} was given up too soon`);
    if (ends !== (ask.soon ? this.stage.ground.soon : undefined)) this.found.push(`${ask.key} ends after ${ends} ms`);
  }

  /** A reminder comes once, while nobody has answered, not before its time, and not never. */
  #reminders(ask: ModelAsk, items: readonly HistoryItem[], story: Story): void {
    const mine = items.filter((item) => 'askId' in item && this.stage.outside.keyOf(item.askId) === ask.key);
    const reminders = mine.filter(isReminder);
    const after = this.stage.ground.soon / 2;
    const [shown] = mine;
    if (reminders.length > (ask.reminds ? 1 : 0))
      this.found.push(`${ask.key} was shown again ${reminders.length} times`);
    for (const item of reminders)
      if (
        shown === undefined ||
        item.at < shown.at + after ||
        (mine.at(-1)?.type === 'decision' && mine.indexOf(item) > mine.findIndex((each) => each.type === 'decision'))
      )
        this.found.push(`${ask.key} was shown again at ${item.at}`);
    const isHead = story.asks.find(({ status }) => status === 'pending') === ask;
    const isDue =
      shown !== undefined && shown.at + after + 2 * this.stage.ground.times['a lease'] < this.stage.lookedAt;
    if (ask.reminds && isHead && isDue && reminders.length === 0) this.found.push(`${ask.key} was never shown again`);
  }

  /** Whoever wrote here since it was erased is known, by both names, and nobody else. */
  async #people(): Promise<void> {
    const mine = this.stage.log.filter((each) => each.conversationId === this.id && this.stage.isOfNow(each));
    const authors = mine.flatMap(({ entry }) => bare(authorOf(entry)?.id) ?? []) as Who[];
    const known = new Set<string>(authors.flatMap((who) => [who, people[who].id]));
    for (const who of Object.keys(people)) {
      const isKnown = (await this.stage.store.conversationsOf(`phone:${who}`)).includes(this.id);
      if (isKnown !== known.has(who)) this.found.push(`${who} is ${isKnown ? '' : 'not '}known here`);
    }
  }

  /** What the history says was said has reached the human, and nothing else has. A settled question may be withdrawn. */
  #delivered(items: readonly HistoryItem[], story: Story): void {
    const outs = items.flatMap((item) => (item.type === 'out' ? [item] : []));
    const keys = outs.map((item) => item.key);
    const wasErased = this.stage.lives.has(this.id); // then something of an earlier life was delivered, too
    const here = this.stage.outside.delivered.filter((each) => each.conversationId === this.id).map(({ key }) => key);
    const got = here.filter((key) => (!wasErased || keys.includes(key)) && !isFollowUp(key));
    // of two replicas that speak one after the other, the second may be the first to reach the human: only turns have an order
    const inOrder = (all: readonly string[]) => (this.stage.ground.prompt ? all : all.toSorted());
    if (this.calm) this.#same('delivered', inOrder(got), inOrder(keys));
    const open = new Set(story.asks.filter((ask) => ask.status === 'pending').map((ask) => ask.key));
    for (const item of outs) {
      const withdrawn = item.askId !== undefined && !open.has(this.stage.outside.keyOf(item.askId) ?? '');
      if (!withdrawn && !got.includes(item.key)) this.found.push(`never delivered: ${this.#line(item)}`);
    }
    for (const key of got) if (!keys.includes(key)) this.found.push(`delivered and not in the history: ${key}`);
    this.#followUps(here.filter(isFollowUp), open);
  }

  /** Whoever was asked is told that it is over where that was decided elsewhere: once, and never of an ask that is open. */
  #followUps(keys: readonly string[], open: ReadonlySet<string>): void {
    for (const key of keys) {
      const askId = key.split(':')[2] ?? '';
      if (open.has(this.stage.outside.keyOf(askId) ?? ''))
        this.found.push(`told that it is over, and it is open: ${key}`);
    }
    if (this.calm && new Set(keys).size < keys.length)
      this.found.push(`told twice that it is over: ${keys.join(', ')}`);
  }

  #same(what: string, actual: readonly string[], expected: readonly string[], optional = new Set<string>()): void {
    const real = actual.filter((each) => !optional.has(each));
    const wanted = expected.filter((each) => !optional.has(each));
    const at = real.findIndex((each, i) => each !== wanted[i]);
    if (at < 0 && real.length === wanted.length) return;
    const i = at < 0 ? real.length : at;
    const before = real.slice(Math.max(0, i - 3), i).map((each) => `\n      … ${each}`);
    this.found.push(`${what}, line ${i + 1}: "${real[i]}", the model says "${wanted[i]}"${before.join('')}`);
  }
}

/** What is said instead of drawing a question again. It is not in the history. */
function isFollowUp(key: string): boolean {
  return key.startsWith('redraw:');
}
