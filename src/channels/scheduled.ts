/**
 * Runs jobs at scheduled times, as messages that no person wrote. Croner computes the times, and the given clock
 * waits. The channel sends nothing and stores nothing: the id of a run, made of job and time, is the dedupe key.
 */
import type { Cron } from 'croner';
import {
  anything,
  checkOptions,
  list,
  nonBlank,
  type OptionRules,
  object,
  optional,
  string,
} from '../core/check-options.js';
import type { OutgoingMessage } from '../core/conversation/outgoing.js';
import { AgentError, badOption, failureOf, isMisuse } from '../core/errors.js';
import { checkedId, describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { imported } from '../core/optional-package.js';
import { type Clock, clockOption, keepAlive, systemClock } from '../machine/clock.js';
import { croner } from './packages.js';
import type { Channel, Desk, IncomingMessage } from './port.js';

/** One job: when it runs, and the message that it sends. */
export interface ScheduledJob {
  /** Unique in its channel, and part of every run's id: a renamed job is a new job. */
  readonly name: string;
  /** Five fields, or six with seconds first: `'30 2 * * *'`. */
  readonly cron: string;
  /**
   * The time zone of `cron`, an IANA name such as `'Europe/Berlin'`. It is not the machine's, so that replicas agree.
   *
   * @default 'UTC'
   */
  readonly timeZone?: string;
  /**
   * The message that the agent gets.
   *
   * @default ''
   */
  readonly message?: string;
  /** The intent of the message. */
  readonly intent?: string;
  /** Data for the agent: `input.data`. */
  readonly data?: Json;
  /**
   * The conversation. Runs of one conversation happen one after another.
   *
   * @default the channel's and the job's name
   */
  readonly conversationId?: string;
}

/** The options of a `ScheduledChannel`. */
export interface ScheduledOptions {
  /**
   * The name of the channel.
   *
   * @default 'scheduled'
   */
  readonly name?: string;
  /** The jobs, by their names. */
  readonly jobs: readonly ScheduledJob[];
  /** Time and timers, for tests. */
  readonly clock?: Clock;
}

const example = "{ name: 'report', cron: '0 9 * * *' }";
const jobRules = {
  name: partOfId,
  cron: nonBlank(),
  timeZone: optional(nonBlank()),
  message: optional(string()),
  intent: optional(string()),
  data: optional(anything<Json>()),
  conversationId: optional(partOfId),
} satisfies OptionRules<ScheduledJob>;
const rules = {
  name: optional(partOfId, 'scheduled'),
  jobs: list(object(jobRules, example)),
  clock: optional(clockOption, systemClock),
} satisfies OptionRules<ScheduledOptions>;

const maxWait = 600_000; // far below a timer's 2^31 ms, so that a machine that slept or a changed clock is noticed
const backOff = [1_000, 5_000, 30_000, 120_000, 600_000]; // while the store is down, but never past the next run

/** What one start() began, for stop() to end. */
interface StartedRun {
  readonly desk: Desk;
  readonly timers: Set<() => void>;
  readonly receiving: Set<Promise<unknown>>;
  stopped: boolean;
  releaseProcess: () => void;
}

/**
 * Runs agents at scheduled times. Nobody reads on this channel: ask() in such a run must name another channel with
 * `via`.
 *
 * A run is identified by its job and its scheduled time, so that only one of many replicas runs it. If several runs
 * of a job were missed while the process slept, only the latest is made up; while no process is up, none is. In an
 * hour that a clock change skips or repeats, a daily job still runs once.
 *
 * @example
 * import { ScheduledChannel } from 'askback/channels/scheduled';
 *
 * const job = { name: 'report', cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin', message: 'Send the report.' };
 * const mornings = new ScheduledChannel({ jobs: [job] });
 */
export class ScheduledChannel implements Channel {
  /** The name of the channel. */
  readonly name: string;
  readonly isTriggerChannel = true;
  readonly #jobs: readonly ScheduledJob[];
  readonly #clock: Clock;
  #started: StartedRun | undefined;

  constructor(options: ScheduledOptions) {
    const { name, jobs, clock } = checkOptions('ScheduledChannel', options, rules, `{ jobs: [${example}] }`);
    this.name = name;
    assertDistinct(jobs, name);
    this.#jobs = jobs;
    this.#clock = clock;
  }

  /** Plans the first run of every job. The registry calls it. */
  async start(desk: Desk): Promise<void> {
    await this.stop();
    const { Cron: Planner } = await imported(croner, () => import('croner'));
    const now = this.#clock.now();
    const plans = this.#jobs.map((job) => ({ job, ...planned(job, Planner, now) })); // all are checked before the first timer is set
    const releaseProcess = this.#clock === systemClock && plans.length > 0 ? keepAlive() : () => {}; // a fake clock needs no live process
    const started: StartedRun = { desk, timers: new Set(), receiving: new Set(), stopped: false, releaseProcess };
    this.#started = started;
    for (const { job, cron, first } of plans) if (first !== null) this.#arm(started, job, cron, first);
  }

  async send(_message: OutgoingMessage): Promise<void> {
    throw new AgentError(
      'trigger-channel',
      `Nobody reads on the channel ${JSON.stringify(this.name)}: it only starts runs. Use sendTo() or ask() with \`via\` to reach people on another channel.`,
    );
  }

  /** No run starts after this. Waits for runs that are being recorded. */
  async stop(): Promise<void> {
    const started = this.#started;
    if (started === undefined) return;
    this.#started = undefined;
    started.stopped = true;
    for (const cancel of started.timers) cancel();
    started.releaseProcess();
    await Promise.allSettled(started.receiving);
  }

  #arm(started: StartedRun, job: ScheduledJob, cron: Cron, at: Date): void {
    const left = at.getTime() - this.#clock.now();
    this.#after(started, Math.max(0, Math.min(left, maxWait)), () => {
      const now = this.#clock.now();
      if (now < at.getTime()) return this.#arm(started, job, cron, at);
      const run = lastDueRun(cron, at, now);
      const next = cron.nextRun(run); // from the scheduled time, so that a late run shifts nothing
      if (next !== null) this.#arm(started, job, cron, next);
      void this.#fire(started, job, run, next);
    });
  }

  async #fire(started: StartedRun, job: ScheduledJob, run: Date, next: Date | null): Promise<void> {
    const message: IncomingMessage = {
      id: `${job.name}@${run.toISOString()}`,
      conversationId: job.conversationId ?? `${this.name}:${job.name}`,
      text: job.message ?? '',
      ...(job.intent === undefined ? {} : { intent: job.intent }),
      ...(job.data === undefined ? {} : { data: job.data }),
      address: null,
      automated: true,
    };
    for (const wait of [...backOff, undefined]) {
      try {
        await this.#receive(started, message);
        return;
      } catch (error) {
        if (started.stopped) return;
        const tooLate = wait === undefined || (next !== null && this.#clock.now() + wait >= next.getTime());
        if (tooLate || isMisuse(error)) {
          process.emitWarning(`The run ${message.id} was not recorded: ${failureOf(error).message}`, 'AskbackWarning');
          return;
        }
        await new Promise<void>((resolve) => this.#after(started, wait, resolve));
      }
    }
  }

  async #receive(started: StartedRun, message: IncomingMessage): Promise<void> {
    const receiving = started.desk.receive(message);
    started.receiving.add(receiving);
    try {
      await receiving;
    } finally {
      started.receiving.delete(receiving);
    }
  }

  #after(started: StartedRun, ms: number, work: () => void): void {
    if (started.stopped) return;
    const cancel = this.#clock.after(ms, () => {
      started.timers.delete(cancel);
      work();
    });
    started.timers.add(cancel);
  }
}

function planned(job: ScheduledJob, Planner: typeof Cron, now: number): { cron: Cron; first: Date | null } {
  const wrong = (why: string, cause?: unknown) =>
    new AgentError(
      'bad-option',
      `ScheduledChannel: the job ${describe(job.name)} cannot be planned: ${why} Expected a pattern such as '0 9 * * 1-5' and a time zone such as 'Europe/Berlin'.`,
      { cause },
    );
  let cron: Cron;
  let first: Date | null;
  try {
    cron = new Planner(job.cron, { timezone: job.timeZone ?? 'UTC' });
    first = cron.nextRun(new Date(now));
  } catch (error) {
    throw wrong(`${failureOf(error).message.replace(/\.?$/, '.')}`, error);
  }
  if (cron.getOnce() !== null) throw wrong(`${describe(job.cron)} is a single date.`);
  // a pattern with a year may have had its last run; one that never matches is an error
  if (first === null && cron.previousRuns(1, new Date(now)).length === 0)
    throw wrong(`${describe(job.cron)} never comes.`);
  return { cron, first };
}

/** The last run at or after `at` that is not in the future. */
function lastDueRun(cron: Cron, at: Date, now: number): Date {
  const next = cron.nextRun(at);
  if (next === null || next.getTime() > now) return at;
  // runs fall on whole seconds, and croner searches before the second it is given
  return cron.previousRuns(1, new Date(Math.floor(now / 1000) * 1000 + 1000))[0] ?? at;
}

/** Runs are known by their ids, so these must be usable, and each job must have its own. */
function assertDistinct(jobs: readonly ScheduledJob[], channel: string): void {
  const names = new Set<string>();
  for (const [i, { name, conversationId }] of jobs.entries()) {
    if (names.has(name))
      throw badOption(
        `ScheduledChannel: two jobs are named ${describe(name)}. A run is known by its job's name: give each its own.`,
      );
    names.add(name);
    partOfId(conversationId ?? `${channel}:${name}`, `ScheduledChannel: jobs[${i}].conversationId`);
    partOfId(`${name}@2026-01-01T00:00:00.000Z`, `ScheduledChannel: the id of a run of jobs[${i}]`);
  }
}

/** Names become parts of ids, so a string that cannot be an id is refused here and not at the first run. */
function partOfId(value: unknown, name: string): string {
  try {
    return checkedId(nonBlank()(value, name), name);
  } catch (cause) {
    throw new AgentError('bad-option', failureOf(cause).message, { cause });
  }
}
