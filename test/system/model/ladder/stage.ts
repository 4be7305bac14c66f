/**
 * Plays a history of questions that are shown in several places, go to the next person in time, and are handed over: two replicas on one
 * store that die on demand, and channels whose addresses stop to work. Compares what came of it with the reference model.
 */
import fc from 'fast-check';
import { silentLogger } from '../../../../src/core/events.js';
import type {
  Channel,
  Desk,
  IncomingMessage,
  OutgoingMessage,
  Participant,
  PendingAsk,
} from '../../../../src/index.js';
import { AgentRegistry, agent, confirm } from '../../../../src/index.js';
import type { Store } from '../../../../src/stores/port.js';
import type { CrashPoint } from '../../../../src/testing/crashable-store.js';
import { patience } from '../../../support/processes.js';
import type { Ground } from '../grounds.js';
import { patient } from '../patient.js';
import { Replicas } from '../replicas.js';
import type { Colleague, Ladder, LadderAsk, Name } from './reference.js';
import { accountOf, addressOf, colleagues, Ladders, mayAnswerLadder, notified, steps, toldOver } from './reference.js';

export type Command =
  | { readonly do: 'ask'; readonly by: Name; readonly how: Ladder; readonly on: number }
  /** `at`: a control at one of the places where it is shown, counted from its own; else over the API. `which`: 0 is the last ask. */
  | {
      readonly do: 'answer';
      readonly by: Name;
      readonly which: number;
      readonly at: number | 'API';
      readonly words: 'yes' | 'no' | 'what?';
      readonly on: number;
    }
  | { readonly do: 'hand over'; readonly by: Name; readonly to: Name; readonly which: number; readonly on: number }
  | { readonly do: 'cancel'; readonly which: number; readonly on: number }
  /** No question can be delivered there any more. */
  | { readonly do: 'lose'; readonly at: (typeof addresses)[number] }
  /** So long that steps are due; only where time stands still otherwise. */
  | { readonly do: 'wait' }
  | { readonly do: 'crash'; readonly on: number; readonly after: CrashPoint | 'nothing' };

const addresses = ['phone', 'board:clerks', 'mail:dan', 'mail:fay', 'board:chiefs', 'mail:bob'] as const;

const two = fc.nat(1);
const recent = fc.constantFrom(0, 0, 0, 1);
const names = Object.keys(colleagues) as Name[];
const who = fc.constantFrom(...names);
const anyLadder: fc.Arbitrary<Ladder> = fc.record({
  notify: fc.boolean(),
  due: fc.constantFrom(0, 0, 1, 2),
  others: fc.boolean(),
});

export const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      by: fc.constantFrom<Name>('ann', 'ann', 'ann2', 'bob'),
      how: anyLadder,
      on: two,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      by: who,
      which: recent,
      at: fc.constantFrom(0, 1, 2, 3, 4, 'API' as const),
      words: fc.constantFrom('yes' as const, 'no' as const, 'what?' as const, 'what?' as const),
      on: two,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('hand over' as const), by: who, to: who, which: recent, on: two }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: recent, on: two }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), at: fc.constantFrom(...addresses) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'wait' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      on: two,
      after: fc.constantFrom<CrashPoint | 'nothing'>('nothing', 'take', 'decision', 'effect', 'save', 'sent'),
    }),
  },
);

const question = 'Refund?';
const hour = 3_600_000;
/** Recovering from crashes takes time, too; a history is too short for it to matter. */
const late = [12 * hour, 36 * hour] as const;
const longWait = 14 * hour;
/** In half a day there are too many usual ones; whoever recovers looks by itself. */
const rareSweeps = { sweep: hour / 4 };

/** What all processes have sent: it outlives them. */
class Outside {
  readonly dead = new Set<string>();
  /** The ask of each conversation. */
  readonly ids = new Map<string, string>();
  /** By its key: a repeat is the same. */
  readonly #sent = new Map<string, { readonly at: string; readonly in: string; readonly isOver: boolean }>();

  sends(channel: string, { key, address, ask, conversationId, text }: OutgoingMessage): void {
    if (ask === undefined && !text.startsWith(question)) return;
    const at = channel === 'phone' ? channel : `${channel}:${String(address)}`;
    if (ask !== undefined) {
      this.ids.set(conversationId, ask.id);
      if (this.dead.has(at)) throw new Error('There is nobody at this address.');
    }
    this.#sent.set(key, { at, in: conversationId, isOver: ask === undefined });
  }

  /** The keys of the copies on the board. */
  posts(conversationId: string): readonly string[] {
    return [...this.#sent].flatMap(([key, { at, isOver, ...each }]) =>
      each.in === conversationId && !isOver && at.startsWith('board') ? [key] : [],
    );
  }

  /** How many copies of the question, or lines that it is over, have reached this place. */
  count(conversationId: string, at: string, isOver: boolean): number {
    const fits = [...this.#sent.values()].filter((each) => each.in === conversationId && each.at === at);
    return fits.filter((each) => each.isOver === isOver).length;
  }
}

class Line implements Channel {
  desk: Desk | undefined;

  constructor(
    readonly name: string,
    private readonly outside: Outside,
  ) {}

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send(message: OutgoingMessage): Promise<string | undefined> {
    this.outside.sends(this.name, message);
    return undefined;
  }
}

/** Mail knows its people. */
class Post extends Line {
  addressOf(id: string): string | undefined {
    return addressOf(id);
  }
}

/** It draws its posts again. */
class Board extends Line {
  constructor(
    outside: Outside,
    private readonly drawn: Map<string, string>,
  ) {
    super('board', outside);
  }

  override async send(message: OutgoingMessage): Promise<string | undefined> {
    await super.send(message);
    return message.key;
  }

  async update(post: string, { ask }: OutgoingMessage): Promise<void> {
    this.drawn.set(post, ask?.status ?? '');
  }
}

interface Replica {
  readonly registry: AgentRegistry;
  readonly lines: Readonly<Record<string, Line>>;
}

const identify = ({ id }: Participant): Participant => {
  const found = names.find((name) => id === colleagues[name].id || id === accountOf(name));
  return found === undefined ? { id } : colleagues[found];
};
const account = (name: Name): Participant => ({ id: accountOf(name) });
const questionFor = ({ notify, due, others }: Ladder): string => `sure-${notify}-${due}-${others}`;

export class LadderStage {
  readonly #model = new Ladders();
  readonly #outside = new Outside();
  /** What each post of the board shows since it was drawn again, by its key. */
  readonly #drawn = new Map<string, string>();
  /** The answers that were acted upon, by conversation and key. */
  readonly #effects = new Map<string, Map<string, Set<boolean>>>();
  /** What was told to somebody who called, where that is wrong. */
  readonly #wrong: string[] = [];
  readonly #replicas: Replicas<Replica>;
  readonly #conversations = new Map<LadderAsk, string>();
  #messages = 0;
  #ids = 0;

  constructor(
    private readonly ground: Ground,
    broken: (store: Store) => Store = (store) => store,
  ) {
    this.#replicas = new Replicas(ground, (store) => this.#begun(store), broken);
  }

  /** What is wrong after the history; nothing is a pass. */
  async plays(history: readonly Command[]): Promise<readonly string[]> {
    try {
      for (const command of history) {
        await this.#do(command);
        if (command.do !== 'crash' || command.after === 'nothing') {
          const found = await this.#settle();
          if (found.length > 0) return [`after ${JSON.stringify(command)}`, ...found];
        }
      }
      await this.#settle();
      await this.#replicas.look(); // what is sent too often is sent by now
      await this.#replicas.idle();
      return await this.#complaints();
    } catch (error) {
      return [`stopped by ${error instanceof Error ? error.stack : String(error)}`];
    } finally {
      await this.#replicas.close();
    }
  }

  async #do(command: Command): Promise<void> {
    switch (command.do) {
      case 'ask': {
        if (this.#model.asks.length === 4) return; // more of them show nothing new
        const ask = this.#model.asked(command.by, command.how);
        this.#conversations.set(ask, `c${ask.key}`);
        const text = questionFor(command.how);
        return this.#receives('phone', { text, ...this.#from(ask, command.by) }, command.on);
      }
      case 'answer':
        return this.#answers(command);
      case 'hand over': {
        const ask = this.#ask(command.which);
        if (ask === undefined) return;
        const expected = this.#model.handsOver(ask, command.by, command.to);
        const options = { by: account(command.by), to: account(command.to) };
        return this.#calls(expected, command.on, (registry, id) => registry.handOver(id, options), ask);
      }
      case 'cancel': {
        const ask = this.#ask(command.which);
        if (ask === undefined) return;
        const expected = this.#model.cancels(ask);
        return this.#calls(expected, command.on, (registry, id) => registry.cancel(id), ask);
      }
      case 'lose':
        this.#model.dies(command.at);
        this.#outside.dead.add(command.at);
        return;
      case 'wait':
        if (this.ground.clock === undefined) return;
        this.#model.waits();
        return this.ground.pass(longWait);
      case 'crash':
        return this.#replicas.crash(command.on, command.after);
    }
  }

  #ask(which: number): LadderAsk | undefined {
    return this.#model.asks.at(-1 - which);
  }

  #idOf(ask: LadderAsk): string {
    return this.#outside.ids.get(this.#conversations.get(ask) ?? '') ?? '';
  }

  #from(ask: LadderAsk, by: Name): Omit<IncomingMessage, 'text'> {
    this.#messages += 1;
    const conversationId = this.#conversations.get(ask) ?? '';
    return { id: `m${this.#messages}`, conversationId, participant: account(by), address: conversationId };
  }

  async #answers({ by, which, at, words, on }: Command & { do: 'answer' }): Promise<void> {
    const ask = this.#ask(which);
    if (ask === undefined) return;
    const arrived = ask.spots.filter(({ copies }) => copies > 0);
    const spot = at === 'API' ? undefined : arrived[at % arrived.length];
    const value = words === 'yes';
    if (spot === undefined) {
      if (words === 'what?') return;
      const expected = this.#model.answers(ask, by, value);
      return this.#calls(expected, on, (registry, id) => registry.answer(id, { value }, { by: account(by) }), ask);
    }
    this.#model.answers(ask, by, words === 'what?' ? 'unclear' : value, spot);
    const [channel = '', address] = spot.at.split(':');
    const message = { ...this.#from(ask, by), text: words, askId: this.#idOf(ask) };
    const pressed = words === 'what?' ? message : { ...message, choice: words };
    return this.#receives(channel, address === undefined ? pressed : { ...pressed, address }, on);
  }

  /** A platform delivers its message again to another process if the first dies of it. */
  async #receives(channel: string, message: IncomingMessage, on: number): Promise<void> {
    await this.#replicas.call(on, async ({ lines }) => lines[channel]?.desk?.receive(message));
  }

  /** Whoever calls calls again if the process dies of it. What they are told then depends on what the first call has done. */
  async #calls(
    expected: string,
    on: number,
    call: (registry: AgentRegistry, askId: string) => Promise<{ readonly type: string }>,
    ask: LadderAsk,
  ): Promise<void> {
    const result = await this.#replicas.call(on, ({ registry }) => call(registry, this.#idOf(ask)));
    if (result !== undefined && result.type !== expected && result.type !== 'received')
      this.#wrong.push(`${ask.key}: somebody was told ${result.type}, the model says ${expected}`);
  }

  #begun(store: Store): Replica {
    const phone = new Line('phone', this.#outside);
    const mail = new Post('mail', this.#outside);
    const board = new Board(this.#outside, this.#drawn);
    const { soon, clock, settings } = this.ground;
    const shop = agent('shop');
    const questions = new Map(
      [true, false].flatMap((notify) =>
        ([0, 1, 2] as const).flatMap((due) =>
          [true, false].map((others) => {
            const after = steps.map((_, i) => (i < due ? (soon * (i + 1)) / 4 : (late[i] as number)));
            const name = questionFor({ notify, due, others });
            const declared = shop.question(name, confirm(question), {
              answerableBy: { roles: ['clerk'] },
              excludeAsker: others,
              maxRetries: 100,
              ...(notify ? { notify: notified } : {}),
              escalate: steps.map((step, i) => ({ ...step, after: after[i] as number })),
              onAnswer: (yes, { effectKey, pending }) => this.#acts(pending.conversationId, effectKey, yes),
            });
            return [name, declared] as const;
          }),
        ),
      ),
    );
    shop.onMessage(({ message, ask }) => {
      const declared = questions.get(message);
      return declared === undefined ? undefined : ask(declared);
    });
    const registry = new AgentRegistry({
      agents: [shop],
      channels: [phone, mail, board],
      store,
      settings: { ...settings, ...(clock === undefined ? {} : rareSweeps), deliveryBackOff: [10] },
      identify,
      logger: silentLogger,
      newId: () => `id-${++this.#ids}`,
      ...(clock === undefined ? {} : { clock }),
    });
    return { registry, lines: { phone, mail, board } };
  }

  #acts(conversationId: string, key: string, answer: boolean): undefined {
    const effects = this.#effects.get(conversationId) ?? new Map<string, Set<boolean>>();
    this.#effects.set(conversationId, effects.set(key, (effects.get(key) ?? new Set()).add(answer)));
  }

  /** Until everything is as the model says; what is still wrong when all the time for it is over. */
  async #settle(): Promise<readonly string[]> {
    await this.#replicas.recover();
    await this.#replicas.idle();
    const until = performance.now() + patience;
    for (let round = 0; ; round += 1) {
      const found = await this.#complaints();
      const isOver = this.ground.clock === undefined ? performance.now() > until : round === 8;
      if (found.length === 0 || this.#wrong.length > 0 || isOver) return found;
      await this.#replicas.look();
      await this.#replicas.idle();
    }
  }

  async #complaints(): Promise<readonly string[]> {
    const registry = patient((await this.#replicas.up(0)).registry);
    const found = [...this.#wrong];
    const same = (what: string, actual: unknown, expected: unknown) => {
      const [real, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
      if (real !== wanted) found.push(`${what}: ${real}, the model says ${wanted}`);
    };
    for (const ask of this.#model.asks) {
      const { key } = ask;
      const conversationId = this.#conversations.get(ask) ?? '';
      const real = await this.ground.until(registry.getAsk(this.#idOf(ask)));
      if (real === null) {
        found.push(`${key} is not there`);
        continue;
      }
      same(`${key}`, endOf(real), endOf(ask));
      same(`steps of ${key}`, namesOf(real), ask.steps);
      const told = toldOver(ask);
      for (const { at, copies } of ask.spots) {
        same(`copies of ${key} at ${at}`, this.#outside.count(conversationId, at, false), copies);
        const over = this.#outside.count(conversationId, at, true);
        const isBoard = at.startsWith('board');
        if (this.#model.dead.has(at)) same(`${key} is over at most once at ${at}`, over <= 1, true);
        else same(`${key} is over at ${at}`, over, !isBoard && told.includes(at) ? 1 : 0);
      }
      const { items } = await this.ground.until(registry.history(conversationId, { limit: 1_000 }));
      const decisions = items.filter((item) => item.type === 'decision').length;
      same(`decisions of ${key}`, decisions, ask.status === 'pending' ? 0 : 1);
      const effects = [...(this.#effects.get(conversationId)?.values() ?? [])].map((each) => [...each]);
      same(`what ${key} led to`, effects, ask.status === 'answered' ? [[ask.answer]] : []);
      if (ask.status === 'pending') {
        const may = await Promise.all(names.map((name) => this.#isFor(registry, conversationId, colleagues[name])));
        const wanted = names.filter((name) => mayAnswerLadder(ask, colleagues[name]));
        same(
          `who may answer ${key}`,
          names.filter((_, i) => may[i]),
          wanted,
        );
      } else {
        const drawn = this.#outside.posts(conversationId).map((post) => this.#drawn.get(post));
        same(`${key} on the board`, [...new Set(drawn)], drawn.length === 0 ? [] : [real.status]);
      }
    }
    return found;
  }

  async #isFor(registry: AgentRegistry, conversationId: string, person: Colleague): Promise<boolean> {
    const { asks } = await this.ground.until(registry.listAsks({ for: person, conversationId }));
    return asks.length > 0;
  }
}

/** What has become of it. */
function endOf(ask: PendingAsk<unknown> | LadderAsk): string {
  const { status } = ask;
  if ('askedAt' in ask) return ask.reason === 'undeliverable' ? ask.reason : said(status, ask.value, ask.decidedBy?.id);
  return said(status, ask.answer, ask.decidedBy);
}

const said = (status: string, value: unknown, by: string | undefined): string =>
  status === 'answered' ? `${status} ${String(value)} by ${by}` : status;

/** The steps as the model names them. */
function namesOf({ steps: taken = [] }: PendingAsk<unknown>): readonly string[] {
  return taken.map((step) => {
    if (step.type === 'handed-over') return `${step.by.id} to ${step.to.id}`;
    return String(1 + steps.findIndex(({ channel, to }) => channel === step.channel && to === step.address));
  });
}
