/**
 * Handing an ask to another person: an entry in the ask's own queue, like every other call by id. Whether it can be handed to that person
 * is decided in core/ask/steps.ts.
 */

import type { Channel } from '../../../channels/port.js';
import type { PendingAsk, Place } from '../../../core/ask/ask.js';
import type { CheckedOptions, OptionRules } from '../../../core/check-options.js';
import { anything, checkOptions, nonEmpty, object, optional, wrongOption } from '../../../core/check-options.js';
import type { HandOverEntry } from '../../../core/conversation/entry.js';
import { definedFields } from '../../../core/defined-fields.js';
import { AgentError, failureOf } from '../../../core/errors.js';
import type { Json } from '../../../core/json.js';
import { plainData } from '../../../core/json.js';
import type { Participant } from '../../../core/participant.js';
import { ignoreRejection, isPromiseLike } from '../../../core/promise.js';
import { neededPersonRule, orId } from '../../arguments.js';
import type { RegistryContext } from '../../context.js';
import { furtherPlace } from '../../turn/new-ask.js';
import type { AskLookup } from '../lookup.js';
import type { SettleCall, Settled, Settlement } from './settle.js';
import { reasonRule } from './settle.js';

/**
 * Who hands an ask to whom.
 *
 * @example
 * import { AgentRegistry, type HandOverOptions } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const options: HandOverOptions = { by: { id: 'web:anna' }, to: 'web:ben', reason: 'I am away from tomorrow on.' };
 * await registry.handOver('ask-1', options);
 */
export interface HandOverOptions {
  /** The person who hands it over. They must be somebody who may answer it now, and may not answer it afterwards. */
  readonly by: Participant;
  /**
   * The person who gets it, or their id. Not the one it is asked for, and nobody of another tenant: where the ask has a tenant, that of this
   * person must be given, or known to `identify` or to a channel (`tenantOf`), unless `answerableBy` names their id.
   */
  readonly to: Participant | string;
  /** Where the other person is shown the question. Without it, on the first channel that knows them, if there is one; else the inbox shows it. */
  readonly via?: { readonly channel: string; readonly to?: Json };
  /** What the other person is told about it, in at most 1,000 characters. */
  readonly reason?: string;
}

/**
 * What became of a hand-over.
 *
 * @example
 * import { AgentRegistry, type HandOverResult } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const handed: HandOverResult = await registry.handOver('ask-1', { by: { id: 'web:anna' }, to: 'web:ben' });
 * if (handed.type === 'invalid') console.log(handed.problem);
 */
export type HandOverResult =
  /** The other person may answer now. */
  | { readonly type: 'handed-over'; readonly ask: PendingAsk<unknown> }
  /**
   * `already` and `late`: the ask is over, or the person has voted. `invalid`: it cannot be handed to that person, and nothing has changed.
   * `refused`: who hands it over may not answer it.
   */
  | Exclude<Settled, { readonly type: 'accepted' | 'counted' | 'changed' }>;

export class HandOvers {
  readonly #context: RegistryContext;
  readonly #asks: AskLookup;
  readonly #settlement: Settlement;

  constructor(context: RegistryContext, asks: AskLookup, settlement: Settlement) {
    this.#context = context;
    this.#asks = asks;
    this.#settlement = settlement;
  }

  async handOver(askId: string, options: HandOverOptions, { entryId }: SettleCall = {}): Promise<HandOverResult> {
    const entry = this.#entry(askId, options);
    const { settled, disposition } = await this.#settlement.outcomeOf(askId, entry, entryId);
    if (disposition?.type === 'control') {
      const ask = await this.#asks.get(askId);
      return ask === null ? { type: 'unknown' } : { type: 'handed-over', ask };
    }
    const { type } = settled;
    return type === 'accepted' || type === 'counted' || type === 'changed' ? { type: 'received' } : settled;
  }

  #entry(askId: string, options: HandOverOptions): HandOverEntry {
    const { by, to: given, via, reason } = checkedHandOver(options);
    const to = this.#withTenant(given);
    const { textBytes: bytes, depth } = this.#context.settings;
    const address = via?.to === undefined ? undefined : plainData(via.to, 'handOver(): via.to', { bytes, depth });
    const told =
      via === undefined ? this.#placeOf(to.id) : furtherPlace(this.#context, via.channel, address, 'handOver(): via');
    const longest = told === undefined ? undefined : this.#context.channels.get(told.channel)?.longestQuestion;
    const place = told === undefined || longest === undefined ? told : { ...told, longest };
    const ownPlace = this.#placeOf(by.id);
    const said = reason === '' ? undefined : reason;
    return { type: 'hand-over', askId, by, to, ...definedFields({ reason: said, place, ownPlace }) };
  }

  /** Where a person can be reached, by the first channel that knows them. */
  #placeOf(participantId: string): Place | undefined {
    return this.#firstKnown('where a person can be reached', (channel, name) => {
      const what = `addressOf() of channel ${JSON.stringify(name)}`;
      const to = saidAtOnce(channel.addressOf?.(participantId), what);
      if (to === undefined) return undefined;
      const { textBytes: bytes, depth } = this.#context.settings;
      const address = plainData(to, what, { bytes, depth });
      return furtherPlace(this.#context, name, address, 'handOver(): addressOf()');
    });
  }

  /** The same person, with the tenant that the first channel says which knows it, where the call says none. */
  #withTenant(who: Participant): Participant {
    if (who.tenant !== undefined) return who;
    const tenant = this.#firstKnown('the tenant of a person', (channel, name) => {
      const what = `tenantOf() of channel ${JSON.stringify(name)}`;
      const said = saidAtOnce(channel.tenantOf?.(who.id), what);
      if (said === undefined || (typeof said === 'string' && said !== '')) return said;
      throw wrongOption(what, 'a non-empty string, or undefined', said);
    });
    return tenant === undefined ? who : { ...who, tenant };
  }

  /** What the first channel says that says something. One that cannot tell is passed over. */
  #firstKnown<T>(what: string, ask: (channel: Channel, name: string) => T | undefined): T | undefined {
    for (const [name, channel] of this.#context.channels) {
      try {
        const known = ask(channel, name);
        if (known !== undefined) return known;
      } catch (error) {
        this.#context.logger.warn(`A channel could not tell ${what}`, { channel: name, failure: failureOf(error) });
      }
    }
    return undefined;
  }
}

/** What a channel says, if it says it at once: nobody waits for a promise. */
function saidAtOnce(said: unknown, what: string): unknown {
  if (!isPromiseLike(ignoreRejection(said))) return said;
  throw new AgentError(
    'bad-option',
    `${what} gave a promise. It must give its value at once: look people up beforehand, or name the place with via and the tenant with to.tenant.`,
  );
}

const handOverRules = {
  by: neededPersonRule,
  to: orId(neededPersonRule),
  via: optional(
    object({ channel: nonEmpty("a channel's name"), to: optional(anything<Json>()) }, "{ channel: 'slack', to: 'U7' }"),
  ),
  reason: optional(reasonRule),
} satisfies OptionRules<HandOverOptions>;

function checkedHandOver(options: HandOverOptions): CheckedOptions<typeof handOverRules> {
  return checkOptions('handOver()', options, handOverRules, "{ by: { id: 'web:anna' }, to: 'web:ben' }");
}
