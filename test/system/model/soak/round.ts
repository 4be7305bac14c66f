/**
 * One round of the soak run: replicas on one ground, people who talk to them, faults, then everything is healed, looked
 * at and judged by the checker of test/system/faults.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeProcessors } from '../../../support/processes.js';
import type { Random } from '../../../support/seed.js';
import { complaints } from '../../faults/checker.js';
import type { Event, Evidence, FinalConversation } from '../../faults/evidence.js';
import type { Ground } from './grounds.js';
import { Outside, Replica } from './outside.js';
import { People } from './people.js';

const settings = { lease: 600, renewal: 200, sweep: 150, sendLease: 1_000, sendLimit: 900, grace: 2_000 };
/** Replicas that run side by side. */
export const places = 3;

export interface RoundOptions {
  readonly ground: Ground;
  readonly dir: string;
  readonly seconds: number;
  readonly lanes: number;
  /** Fewer accepted answers than this are a failure. */
  readonly least: number;
  /** A replica that is wrong on purpose. */
  readonly sabotage: boolean;
  readonly patience: number;
  /** What is drawn under this name. */
  readonly randomOf: (name: string) => Random;
}

export class Round {
  readonly faults = new Map<string, number>();
  readonly #options: RoundOptions;
  readonly #history: string;
  readonly #replicas: Replica[] = [];
  readonly #lost = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #troubles = new Set<Promise<void>>();
  #names = 0;
  #drawn = 0;
  #outside: Outside | undefined;
  #people: People | undefined;
  #ended = false;

  constructor(options: RoundOptions) {
    this.#options = options;
    this.#history = join(options.dir, 'history.jsonl');
  }

  /** Conversations that a fail-over met: what was acknowledged in them may be gone, and Redis is to blame. */
  get doubtful(): number {
    return this.#lost.size;
  }

  /** What the screen shows. */
  get figures(): { messages: number; accepted: number; effects: number; refused: number } {
    const calls = this.#outside?.calls ?? [];
    const effects = calls.filter((call) => call.what === 'pay' && !call.repeat).length;
    const { messages = 0, finished = [], refused = 0 } = this.#people ?? {};
    return { messages, accepted: finished.length, effects, refused };
  }

  /** What was wrong; nothing is a pass. */
  async run(): Promise<readonly string[]> {
    const { ground, seconds, lanes, least, patience, randomOf } = this.#options;
    this.#outside = await Outside.begin();
    await Promise.all(Array.from({ length: places }, (_, place) => this.#start(place)));
    const lost = (id: string) => this.#lost.has(id);
    const people = new People(this.#outside, () => this.#replicas, this.#history, lost, patience, randomOf);
    this.#people = people;
    const talk = people.talk(lanes);
    const random = randomOf('pauses');
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end && !this.#ended) {
      const trouble = this.#trouble().finally(() => this.#troubles.delete(trouble));
      this.#troubles.add(trouble);
      await sleep(200 + random() * 700);
    }
    await Promise.all(this.#troubles);
    await ground.heal();
    for (const replica of this.#replicas) await replica.signal('SIGCONT');
    people.stop();
    await talk;
    if (this.#ended) return [];
    const evidence = await this.#evidence(people.conversations);
    const accepted = Math.max(least, people.finished.filter((id) => !lost(id)).length);
    return [...people.complaints, ...complaints(evidence, { accepted, lost })];
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#people?.stop(true);
    await Promise.all(this.#replicas.map((replica) => replica.signal('SIGKILL')));
    await this.#outside?.end();
  }

  async #start(place: number): Promise<void> {
    const { ground, sabotage } = this.#options;
    if (this.#ended) return;
    this.#names += 1;
    const skew = ground.skews && place === 0 ? (this.#names % 2 ? 600_000 : -600_000) : 0;
    const replica = new Replica({
      name: `replica-${this.#names}`,
      world: this.#outside?.url,
      history: this.#history,
      ...ground.store(place),
      perseveres: true,
      commandTimeout: 2_000,
      settings,
      skew,
      sabotage: sabotage && place === 1,
    });
    this.#replicas[place] = replica;
    await replica.ready;
  }

  async #trouble(): Promise<void> {
    const { ground, randomOf } = this.#options;
    this.#drawn += 1;
    const random = randomOf(`trouble ${this.#drawn}`);
    const own: Record<string, () => Promise<void>> = {
      'kill -9': () => this.#restart('SIGKILL', random),
      SIGTERM: () => this.#restart('SIGTERM', random),
      SIGSTOP: async () => {
        const replica = this.#any(random);
        if (replica === undefined || replica.stopped) return;
        await replica.signal('SIGSTOP');
        await sleep(200 + random() * 1_500);
        await replica.signal('SIGCONT');
      },
      'processors taken': async () => {
        const free = takeProcessors(2 * availableParallelism(), 10_000);
        await sleep(500 + random() * 1_500);
        await free();
      },
    };
    const all = random() < 0.5 ? own : ground.faults;
    const names = Object.keys(all);
    const name = names[Math.floor(random() * names.length)] as string;
    if (this.#busy.has(name)) return; // one of a kind at a time
    if (name !== 'calm') this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
    this.#busy.add(name);
    const forgets = name === ground.forgets;
    const doubt = () => {
      for (const id of this.#people?.talking ?? []) this.#lost.add(id);
    };
    const begun = this.#people?.conversations.length ?? 0;
    if (forgets) doubt();
    const watching = forgets ? setInterval(doubt, 50) : undefined;
    await all[name]?.();
    clearInterval(watching);
    // one may begin and end between two looks
    if (forgets) for (const id of this.#people?.conversations.slice(begun) ?? []) this.#lost.add(id);
    this.#busy.delete(name);
  }

  #any(random: Random): Replica | undefined {
    const alive = this.#replicas.filter((replica) => replica.alive);
    return alive[Math.floor(random() * alive.length)];
  }

  async #restart(signal: 'SIGKILL' | 'SIGTERM', random: Random): Promise<void> {
    const replica = this.#any(random);
    if (replica === undefined || (replica.stopped && signal === 'SIGTERM')) return;
    const place = this.#replicas.indexOf(replica);
    await replica.signal(signal);
    await sleep(random() * 500);
    if (this.#replicas[place] === replica) await this.#start(place);
  }

  /** Asks replicas one after the other until one answers. */
  async #ask<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    for (let i = 0; ; i += 1) {
      const told = await (this.#replicas[i % places] as Replica).call(name, args, 20_000);
      if (told.ok) return told.value as T;
      if (i > 20) throw new Error(`No replica answers ${name}: ${told.code}`);
      await sleep(200);
    }
  }

  /** Waits until nothing more happens, then looks at everything. */
  async #evidence(ids: readonly string[]): Promise<Evidence> {
    const outside = this.#outside as Outside;
    for (let still = 0; still < 2; ) {
      await sleep(settings.sendLease + 200);
      const calls = outside.calls.length;
      await Promise.all(this.#replicas.map((replica) => replica.call('sweep', [], 20_000)));
      await Promise.all(this.#replicas.map((replica) => replica.call('idle', [], 20_000)));
      still = outside.calls.length === calls || still > 0 ? still + 1 : still;
    }
    const parked = await this.#ask<readonly { conversationId: string; entryId: string; askId?: string }[]>('parked');
    const conversations: FinalConversation[] = [];
    for (const id of ids) {
      const mine = outside.calls.filter((call) => call.conversationId === id);
      const asked = [...new Set(mine.flatMap((call) => call.askId ?? []))];
      const seen = await this.#ask<FinalConversation>('seen', id, asked);
      conversations.push({ ...seen, parked: parked.filter((each) => each.conversationId === id) });
    }
    const lines = readFileSync(this.#history, 'utf8').split('\n').filter(Boolean);
    const unsent = await this.#ask<number>('unsent');
    return { events: lines.map((line) => JSON.parse(line) as Event), calls: outside.calls, conversations, unsent };
  }
}
