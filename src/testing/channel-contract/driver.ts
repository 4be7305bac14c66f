/**
 * The driver of a channel under proof: what its author writes so that the contract can play the platform. It holds no test.
 */
import type { Channel } from '../../channels/port.js';
import type { Json } from '../../core/json.js';
import type { FakeClock } from '../clock.js';

/** The response to a message that the platform delivers. */
export type Acknowledged = 'received' | 'refused';

/** One message as the person sees it now. */
export interface SeenMessage {
  /** All that can be read: the text, the details, the options. As the person sees it, after the platform has drawn it. */
  readonly text: string;
  /** The labels of what can be pressed. */
  readonly controls: readonly string[];
  /** The key that the platform was given with it, where it is given one. */
  readonly key?: string;
}

/** A message that a person writes. */
export interface WrittenMessage {
  /** The platform's id of it. */
  readonly id: string;
  /** What the person writes. */
  readonly text: string;
}

/**
 * Plays the platform of a channel: one person in one conversation. A test that needs a method which the driver lacks fails and names it;
 * where the platform cannot do that, `skip` of the contract names the test and the reason.
 */
export interface ChannelDriver {
  /** The channel, not started. */
  readonly channel: Channel;
  /** The id of the participant whom the platform has authenticated; undefined where no person writes. */
  readonly participantId: string | undefined;
  /** What must never be in an error or a log: tokens, signing secrets. */
  readonly secrets: readonly string[];
  /** The platform delivers a message of the person. Resolves once the platform has its response. The same id again is a second delivery. */
  says(message: WrittenMessage): Promise<Acknowledged>;
  /** What the person sees now, in order. */
  seen(): Promise<readonly SeenMessage[]> | readonly SeenMessage[];
  /** Everything that has left the channel, as text. */
  wire(): Promise<string> | string;
  /** An address of the person, as `to` of an ask names it; for a channel with `conversationFor`. */
  readonly address?: Json;
  /** The person presses the control that shows this label, on the latest message that has one. */
  presses?(label: string, id: string): Promise<Acknowledged>;
  /** The person quotes the latest question and writes this. */
  quotes?(message: WrittenMessage): Promise<Acknowledged>;
  /** Delivers a message whose payload claims another author. */
  poses?(message: WrittenMessage, participantId: string): Promise<Acknowledged>;
  /** The platform takes no messages while this is on. */
  fails?(isOn: boolean): void;
  /** Delivers what no platform should: cut off, of wrong types, without an id. Resolves with what it was told for each. */
  garbage?(): Promise<readonly Acknowledged[]>;
  /** Frees what the driver holds. The channel is stopped before. */
  close?(): Promise<void>;
}

/** What a driver may use. */
export interface ChannelWorld {
  /** The clock of the registry: give it to the channel, and move it where the platform needs time. */
  readonly clock: FakeClock;
}
