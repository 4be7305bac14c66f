/**
 * What channels know about a person, by the id that they give them. `isOwnId`, `addressOf`, `tenantOf` and `nameOf` are code of the author:
 * whatever fails or takes too long is logged and passed over. Nothing is decided here.
 */
import type { Channel } from '../channels/port.js';
import { wrongOption } from '../core/check-options.js';
import { failureOf } from '../core/errors.js';
import { ignoreRejection } from '../core/promise.js';
import { within } from '../machine/clock.js';
import type { RegistryContext } from './context.js';

/** What channels say about a person. `isUntold`: none says anything, and a channel that owns the id failed to say. */
export interface ToldOfPerson<T> {
  readonly known?: T;
  readonly isUntold?: true;
}

/** The names of the channels that say that an id is one of theirs. */
export function ownersOf(context: RegistryContext, participantId: string): ReadonlySet<string> {
  const owners = new Set<string>();
  for (const [name, channel] of context.channels) {
    try {
      if (ignoreRejection(channel.isOwnId?.(participantId)) === true) owners.add(name);
    } catch (error) {
      warn(context, 'whether an id is its own', name, error);
    }
  }
  return owners;
}

/** Returns true if a channel may know the tenant of this person: none is asked about an id that it does not own. */
export function hasTenantOf(context: RegistryContext, participantId: string): boolean {
  return tenantChannels(context, participantId).size > 0;
}

/** Resolves with the tenant of a person, by the first channel that knows it. */
export function tenantOf(context: RegistryContext, participantId: string): Promise<ToldOfPerson<string>> {
  return firstKnown(context, participantId, 'tenantOf', textIn, tenantChannels(context, participantId));
}

function tenantChannels(context: RegistryContext, participantId: string): ReadonlyMap<string, Channel> {
  const able = [...context.channels].filter(([, channel]) => channel.tenantOf !== undefined);
  if (able.length === 0) return new Map();
  const owners = ownersOf(context, participantId);
  return new Map(able.filter(([name, channel]) => channel.isOwnId === undefined || owners.has(name)));
}

/** What the methods tell, for the log. */
const told = {
  addressOf: 'where a person can be reached',
  nameOf: 'the name of a person',
  tenantOf: 'the tenant of a person',
} as const;

/**
 * Resolves with what the first channel says that says something, as `read` reads it; `call` names the channel and its method. A channel that
 * fails, or takes longer than `settings.sendLimit`, is logged and passed over.
 */
export async function firstKnown<T>(
  context: RegistryContext,
  participantId: string,
  method: keyof typeof told,
  read: (given: unknown, call: string, channel: string) => T | undefined,
  channels = context.channels,
): Promise<ToldOfPerson<T>> {
  const { clock, settings } = context;
  const failed: string[] = [];
  for (const [name, channel] of channels) {
    try {
      const call = `${method}() of channel ${JSON.stringify(name)}`;
      const given = await within<unknown>(clock, settings.sendLimit, channel[method]?.(participantId), () => {
        throw new Error(`${call} has not answered within ${settings.sendLimit} ms.`);
      });
      const known = given === undefined || given === null ? undefined : read(given, call, name);
      if (known !== undefined) return { known };
    } catch (error) {
      failed.push(name);
      warn(context, told[method], name, error);
    }
  }
  const owners = failed.length > 0 ? ownersOf(context, participantId) : undefined;
  return failed.some((name) => owners?.has(name)) ? { isUntold: true } : {};
}

/** Returns the text that a channel gave. Throws for anything else. */
export function textIn(given: unknown, call: string): string {
  if (typeof given === 'string' && given !== '') return given;
  throw wrongOption(call, 'a non-empty string, or undefined', given);
}

function warn(context: RegistryContext, what: string, channel: string, error: unknown): void {
  context.logger.warn(`A channel could not tell ${what}`, { channel, failure: failureOf(error) });
}
