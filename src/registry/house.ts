/**
 * What all parts of one registry share: its agents, channels, store, settings, words, time and events.
 */
import type { Channel, IncomingMessage } from '../channels/port.js';
import type { Model } from '../core/agent.js';
import { AgentError, failureOf } from '../core/errors.js';
import type { Logger, RegistryEvents } from '../core/events.js';
import type { Participant } from '../core/participant.js';
import type { Settings } from '../core/settings.js';
import type { Wording } from '../core/wording.js';
import type { Clock } from '../machine/clock.js';
import { sleep } from '../machine/clock.js';
import type { Store } from '../stores/port.js';

/** How long a channel or a caller waits for the store before it is told "not now", in ms. */
export const ingressPatience = 3_000;

/** The reserved channel name of handle(): its outputs are returned, not sent. */
export const handleChannel = 'handle';

export interface House {
  /** Tells one process from another, for those who wait. */
  readonly id: string;
  /** None: this process records, and leaves the work to others. */
  readonly agentNames: readonly string[];
  readonly channels: ReadonlyMap<string, Channel>;
  readonly store: Store;
  readonly settings: Settings;
  readonly wording: Wording;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly model: Model | undefined;
  readonly route: ((message: IncomingMessage, agents: readonly string[]) => string | Promise<string>) | undefined;
  readonly classify: ((message: IncomingMessage) => string | undefined | Promise<string | undefined>) | undefined;
  readonly identify: ((participant: Participant) => Participant | Promise<Participant>) | undefined;
  /** Whether anybody listens to the event. */
  hears(event: keyof RegistryEvents): boolean;
  emit<E extends keyof RegistryEvents>(event: E, about: RegistryEvents[E]): void;
}

const pauses = [50, 200, 1_000, 3_000, 5_000, 5_000, 5_000, 5_000];

/**
 * Runs a store step again while the store cannot be reached, for at most `limit` ms. The step carries its own token, so a
 * repeat of one that had happened changes nothing.
 */
export function persistently<T>(house: House, step: string, limit: number, work: () => Promise<T>): Promise<T> {
  const start = house.clock.elapsed();
  const again = async (error: unknown, tries: number): Promise<T> => {
    const pause = pauses[Math.min(tries, pauses.length - 1)] as number;
    const transient = error instanceof AgentError && error.code === 'store-unavailable';
    house.emit('storeFailed', { step, failure: failureOf(error) });
    if (!transient || house.clock.elapsed() - start + pause > limit) throw error;
    await sleep(house.clock, pause);
    return attempt(tries + 1);
  };
  const attempt = (tries: number): Promise<T> => {
    try {
      return work().catch((error: unknown) => again(error, tries));
    } catch (error) {
      return again(error, tries);
    }
  };
  return attempt(0);
}
