/**
 * Plays a history: two replicas on one store, faults on demand, then everything is healed and nothing more happens.
 * Decides nothing about what is right; verdict.ts does, from what is collected here.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../../../src/core/conversation/entry.js';
import { silentLogger } from '../../../src/core/events.js';
import type { IncomingMessage, Outcome, Participant } from '../../../src/index.js';
import { AgentError, AgentRegistry } from '../../../src/index.js';
import { systemClock } from '../../../src/machine/clock.js';
import type { RegistryOptions } from '../../../src/registry/options.js';
import type { Store } from '../../../src/stores/port.js';
import type { CrashableStore } from '../../../src/testing/crashable-store.js';
import { crashableStore } from '../../../src/testing/crashable-store.js';
import { patience } from '../../support/processes.js';
import { Clerk, inWords, Outside, optionsOf, Phone, questionOf } from './agent.js';
import type { Command, History, Say } from './commands.js';
import type { Line, Lives, Recorded, SetAside } from './faults.js';
import { Delays, lineTo, logged, Revisions, timed } from './faults.js';
import type { Ground } from './grounds.js';
import { patient } from './patient.js';
import type { Who } from './reference.js';
import { isOwner, patienceFor, people, wanting } from './reference.js';

interface Process {
  readonly registry: AgentRegistry;
  readonly phone: Phone;
  readonly life: CrashableStore;
  readonly line: Line;
  armed: boolean;
  dead: boolean;
  stopped: boolean;
  /** At some time it did not reach its store. */
  cutOff: boolean;
}

/** A program that waits for an answer, and what it was told. */
interface Caller {
  readonly key: string;
  readonly keeps: boolean;
  /** Where it waits: for its question to be opened, or for the answer. */
  process: Process;
  /** When its signal ended its wait; where the signal came before the wait began, that moment. */
  calledOffAt?: number;
  told?: string;
  /** Settles when it was told. */
  over: Promise<void>;
}

/** What is wrong on purpose: the store, or what the author gives to the registry. */
export interface Breakage {
  readonly store?: (store: Store) => Store;
  readonly author?: Partial<Pick<RegistryOptions, 'identify' | 'policies'>>;
}
export const conversations = ['c0', 'c1'] as const;
const participant = (who: Who) => ({ id: `phone:${who}` });
export const identify = ({ id }: Participant): Participant => {
  const person = people[id.replace('phone:', '') as Who];
  return { ...person, id: `phone:${person.id}` };
};
const kill = (process: Process): void => {
  process.life.crash();
  process.dead = true;
};

export class Stage {
  readonly outside = new Outside();
  readonly log: Recorded[] = [];
  readonly revisions = new Revisions(() => this.ground.clock?.now() ?? Date.now());
  readonly lives: Lives = new Map();
  /** What was late; nothing where time passes only when told to. */
  readonly delays = new Delays();
  readonly setAside: SetAside[] = [];
  /** What the sender of each message was told, each time. */
  readonly acks: { readonly id: string; readonly told: string }[] = [];
  /** What was said to calls of the API. */
  readonly answers: {
    readonly group: number;
    readonly type: string;
    readonly told: string;
    readonly key: string | undefined;
  }[] = [];
  readonly ground: Ground;
  readonly #broken: Breakage;
  readonly #processes: (Process | undefined)[] = [];
  readonly #stores: Store[] = [];
  readonly #messages: IncomingMessage[] = [];
  /** When everybody looked for the last time, as the store tells it: what was due by then is done. */
  lookedAt = 0;
  /** Programs that wait. */
  readonly callers: Caller[] = [];
  /** By the key of what a program asks: called when that is recorded. */
  readonly #opening = new Map<string, () => void>();
  #group = 0;
  #ids = 0;

  constructor(ground: Ground, broken: Breakage = {}) {
    this.ground = ground;
    this.#broken = broken;
  }

  async play(history: History): Promise<void> {
    for (const command of history) {
      this.#group += 1;
      await this.#do(command);
      if (!('quick' in command && command.quick)) await this.#quiet();
    }
    await this.#heal();
  }

  /** A process that is up, for looking at what has become of everything. */
  async registry(): Promise<AgentRegistry> {
    return patient((await this.#up(0)).registry);
  }

  /** It was recorded since its conversation was erased last. */
  isOfNow({ conversationId, life }: Pick<Recorded, 'conversationId' | 'life'>): boolean {
    return life === (this.lives.get(conversationId) ?? 0);
  }

  /** Something was erased where the ask was put, or where it was wanted. */
  wasErased(key: string): boolean {
    const wanted = this.log.find(({ id }) => id.endsWith(`:${key.split('.')[0]}`));
    return [this.outside.places.get(key), wanted?.conversationId].some((id) => id !== undefined && this.lives.has(id));
  }

  /** The store past all faults. */
  get store(): Store {
    return this.#stores.at(-1) as Store;
  }

  async close(): Promise<void> {
    for (const each of this.#processes) each?.life.crash();
    for (const store of this.#stores) await store.close();
    await this.ground.close();
  }

  async #do(command: Command): Promise<void> {
    switch (command.do) {
      case 'say':
        return this.#say(this.#message(command), command.on);
      case 'both': {
        const [first, second] = [
          this.#message(command.first),
          this.#message({ ...command.second, in: command.first.in }),
        ];
        await Promise.all([this.#up(0), this.#up(1)]);
        await Promise.all([this.#say(first, 0), this.#say(second, 1)]);
        return;
      }
      case 'repeat': {
        const message = this.#messages.at(-1 - command.which);
        return message === undefined || this.#isErased(message) ? undefined : this.#say(message, command.on);
      }
      case 'answer':
      case 'decline':
      case 'cancel':
        return this.#api(command);
      case 'erase':
        return this.#erase(command);
      case 'break':
        return this.outside.breaks(command.how, command.times);
      case 'mend':
        return this.outside.mend();
      case 'retry': {
        const ids = [...new Set(this.setAside.map(({ parked }) => parked.id))];
        const id = ids.at(-1 - command.which);
        if (id === undefined) return;
        if (command.twice) await Promise.all([this.#up(0), this.#up(1)]);
        await Promise.all((command.twice ? [0, 1] : [command.on]).map((on) => this.#retry(id, on)));
        return;
      }
      case 'ask':
        return this.#program(command);
      case 'wait':
        return this.ground.pass(this.ground.times[command.how]);
      case 'flush':
        return this.ground.flush();
      case 'restart': {
        const process = this.#alive(command.on);
        process?.line.thaw();
        if (process) {
          process.stopped = true;
          await this.#ends(process, process.registry.stop());
        }
        this.#processes[command.on] = undefined;
        await this.#up(command.on);
        return;
      }
      case 'crash':
      case 'lose':
      case 'freeze':
      case 'thaw': {
        const process = this.#alive(command.on);
        if (process === undefined) return;
        if (command.do === 'freeze' || command.do === 'lose') process.cutOff = true;
        if (command.do === 'freeze') process.line.freeze(command.before === 'nothing' ? undefined : command.before);
        else if (command.do === 'lose') process.line.lose(command.step);
        else if (command.do !== 'crash') process.line.thaw();
        else if (command.after === 'nothing') kill(process);
        else {
          process.armed = true;
          process.life.crashAfter(command.after);
        }
      }
    }
  }

  #message(say: Say): IncomingMessage {
    const n = this.#messages.length + 1;
    const id = `m${n}`;
    const { what } = say;
    const texts: Record<string, string> = { good: String(10_000 + n), bad: 'what?', decline: 'never mind' };
    const text = typeof what === 'string' ? (texts[what] ?? what) : wanting(id, what);
    const key = say.names === undefined ? undefined : [...this.outside.ids.keys()].at(-1 - say.names);
    const there = say.astray ? undefined : this.outside.places.get(key ?? '');
    const conversationId = there ?? (conversations[say.in] as string);
    const named = key === undefined ? {} : { askId: this.outside.idOf(key) };
    const message = { id, conversationId, text, participant: participant(say.by), address: conversationId, ...named };
    this.#messages.push(message);
    return message;
  }

  async #say(message: IncomingMessage, on: number): Promise<void> {
    const process = await this.#up(on);
    const receiving = process.phone.desk?.receive(message).catch(() => 'not now');
    this.acks.push({ id: message.id, told: (await this.#ends(process, receiving)) ?? 'nothing' });
  }

  async #api(command: Command & { do: 'answer' | 'decline' | 'cancel' }): Promise<void> {
    const { registry, ...process } = await this.#up(command.on);
    const conversationId = conversations[command.in] as string;
    const group = this.#group;
    const key = command.which === 'all' ? undefined : [...this.outside.ids.keys()].at(-1 - command.which);
    if (command.which !== 'all' && key === undefined) return;
    const id = this.outside.idOf(key ?? '');
    const ask = async (): Promise<{ readonly type: string }> => {
      if (command.do === 'answer')
        return registry.answer(id, command.right ? this.#right(key ?? '') : { text: 'wrong' }, {
          by: participant(command.by),
        });
      if (command.do === 'decline') return registry.decline(id, { by: participant(command.by) });
      if (command.which !== 'all') return registry.cancel(id);
      await registry.cancel({ conversationId });
      return { type: 'received' };
    };
    const told = await this.#ends(
      process,
      ask().catch(() => ({ type: 'not now' })),
    );
    this.answers.push({ group, type: command.do, told: told?.type ?? 'nothing', key });
  }

  /** Refused while a decided effect is unfinished. */
  async #erase({ on, whom, ...command }: Command & { do: 'erase' }): Promise<void> {
    const process = await this.#up(on);
    const conversationId = conversations[command.in] as string;
    const what = whom === 'conversation' ? { conversationId } : { participantId: participant(whom).id };
    await this.#ends(
      process,
      process.registry.erase(what).catch(() => undefined),
    );
  }

  async #retry(id: string, on: number): Promise<void> {
    const process = await this.#up(on);
    const group = this.#group;
    const told = await this.#ends(
      process,
      process.registry.retry(id).catch(() => ({ type: 'not now' })),
    );
    this.answers.push({ group, type: 'retry', told: told?.type ?? 'nothing', key: undefined });
  }

  /** Until nothing is set aside any more. Where time really passes, what must not run twice is set aside whenever its lease runs out. */
  async #retryAll(): Promise<void> {
    const until = performance.now() + (this.ground.prompt ? 0 : patience);
    for (let round = 0; round < 5 || performance.now() < until; round += 1) {
      const { registry } = await this.#up(0);
      const parked = (await this.ground.until(patient(registry).parked())).items;
      if (parked.length === 0) return;
      for (const { id } of parked) {
        this.#group += 1;
        await this.#retry(id, 0);
        await this.#quiet();
      }
    }
  }

  /** A program asks and waits, while the history goes on once its question is recorded. */
  async #program({ plan, apart, aborts, ...command }: Command & { do: 'ask' }): Promise<void> {
    const [here, there] = [await this.#up(command.on), await this.#up(apart ? 1 - command.on : command.on)];
    const key = `p${this.callers.length + 1}`;
    const { soon, clock = systemClock } = this.ground;
    const caller: Caller = { key, keeps: plan.waits === 'keep', process: here, over: Promise.resolve() };
    this.callers.push(caller);
    const conversationId = conversations[command.in] as string;
    const where = { channel: 'phone', to: conversationId, conversationId };
    const options = { ...optionsOf(plan, soon), ...where };
    const stop = new AbortController();
    const callsOff = (): void => {
      if (stop.signal.aborted) caller.calledOffAt = clock.now();
    };
    stop.signal.addEventListener('abort', callsOff);
    if (aborts) clock.after(soon / 4, () => stop.abort());
    const wait = { timeout: patienceFor(plan, soon), keep: caller.keeps, signal: stop.signal };
    this.outside.plans.set(key, plan);
    const recorded = new Promise<void>((resolve) => this.#opening.set(key, resolve));
    const asks = async (): Promise<Outcome<unknown>> => {
      const question = questionOf(key, plan);
      if (!apart) return here.registry.askAndWait<unknown>(question, { ...options, ...wait });
      const { askId: id } = await here.registry.ask(question, options);
      caller.process = there;
      callsOff();
      return there.registry.wait<unknown>(id, wait);
    };
    const tell = (what: string): void => {
      if (!caller.process.dead) caller.told = what;
    };
    caller.over = asks().then(
      (outcome) => tell(inWords(outcome)),
      (error: unknown) => {
        if (error === stop.signal.reason) tell('called off');
        else tell(error instanceof AgentError ? error.code : String(error));
      },
    );
    await this.#ends(here, Promise.race([recorded, caller.over]));
  }

  /** What a program, or a turn elsewhere, asks and waits for is known by its question. */
  #recorded(entry: Entry, conversationId: string): void {
    const key = entry.type === 'open' ? entry.ask.question.text : '';
    const plan = this.outside.plans.get(key);
    if (entry.type !== 'open' || plan === undefined) return;
    this.outside.asked(key, plan, entry.ask.id, conversationId);
    this.#opening.get(key)?.();
  }

  /** It was recorded in an earlier life of its conversation: no platform sends it again after that. */
  #isErased({ id, conversationId }: IncomingMessage): boolean {
    const life = this.lives.get(conversationId) ?? 0;
    return this.log.some((each) => each.id.endsWith(`:${id}`) && each.life < life);
  }

  /** What answers the ask over the API. */
  #right(key: string): { text: string } | { value: { order: string; sure: true } } {
    const kind = this.outside.plans.get(key)?.kind;
    if (kind === 'form') return { value: { order: '99999', sure: true } };
    return { text: kind === 'vote' ? 'yes' : '99999' };
  }

  /** What came of it, or undefined if the process died or stood still first. */
  #ends<T>({ life, line }: Pick<Process, 'life' | 'line'>, work: Promise<T> | undefined): Promise<T | undefined> {
    const gone = Promise.race([life.died, line.stopped()]);
    return this.ground.until(Promise.race([work, gone.then(() => undefined)]));
  }

  #alive(n: number): Process | undefined {
    const process = this.#processes[n];
    return process === undefined || process.dead ? undefined : process;
  }

  /** The replica of that number; the other one if it stands still; started if neither is up. */
  async #up(n: number): Promise<Process> {
    const other = this.#alive(1 - n);
    const wanted = this.#alive(n);
    if (wanted?.line.frozen) {
      if (other !== undefined && !other.line.frozen) return other;
      wanted.line.thaw();
    }
    if (wanted !== undefined) return wanted;
    const store = this.ground.store();
    const base = this.#broken.store?.(store) ?? store;
    this.#stores.push(base);
    const line = lineTo(
      logged(
        this.ground.prompt ? base : timed(base, this.delays),
        {
          entries: this.log,
          lives: this.lives,
          revisions: this.revisions,
          setAside: this.setAside,
          recorded: (entry, conversationId) => this.#recorded(entry, conversationId),
        },
        () => this.#group,
      ),
    );
    const life = crashableStore(line.store);
    const phone = new Phone(this.outside);
    const clerk = new Clerk(this.outside, this.ground.soon);
    const registry = new AgentRegistry({
      agents: [clerk],
      channels: [phone],
      store: life.store,
      settings: this.ground.settings,
      identify,
      policies: { owners: ({ id }) => isOwner({ id: id.replace('phone:', '') }) },
      ...this.#broken.author,
      logger: silentLogger,
      newId: () => `id-${++this.#ids}`,
      ...(this.ground.clock === undefined ? {} : { clock: this.ground.clock }),
    });
    clerk.registry = registry;
    registry.on('asked', (about) => clerk.opened(about));
    // a busy machine takes longer than a lease for a single step
    if (!this.ground.prompt)
      registry.on('storeFailed', () => {
        process.cutOff = true;
      });
    const process: Process = { registry, phone, life, line, armed: false, dead: false, stopped: false, cutOff: false };
    void life.died.then(() => {
      process.dead = true;
    });
    this.#processes[n] = process;
    await this.ground.until(patient(registry).start());
    return process;
  }

  async #quiet(): Promise<void> {
    for (const process of this.#processes) {
      if (process && !process.dead && !process.line.frozen) await this.#ends(process, process.registry.idle());
    }
  }

  /** No more faults; then time passes until nothing is left to do, and every deadline is over. */
  async #heal(): Promise<void> {
    this.#group += 1;
    this.outside.mend();
    for (const process of this.#processes) {
      process?.line.thaw();
      if (process?.armed) kill(process);
    }
    await this.#up(0);
    await this.#settle();
    await this.#retryAll();
    await this.ground.pass(this.ground.times['past deadlines']);
    await this.#settle();
    if (this.ground.prompt) await this.#look();
    else await this.#drain();
  }

  /**
   * Waits until every program was told how its ask ended: it may try again for seconds. Then looks until a look finds nothing, also no
   * output that was lent and never marked. On a busy machine a lease may run out at any time: then an output is lent again, and work
   * that must not run twice is set aside.
   */
  async #drain(): Promise<void> {
    const until = performance.now() + patience;
    const living = this.callers.filter(({ process }) => !process.dead);
    const guard = sleep(patience, undefined, { ref: false });
    await Promise.race([Promise.all(living.map(({ over }) => over)), guard]);
    for (let before = -1; before !== this.delays.findings && performance.now() < until; ) {
      await this.#retryAll();
      before = this.delays.findings;
      await this.#settle();
    }
  }

  async #settle(): Promise<void> {
    const { rounds } = this.ground;
    for (let round = 0; round < rounds || (round < 400 && !(await this.#isStill())); round += 1) await this.#look();
  }

  async #look(): Promise<void> {
    await this.ground.pass(this.ground.times['a lease']);
    this.lookedAt = (await this.store.due(1)).now;
    for (const process of this.#processes) {
      if (process && !process.dead)
        await this.#ends(
          process,
          process.registry.sweep().catch(() => undefined),
        );
    }
    await this.#quiet();
  }

  async #isStill(): Promise<boolean> {
    const states = await Promise.all(conversations.map((id) => this.store.conversation(id)));
    const busy = states.some((state) => state !== null && (state.queue.length > 0 || state.held || state.begun));
    return !busy && (await this.store.due(1)).conversations.length === 0;
  }
}
