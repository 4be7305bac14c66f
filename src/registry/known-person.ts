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
  const channels = tenantChannels(context, participantId);
  const look = async (channel: Channel, name: string): Promise<string | undefined> => {
    const what = `tenantOf() of channel ${JSON.stringify(name)}`;
    return textOrNothing(await inTime(context, channel.tenantOf?.(participantId), what), what);
  };
  return firstKnown(context, participantId, { what: 'the tenant of a person', look, channels });
}

function tenantChannels(context: RegistryContext, participantId: string): ReadonlyMap<string, Channel> {
  const able = [...context.channels].filter(([, channel]) => channel.tenantOf !== undefined);
  if (able.length === 0) return new Map();
  const owners = ownersOf(context, participantId);
  return new Map(able.filter(([name, channel]) => channel.isOwnId === undefined || owners.has(name)));
}

interface Look<T> {
  /** What is looked up, for the log. */
  readonly what: string;
  readonly look: (channel: Channel, name: string) => Promise<T | undefined>;
  readonly channels?: ReadonlyMap<string, Channel>;
}

/** Resolves with what the first channel says that says something. A channel that fails is logged and passed over. */
export async function firstKnown<T>(
  context: RegistryContext,
  participantId: string,
  { what, look, channels = context.channels }: Look<T>,
): Promise<ToldOfPerson<T>> {
  const failed: string[] = [];
  for (const [name, channel] of channels) {
    try {
      const known = await look(channel, name);
      if (known !== undefined) return { known };
    } catch (error) {
      failed.push(name);
      warn(context, what, name, error);
    }
  }
  const owners = failed.length > 0 ? ownersOf(context, participantId) : undefined;
  return failed.some((name) => owners?.has(name)) ? { isUntold: true } : {};
}

/** Resolves with what a channel says. Rejects if a promise takes longer than `settings.sendLimit`. */
export function inTime<T>({ clock, settings }: RegistryContext, said: T | PromiseLike<T>, what: string): Promise<T> {
  return within(clock, settings.sendLimit, said, () => {
    throw new Error(`${what} has not answered within ${settings.sendLimit} ms.`);
  });
}

/** Returns the text that a channel gave, or undefined for nothing. Throws for anything else. */
export function textOrNothing(said: unknown, what: string): string | undefined {
  if (said === undefined || said === null) return undefined;
  if (typeof said === 'string' && said !== '') return said;
  throw wrongOption(what, 'a non-empty string, or undefined', said);
}

function warn(context: RegistryContext, what: string, channel: string, error: unknown): void {
  context.logger.warn(`A channel could not tell ${what}`, { channel, failure: failureOf(error) });
}
