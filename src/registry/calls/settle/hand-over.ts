/**
 * Handing an ask to another person: an entry in the ask's own queue, like every other call by id. Whether it can be handed to that person
 * is decided in core/ask/steps.ts.
 */

import type { PendingAsk, Place } from '../../../core/ask/ask.js';
import type { CheckedOptions, OptionRules } from '../../../core/check-options.js';
import { anything, checkOptions, nonEmpty, object, optional } from '../../../core/check-options.js';
import type { HandOverEntry } from '../../../core/conversation/entry.js';
import { definedFields } from '../../../core/defined-fields.js';
import { badOption } from '../../../core/errors.js';
import type { Json } from '../../../core/json.js';
import { plainData } from '../../../core/json.js';
import { type Participant, personDamage } from '../../../core/participant.js';
import { neededPersonRule, orId } from '../../arguments.js';
import type { RegistryContext } from '../../context.js';
import type { ToldOfPerson } from '../../known-person.js';
import { firstKnown, ownersOf, tenantOf, textIn } from '../../known-person.js';
import { furtherPlace } from '../../turn/new-ask.js';
import type { CallParts } from '../parts.js';
import type { SettleCall, Settled } from './settle.js';
import { outcomeOf, reasonRule } from './settle.js';

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
   * person must be given, or known to `identify` or to a channel (`tenantOf`). An id of Slack, or of
   * another channel with `isOwnId`, must be that of somebody who may answer there.
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
   * `already` and `late`: the ask is over, or the person has voted. `invalid`: it cannot be handed to that person, or it cannot be looked up
   * now who they are, and nothing has changed.
   * `refused`: who hands it over may not answer it.
   */
  | Exclude<Settled, { readonly type: 'accepted' | 'counted' | 'changed' }>;

export async function handOver(
  parts: CallParts,
  askId: string,
  options: HandOverOptions,
  { entryId }: SettleCall = {},
): Promise<HandOverResult> {
  const entry = await entryFor(parts.context, askId, options);
  if (entry === undefined) return notNow(parts, askId, options.by);
  const { settled, disposition } = await outcomeOf(parts, askId, entry, entryId);
  if (disposition?.type === 'control') {
    const ask = await parts.asks.get(askId);
    return ask === null ? { type: 'unknown' } : { type: 'handed-over', ask };
  }
  const { type } = settled;
  return type === 'accepted' || type === 'counted' || type === 'changed' ? { type: 'received' } : settled;
}

/** The entry to record; undefined if a channel cannot tell now who the other person is. */
async function entryFor(
  context: RegistryContext,
  askId: string,
  options: HandOverOptions,
): Promise<HandOverEntry | undefined> {
  const { by, to: given, via, reason } = checkedHandOver(options);
  const { settings } = context;
  const address = via?.to === undefined ? undefined : plainData(via.to, 'handOver(): via.to', settings);
  const named = via && furtherPlace(context, via.channel, address, 'handOver(): via');
  const isOwn = ownersOf(context, given.id).size > 0;
  const tenant = given.tenant === undefined ? await tenantOf(context, given.id) : { known: given.tenant };
  // a place that is named does not make somebody known: they are looked up all the same
  const reached = via === undefined || isOwn ? await placeOf(context, given.id) : {};
  if (tenant.isUntold || reached.isUntold) return undefined;
  const unknown = isOwn && reached.known === undefined && { isUnknown: true as const };
  const name = given.name ?? (await nameOf(context, given.id)).known;
  const to = { ...given, ...definedFields({ tenant: tenant.known, name }) };
  const told = via === undefined ? reached.known : named;
  const longest = told === undefined ? undefined : context.channels.get(told.channel)?.longestQuestion;
  const place = told === undefined || longest === undefined ? told : { ...told, longest };
  const { known: ownPlace } = await placeOf(context, by.id);
  const said = reason === '' ? undefined : reason;
  return { type: 'hand-over', askId, by, to, ...unknown, ...definedFields({ reason: said, place, ownPlace }) };
}

/** Nothing is recorded, so that the same call can be made again. */
async function notNow({ context, asks }: CallParts, askId: string, { locale }: Participant): Promise<HandOverResult> {
  const ask = await asks.get(askId);
  if (ask === null) return { type: 'unknown' };
  const { wording } = context.language(locale ?? ask.asker?.locale);
  return { type: 'invalid', problem: wording.handOverNotNow() };
}

/** Where a person can be reached, by the first channel that knows them. */
function placeOf(context: RegistryContext, participantId: string): Promise<ToldOfPerson<Place>> {
  // nothing is no place: the one without an address may be one that everybody reads
  const read = (to: unknown, call: string, channel: string): Place | undefined =>
    furtherPlace(context, channel, plainData(to, call, context.settings), 'handOver(): addressOf()');
  return firstKnown(context, participantId, 'addressOf', read);
}

/** The name of a person, by the first channel that knows it. Without one they are called by their id. */
function nameOf(context: RegistryContext, participantId: string): Promise<ToldOfPerson<string>> {
  const read = (given: unknown, call: string): string => {
    const name = textIn(given, call);
    const damage = personDamage({ name });
    if (damage !== undefined) throw badOption(`${call}: ${damage}.`);
    return name;
  };
  return firstKnown(context, participantId, 'nameOf', read);
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
