/**
 * Two replicas on the store of a ground. Each is begun when it is needed, dies on demand, and is replaced by another one that finds
 * what it has left. They know nothing of what their registries do.
 */
import { AgentError, type AgentRegistry } from '../../../src/index.js';
import type { Store } from '../../../src/stores/port.js';
import { type CrashableStore, type CrashPoint, crashableStore } from '../../../src/testing/crashable-store.js';
import { patience } from '../../support/processes.js';
import type { Ground } from './grounds.js';
import { isNotNow, patient } from './patient.js';

/** A replica: what was begun on its store, and whether it lives. */
export type Begun<T> = T & { readonly life: CrashableStore; armed: boolean; dead: boolean };

const isUnknown = (error: unknown): boolean => error instanceof AgentError && error.code === 'unknown-ask';

export class Replicas<T extends { readonly registry: AgentRegistry }> {
  readonly #all: (Begun<T> | undefined)[] = [];
  readonly #stores: Store[] = [];
  /** Since everything was recovered last. */
  #hasDied = false;

  constructor(
    private readonly ground: Ground,
    private readonly begin: (store: Store) => T,
    private readonly broken: (store: Store) => Store,
  ) {}

  get living(): readonly Begun<T>[] {
    return this.#all.filter((each) => each !== undefined && !each.dead) as Begun<T>[];
  }

  /** The replica of that number, begun if it is not there. */
  async up(n: number): Promise<Begun<T>> {
    const known = this.#all[n];
    if (known !== undefined && !known.dead) return known;
    const store = this.broken(this.ground.store());
    this.#stores.push(store);
    const life = crashableStore(store);
    const replica: Begun<T> = { ...this.begin(life.store), life, armed: false, dead: false };
    void life.died.then(() => {
      replica.dead = true;
      this.#hasDied = true;
    });
    this.#all[n] = replica;
    await this.ground.until(patient(replica.registry).start());
    return replica;
  }

  /**
   * What a caller is told. Whoever calls a replica that dies of it, or does not reach its store, calls again, and is told what depends
   * on how far the first had come: undefined stands for that.
   */
  async call<R>(n: number, work: (replica: Begun<T>) => Promise<R>): Promise<R | undefined> {
    const until = performance.now() + patience;
    for (let isFirst = true; ; isFirst = false) {
      const replica = await this.up(n);
      const died = replica.life.died.then(() => undefined);
      try {
        const told = await this.ground.until(Promise.race([work(replica), died]));
        if (!replica.dead) return isFirst ? told : undefined;
      } catch (error) {
        if (!isFirst && isUnknown(error)) return undefined; // such as parked work: the first call has tried it again
        if (!isNotNow(error) || performance.now() > until) throw error;
      }
    }
  }

  /** It dies now, or after its next step of that kind, and at the latest when everything is recovered. */
  async crash(n: number, after: CrashPoint | 'nothing'): Promise<void> {
    const replica = await this.up(n);
    if (after === 'nothing') replica.life.crash();
    else replica.life.crashAfter(after);
    replica.armed = true;
  }

  /** A replica that was to die has died by now; then what it has left is taken over. */
  async recover(): Promise<void> {
    for (const each of this.#all) if (each?.armed) each.life.crash();
    await Promise.all(this.#all.flatMap((each) => (each?.armed ? [each.life.died] : [])));
    await this.up(0);
    const rounds = this.#hasDied ? 3 : 0;
    this.#hasDied = false;
    for (let round = 0; round < rounds; round += 1) await this.look();
  }

  /** A lease passes, and everybody looks for what is due. */
  async look(): Promise<void> {
    await this.ground.pass(this.ground.times['a lease']);
    for (const each of this.living) await this.ground.until(patient(each.registry).sweep());
  }

  async idle(): Promise<void> {
    for (const each of this.living) await this.ground.until(each.registry.idle());
  }

  async close(): Promise<void> {
    for (const each of this.#all) each?.life.crash();
    for (const store of this.#stores) await store.close();
    await this.ground.close();
  }
}
