/**
 * Session grants: who approved which tool with exactly which arguments, in which conversation. A grant is the decided
 * ask itself, so all processes share it, even after a restart; its uses and its revocation are recorded beside it.
 * Asks nobody.
 */
import type { PendingAsk } from '../../core/ask/ask.js';
import { definedFields } from '../../core/defined-fields.js';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import type { AnsweredAsk } from '../../registry/calls/single-use.js';
import { uses } from '../../registry/calls/single-use.js';
import type { AgentRegistry } from '../../registry/registry.js';
import { currentTurn } from '../../registry/turn/current-turn.js';
import type { AskPlace } from '../ask-place.js';
import { callKeyOf } from '../interrupt.js';
import type { ToolAskOptions } from '../options.js';
import type { PlacedAction } from './action.js';
import { aboutAction, digestOf, isSameAction, storedAction } from './action.js';

/** An approval that holds for a session: the same action needs no second one. */
export interface Grant {
  /** The id of the ask that granted it. */
  readonly id: string;
  /** The tool that it is for. */
  readonly tool: string;
  /** The arguments that it is for. */
  readonly input: Json;
  /** Where it was granted. */
  readonly place: AskPlace;
  /** Who granted it. */
  readonly by?: Participant;
  /** When it was granted. */
  readonly grantedAt: Date;
  /** When it ends. */
  readonly expiresAt: Date;
  /** The number of its uses. */
  readonly uses: number;
}

/** The conditions under which a grant is valid here. With `excludeAsker` a grant does not count for the person who gave it. */
export interface GrantRules extends Pick<ToolAskOptions, 'answerableBy' | 'excludeAsker'> {
  readonly session: boolean;
  readonly expiresIn: number;
}

const revoked = 'revoked';
/** The most concurrent uses that may each take a number first. */
const maxAttempts = 100;

export class Grants {
  readonly #registry: () => AgentRegistry;
  readonly #rules: GrantRules;

  constructor(registry: () => AgentRegistry, rules: GrantRules) {
    [this.#registry, this.#rules] = [registry, rules];
  }

  /**
   * The effect key of one more use, or undefined without a grant. Each use is an effect of its own, so it has its own
   * key. `callKey` identifies a call that may repeat in a re-run of its turn: it gets the same key again.
   */
  async use(action: PlacedAction, callKey: string | undefined): Promise<string | undefined> {
    const held = await this.#held(action);
    if (held === undefined) return undefined;
    const { ask, uses: used } = held;
    if (callKey !== undefined && callKeyOf(ask) === callKey) return ask.effectKey; // the call that the person approved
    const registry = this.#registry();
    if (callKey !== undefined) {
      const name = digest(callKey);
      await registry[uses].use(ask.id, name);
      return `${ask.effectKey}:${name}`;
    }
    const first = timesUsed(used) + 1;
    for (let number = first; number < first + maxAttempts; number += 1) {
      if (await registry[uses].use(ask.id, String(number))) return `${ask.effectKey}:${number}`;
      if ((await registry.getAsk(ask.id)) === null) return undefined; // erased meanwhile, with the grant
    }
    return undefined; // too much contention: ask a person
  }

  async has(action: PlacedAction): Promise<boolean> {
    return (await this.#held(action)) !== undefined;
  }

  /** The grants that are valid now in the conversation of this place. */
  async list(place: AskPlace): Promise<readonly Grant[]> {
    const expiresIn = this.#expiresIn;
    const { asks, now } = await this.#registry()[uses].answered(place, expiresIn);
    return asks.flatMap((held) => {
      const action = this.#isValid(held, now) ? storedAction(held.ask.context) : undefined;
      if (action === undefined) return [];
      const { id, decidedBy } = held.ask;
      const grantedAt = decidedAt(held.ask);
      const expiresAt = new Date(grantedAt.getTime() + expiresIn);
      const about = {
        id,
        tool: action.tool,
        input: action.input,
        place: action.place,
        ...definedFields({ by: decidedBy }),
      };
      return [{ ...about, grantedAt, expiresAt, uses: timesUsed(held.uses) }];
    });
  }

  /** False if there is no valid grant with that id. */
  async revoke(id: string): Promise<boolean> {
    const registry = this.#registry();
    const ask = await registry.getAsk(id);
    if (ask === null || !this.#isValid({ ask, uses: new Set() }, await registry[uses].now())) return false;
    return registry[uses].use(id, revoked);
  }

  get #expiresIn(): number {
    return this.#registry()[uses].usableFor(this.#rules.expiresIn);
  }

  async #held(action: PlacedAction): Promise<AnsweredAsk | undefined> {
    const { session, excludeAsker } = this.#rules;
    if (!session) return undefined;
    const { asks, now } = await this.#registry()[uses].answered(action.place, this.#expiresIn, aboutAction(action));
    const asker = currentTurn()?.asker.id ?? action.session?.asker;
    return asks.find(({ ask, uses: used }) => {
      const isOwn = excludeAsker === true && asker !== undefined && ask.decidedBy?.id === asker;
      return isSameAction(storedAction(ask.context), action) && !isOwn && this.#isValid({ ask, uses: used }, now);
    });
  }

  /** True if it was granted for a session under the rule of who may approve now, and is neither expired nor revoked. */
  #isValid({ ask, uses: used }: AnsweredAsk, now: number): boolean {
    const { answerableBy } = this.#rules;
    const stored = storedAction(ask.context);
    return (
      ask.status === 'answered' &&
      ask.value === 'session' &&
      !used.has(revoked) &&
      stored !== undefined &&
      digestOf(stored.tool, stored.input) === stored.digest &&
      canonical(ask.answerableBy as Json) === canonical((answerableBy ?? null) as Json) &&
      now < decidedAt(ask).getTime() + this.#expiresIn
    );
  }
}

function decidedAt(ask: PendingAsk<unknown>): Date {
  return ask.decidedAt ?? ask.askedAt;
}

/** Includes the use for which it was granted. */
function timesUsed(used: ReadonlySet<string>): number {
  return 1 + [...used].filter((name) => name !== '' && name !== revoked).length;
}
