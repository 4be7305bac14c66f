/**
 * Every number the engine lives by, with its reason. Times are in milliseconds.
 */
import { AgentError } from './errors.js';
import { describe } from './ids.js';

export interface Settings {
  readonly lease: number;
  readonly renewal: number;
  readonly sweep: number;
  readonly strikes: number;
  readonly backOff: readonly number[];
  readonly turnLimit: number;
  readonly grace: number;
  readonly turns: number;
  readonly queue: number;
  readonly reserved: number;
  readonly openAsks: number;
  readonly documentBytes: number;
  readonly textBytes: number;
  readonly depth: number;
  readonly repeatMarks: number;
  readonly retention: number;
  readonly unknownAgent: number;
  readonly deliveries: readonly number[];
  readonly sendLimit: number;
  readonly loan: number;
  readonly markDelay: number;
  readonly judgeLimit: number;
  readonly patience: number;
  readonly transcript: number;
}

export const defaultSettings: Settings = {
  lease: 30_000, // long enough for a garbage collection or a slow disk, short enough that a crash is noticed
  renewal: 10_000, // two renewals may fail before the lease is lost
  sweep: 5_000, // how often a process looks for work that nobody holds; spread by 20 %
  strikes: 5, // tries of one entry before it is parked for a person
  backOff: [1_000, 5_000, 30_000, 120_000], // between tries: a blip is over in a second, an outage is not
  turnLimit: 600_000, // a model call with tools may take minutes; an agent that hangs must not hold a conversation for good
  grace: 25_000, // stop() lets turns finish this long: less than the 30 s an orchestrator gives before it kills
  turns: 256, // at once in one process
  queue: 500, // entries waiting in one conversation; a flood must not fill the store
  reserved: 50, // more places for named answers and cancels, so that a flood cannot shut out a decision
  openAsks: 32, // nobody answers more; an agent in a loop is stopped here
  documentBytes: 262_144,
  textBytes: 65_536, // a context, a message, an answer: each
  depth: 100,
  repeatMarks: 7 * 86_400_000, // platforms send an event again for hours, mail servers for days
  retention: 30 * 86_400_000, // how long a conversation with nothing open stays readable
  unknownAgent: 600_000, // longer than a rolling deploy
  deliveries: [5_000, 15_000, 45_000, 120_000, 300_000, 900_000, 2_100_000], // eight tries in about an hour
  sendLimit: 30_000, // a channel that has not sent by then has failed; less than the loan, so that nobody else sends meanwhile
  loan: 60_000, // how long a process may take to send what it borrowed from the outbox
  markDelay: 50, // marks of what was sent are gathered this long, so that many cost one round trip
  judgeLimit: 60_000,
  patience: 60_000, // how long handle() and answer() wait for a disposition before they say "received"
  transcript: 40, // how many lines of history run() shows the model
};

/** The settings with the user's changes; an impossible value is refused by name. */
export function checkedSettings(changes: Partial<Settings> = {}): Settings {
  if (changes === null || typeof changes !== 'object')
    throw new AgentError('bad-option', `settings must be an object such as { turns: 20 }, got ${describe(changes)}.`);
  for (const [name, value] of Object.entries(changes)) {
    if (!(name in defaultSettings)) {
      throw new AgentError(
        'bad-option',
        `settings.${name} is unknown. Known settings: ${Object.keys(defaultSettings).join(', ')}.`,
      );
    }
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const isList = Array.isArray(defaultSettings[name as keyof Settings]);
    if (isList !== Array.isArray(value) || !values.every((v) => Number.isSafeInteger(v) && (v as number) > 0)) {
      throw new AgentError(
        'bad-option',
        `settings.${name} must be ${isList ? 'a list of positive whole numbers' : 'a positive whole number'}, got ${isList ? `[${values.map(describe).join(', ')}]` : describe(value)}.`,
      );
    }
  }
  const settings = { ...defaultSettings, ...changes };
  if (settings.renewal * 2 > settings.lease) {
    throw new AgentError(
      'bad-option',
      `settings.renewal (${settings.renewal}) must be at most half of settings.lease (${settings.lease}), so that one failed renewal loses nothing.`,
    );
  }
  return settings;
}
