/**
 * The settings of the engine: their types, rules and defaults. Times are in milliseconds.
 */
import { integer, list, longestTime, longestTimer, type OptionRules, object, optional } from './check-options.js';
import { badOption } from './errors.js';

/**
 * The numbers that the engine works by. Times are in milliseconds; what is left out has its default.
 *
 * @example
 * import { AgentRegistry, type Settings } from 'askback';
 *
 * const settings: Partial<Settings> = { turnLimit: 60_000, historyLimit: 200 };
 * const registry = new AgentRegistry({ settings });
 */
export interface Settings {
  /**
   * How long a process holds a conversation without renewing it. After a crash its work is taken over when this is over.
   *
   * @default 30_000
   */
  readonly lease: number;
  /**
   * How often leases are renewed; at most half of `lease`.
   *
   * @default 10_000
   */
  readonly renewal: number;
  /**
   * How often a process looks for work that nobody holds, and for deadlines; spread by 20 %.
   *
   * @default 5_000
   */
  readonly sweep: number;
  /**
   * Attempts of one entry before it is parked for a person.
   *
   * @default 5
   */
  readonly maxAttempts: number;
  /**
   * Waits between these attempts; the last one is repeated.
   *
   * @default [1_000, 5_000, 30_000, 120_000]
   */
  readonly backOff: readonly number[];
  /**
   * How long one turn may take before it is aborted.
   *
   * @default 600_000
   */
  readonly turnLimit: number;
  /**
   * How long `stop()` lets turns finish.
   *
   * @default 25_000
   */
  readonly grace: number;
  /**
   * Turns at once in one process.
   *
   * @default 256
   */
  readonly turns: number;
  /**
   * Entries that may wait in one conversation.
   *
   * @default 500
   */
  readonly queue: number;
  /**
   * More places for answers and cancels over the API; half of them also for messages that name an ask, such as buttons.
   *
   * @default 50
   */
  readonly reserved: number;
  /**
   * Asks that may be open in one conversation.
   *
   * @default 32
   */
  readonly openAsks: number;
  /**
   * History items that are kept of one conversation.
   *
   * @default 1_000
   */
  readonly historyLimit: number;
  /**
   * Size of the open asks of a conversation and what belongs to them, in bytes.
   *
   * @default 262_144
   */
  readonly documentBytes: number;
  /**
   * Size of a message, an answer, a context, each in bytes.
   *
   * @default 65_536
   */
  readonly textBytes: number;
  /**
   * How deep a context may be nested.
   *
   * @default 100
   */
  readonly depth: number;
  /**
   * How long a repeated message is recognised. An approval can be used for as long. The default is 7 days.
   *
   * @default 604_800_000
   */
  readonly dedupeWindow: number;
  /**
   * How long a conversation with nothing open stays readable. The default is 30 days.
   *
   * @default 2_592_000_000
   */
  readonly retention: number;
  /**
   * How long an entry for an agent that no process has waits before it is parked.
   *
   * @default 600_000
   */
  readonly unknownAgent: number;
  /**
   * Waits between tries to send a message. The default makes eight tries in about an hour.
   *
   * @default [5_000, 15_000, 45_000, 120_000, 300_000, 900_000, 2_100_000]
   */
  readonly deliveryBackOff: readonly number[];
  /**
   * How long a channel may take to send one message; less than `sendLease`.
   *
   * @default 30_000
   */
  readonly sendLimit: number;
  /**
   * How long a process may take to send what it took from the outbox. Then another process may send it.
   *
   * @default 60_000
   */
  readonly sendLease: number;
  /**
   * How long marks of sent messages are gathered, so that many cost one round trip.
   *
   * @default 50
   */
  readonly markDelay: number;
  /**
   * How long a model may take to judge a reply.
   *
   * @default 60_000
   */
  readonly judgeLimit: number;
  /**
   * How long `handle()`, `answer()` and `cancel()` wait for a turn before they return `received`.
   *
   * @default 60_000
   */
  readonly callTimeout: number;
  /**
   * Lines of history that `run()` shows the model.
   *
   * @default 40
   */
  readonly transcript: number;
}

/** A time that becomes a timer. */
const timer = integer({ of: 'milliseconds', min: 1, max: longestTimer });
/** A time that becomes a timer with a little more: sweeps are spread, a back-off ends behind its time. */
const spreadTimer = integer({ of: 'milliseconds', min: 1, max: Math.floor(longestTimer / 2) });
/** A time that is only stored and compared. */
const span = integer({ of: 'milliseconds', min: 1, max: longestTime });
const count = integer({ min: 1 });

/** The comment on a rule is the reason for its default. */
const rules = {
  lease: optional(timer, 30_000), // long enough for a garbage collection or a slow disk, short enough that a crash is noticed
  renewal: optional(timer, 10_000), // two renewals may fail before the lease is lost
  sweep: optional(spreadTimer, 5_000),
  maxAttempts: optional(count, 5),
  backOff: optional(list(spreadTimer), [1_000, 5_000, 30_000, 120_000]), // between tries: a blip is over in a second, an outage is not
  turnLimit: optional(timer, 600_000), // a model call with tools may take minutes; an agent that hangs must not hold a conversation forever
  grace: optional(timer, 25_000), // stop() lets turns finish this long: less than the 30 s an orchestrator gives before it kills
  turns: optional(count, 256),
  queue: optional(count, 500), // a flood must not fill the store
  reserved: optional(count, 50), // a flood cannot shut out a decision
  openAsks: optional(count, 32), // people answer no more; an agent in a loop is stopped here
  historyLimit: optional(count, 1_000), // beyond them the oldest go, so that a conversation that never ends does not fill the store
  documentBytes: optional(count, 262_144),
  textBytes: optional(count, 65_536),
  depth: optional(count, 100),
  dedupeWindow: optional(span, 7 * 86_400_000), // senders repeat a message for hours, some for days
  retention: optional(span, 30 * 86_400_000),
  unknownAgent: optional(span, 600_000), // longer than a rolling deploy
  deliveryBackOff: optional(list(span), [5_000, 15_000, 45_000, 120_000, 300_000, 900_000, 2_100_000]),
  sendLimit: optional(timer, 30_000), // a channel that has not sent by then has failed; less than sendLease, so that no other process sends meanwhile
  sendLease: optional(span, 60_000),
  markDelay: optional(timer, 50),
  judgeLimit: optional(timer, 60_000),
  callTimeout: optional(timer, 60_000),
  transcript: optional(count, 40),
} satisfies OptionRules<Settings>;

const checkedAs = object(rules, '{ turns: 20 }');

export const defaultSettings: Settings = checkedAs({}, 'settings');

/** The settings with the user's changes; an impossible value is refused by name. */
export function checkedSettings(changes: unknown = {}, name = 'settings'): Settings {
  const settings = checkedAs(changes, name);
  if (settings.renewal * 2 > settings.lease) {
    throw badOption(
      `${name}.renewal (${settings.renewal}) must be at most half of the lease (${settings.lease}), so that one failed renewal loses nothing. Lower renewal or raise lease.`,
    );
  }
  return settings;
}
