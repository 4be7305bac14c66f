/**
 * Permissions that people gave for a session: who allowed which tool with exactly which arguments, in which conversation.
 * Kept in memory: after a restart they are gone and the person is asked again. Nothing is decided here.
 */
import type { Json } from '../core/json.js';
import type { Participant } from '../core/participant.js';
import type { Clock } from '../machine/clock.js';
import type { AskPlace } from './place.js';

export interface Grant {
  /** The id of the ask in which it was given. */
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly place: AskPlace;
  readonly by?: Participant;
  readonly grantedAt: Date;
  readonly expiresAt: Date;
  /** How often it has been used. */
  readonly uses: number;
}

interface Held {
  readonly grant: Omit<Grant, 'uses'>;
  readonly effectKey: string;
  /** On the clock that never goes back. */
  readonly until: number;
  uses: number;
}

export class Grants {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  /** Approvals that were used, until they would have run out anyway. */
  readonly #spent = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An approval counts once: false for the second time. `left` is how long it would still count, in ms. */
  spend(askId: string, left: number): boolean {
    this.#prune();
    if (this.#spent.has(askId)) return false;
    this.#spent.set(askId, this.#clock.elapsed() + left);
    return true;
  }

  /** `key` is of the conversation, the tool and the arguments. It was used once when it was given. */
  add(key: string, grant: Omit<Grant, 'uses'>, effectKey: string, left: number): void {
    this.#prune();
    this.#held.set(key, { grant, effectKey, until: this.#clock.elapsed() + left, uses: 1 });
  }

  /** The key of one more effect, or undefined without a grant. Each use is an effect of its own, so it has its own key. */
  use(key: string): string | undefined {
    this.#prune();
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    held.uses += 1;
    return `${held.effectKey}:${held.uses}`;
  }

  has(key: string): boolean {
    this.#prune();
    return this.#held.has(key);
  }

  list(): readonly Grant[] {
    this.#prune();
    return [...this.#held.values()].map(({ grant, uses }) => ({ ...grant, uses }));
  }

  /** False if there is none of that id, or no more. */
  revoke(id: string): boolean {
    this.#prune();
    for (const [key, { grant }] of this.#held) if (grant.id === id) return this.#held.delete(key);
    return false;
  }

  #prune(): void {
    const now = this.#clock.elapsed();
    for (const [key, { until }] of this.#held) if (until <= now) this.#held.delete(key);
    for (const [id, until] of this.#spent) if (until <= now) this.#spent.delete(id);
  }
}
