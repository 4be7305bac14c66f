/**
 * Every number the engine lives by, with its reason. Times are in milliseconds.
 */
import { integer, list, longestTimer, type OptionRules, object, optional } from './check-options.js';
import { AgentError } from './errors.js';

/**
 * The numbers that the engine works by. Times are in milliseconds; what is left out has its default.
 *
 * @example
 * const settings: Partial<Settings> = { turnLimit: 60_000, historyLimit: 200 };
 * const registry = new AgentRegistry({ agents: [support], settings });
 */
export interface Settings {
  readonly lease: number;
  readonly renewal: number;
  readonly sweep: number;
  readonly maxAttempts: number;
  readonly backOff: readonly number[];
  readonly turnLimit: number;
  readonly grace: number;
  readonly turns: number;
  readonly queue: number;
  readonly reserved: number;
  readonly openAsks: number;
  readonly historyLimit: number;
  readonly documentBytes: number;
  readonly textBytes: number;
  readonly depth: number;
  readonly dedupeWindow: number;
  readonly retention: number;
  readonly unknownAgent: number;
  readonly deliveryBackOff: readonly number[];
  readonly sendLimit: number;
  readonly sendLease: number;
  readonly markDelay: number;
  readonly judgeLimit: number;
  readonly callTimeout: number;
  readonly transcript: number;
}

/** A time that becomes a timer. */
const timer = integer({ of: 'milliseconds', min: 1, max: longestTimer });
/** A time that becomes a timer with a little more: sweeps are spread, a back-off ends behind its time. */
const spreadTimer = integer({ of: 'milliseconds', min: 1, max: Math.floor(longestTimer / 2) });
/** A time that is only stored and compared. */
const span = integer({ of: 'milliseconds', min: 1 });
const count = integer({ min: 1 });

const rules = {
  lease: optional(span, 30_000), // long enough for a garbage collection or a slow disk, short enough that a crash is noticed
  renewal: optional(timer, 10_000), // two renewals may fail before the lease is lost
  sweep: optional(spreadTimer, 5_000), // how often a process looks for work that nobody holds; spread by 20 %
  maxAttempts: optional(count, 5), // tries of one entry before it is parked for a person
  backOff: optional(list(spreadTimer), [1_000, 5_000, 30_000, 120_000]), // between tries: a blip is over in a second, an outage is not
  turnLimit: optional(timer, 600_000), // a model call with tools may take minutes; an agent that hangs must not hold a conversation for good
  grace: optional(timer, 25_000), // stop() lets turns finish this long: less than the 30 s an orchestrator gives before it kills
  turns: optional(count, 256), // at once in one process
  queue: optional(count, 500), // entries waiting in one conversation; a flood must not fill the store
  reserved: optional(count, 50), // more places for named answers and cancels, so that a flood cannot shut out a decision
  openAsks: optional(count, 32), // nobody answers more; an agent in a loop is stopped here
  historyLimit: optional(count, 1_000), // items of one conversation; beyond them the oldest go, so that one that never ends does not fill the store
  documentBytes: optional(count, 262_144),
  textBytes: optional(count, 65_536), // a context, a message, an answer: each
  depth: optional(count, 100),
  dedupeWindow: optional(span, 7 * 86_400_000), // platforms send an event again for hours, mail servers for days
  retention: optional(span, 30 * 86_400_000), // how long a conversation with nothing open stays readable
  unknownAgent: optional(span, 600_000), // longer than a rolling deploy
  deliveryBackOff: optional(list(span), [5_000, 15_000, 45_000, 120_000, 300_000, 900_000, 2_100_000]), // eight tries in about an hour
  sendLimit: optional(timer, 30_000), // a channel that has not sent by then has failed; less than sendLease, so that nobody else sends meanwhile
  sendLease: optional(span, 60_000), // how long a process may take to send what it borrowed from the outbox
  markDelay: optional(timer, 50), // marks of what was sent are gathered this long, so that many cost one round trip
  judgeLimit: optional(timer, 60_000),
  callTimeout: optional(timer, 60_000), // how long handle() and answer() wait for a disposition before they say "received"
  transcript: optional(count, 40), // how many lines of history run() shows the model
} satisfies OptionRules<Settings>;

const checkedAs = object(rules, '{ turns: 20 }');

export const defaultSettings: Settings = checkedAs({}, 'settings');

/** The settings with the user's changes; an impossible value is refused by name. */
export function checkedSettings(changes: unknown = {}, name = 'settings'): Settings {
  const settings = checkedAs(changes, name);
  if (settings.renewal * 2 > settings.lease) {
    throw new AgentError(
      'bad-option',
      `${name}.renewal (${settings.renewal}) must be at most half of the lease (${settings.lease}), so that one failed renewal loses nothing. Lower renewal or raise lease.`,
    );
  }
  return settings;
}
