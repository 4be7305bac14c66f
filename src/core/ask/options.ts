/**
 * The options of ask() and of question(), and their check. Data only: everything here is stored with the ask.
 */

import {
  anything,
  assertObject,
  boolean,
  type CheckedOptions,
  checkOptions,
  integer,
  list,
  matching,
  milliseconds,
  nonEmpty,
  type OptionRule,
  type OptionRules,
  object,
  oneOf,
  optional,
  wrongOption,
} from '../check-options.js';
import type { Mutable } from '../defined-fields.js';
import { badOption } from '../errors.js';
import { checkedId } from '../ids.js';
import type { Json, JsonLimits } from '../json.js';
import { plainData } from '../json.js';
import type { Settings } from '../settings.js';
import { isBlank } from '../text.js';
import type { AnswerableBy } from './ask.js';

/**
 * How a question is asked.
 *
 * @example
 * import { type AskOptions, agent } from 'askback';
 *
 * const options: AskOptions = { context: { intent: 'refund' }, maxRetries: 3, expiresIn: 15 * 60_000 };
 * agent('support').onMessage(({ ask }) => ask('Which order?', options));
 */
export interface AskOptions {
  /** Private to the agent: never drawn, never sent to a model. */
  readonly context?: Record<string, unknown>;
  /** What the human sees beside the question. */
  readonly details?: Record<string, string>;
  /**
   * How often the question is asked again after an insufficient reply.
   *
   * @default 2
   */
  readonly maxRetries?: number;
  /** Said before the question is asked again, instead of what is usually said about a reply that does not fit. At most 2 000 bytes. */
  readonly retryText?: string;
  /** In ms from now; without it the ask never expires. */
  readonly expiresIn?: number;
  /**
   * Who may answer. `'asker'` is the participant it is asked for, whose message led to it; where the question is put to
   * another conversation, whoever writes at that address.
   *
   * @default 'asker'
   */
  readonly answerableBy?: AnswerableBy;
  /** For a confirm: the number of different people who must say yes; one "no" decides no. Needs `answerableBy`. */
  readonly quorum?: number;
  /** The person it is asked for, whose message led to it, may not answer. Outside of a turn it needs `asker`. */
  readonly excludeAsker?: boolean;
  /** The answer goes to the handler only: never into history, events, a model or a page. */
  readonly sensitive?: boolean;
  /**
   * What a signed link of the inbox can do. `'show'`: it shows the ask, and deciding needs the person's own session. `'decide'`:
   * whoever has the link decides as the person it was made for.
   *
   * @default 'show'
   */
  readonly links?: 'show' | 'decide';
  /**
   * What a reply by mail can do. `'show'`: nothing, the mail only shows the question, and leads to its page. `'decide'`: a mail whose author
   * is proved, and may answer, decides. A mail proves less than a session: whoever has the mailbox has it.
   *
   * @default 'show'
   */
  readonly mail?: 'show' | 'decide';
  /**
   * The key under which a provider makes the effect happen once.
   *
   * @default the ask's id
   */
  readonly effectKey?: string;
  /**
   * `'park'` hands the case to a person instead of running a continuation a second time.
   *
   * @default 'retry'
   */
  readonly onCrash?: 'retry' | 'park';
  /** In ms after the question was shown: it is shown again, once or at each of these times, while nobody has answered. */
  readonly remindAfter?: number | readonly number[];
  /**
   * Where else the question is shown, at most 8 addresses: the first valid answer wins, and the other copies are drawn again. People there
   * answer by a control, or by quoting the question. Needs `answerableBy`.
   */
  readonly notify?: readonly { readonly channel: string; readonly to?: Json }[];
  /**
   * Who is asked next while nobody has answered, at most 8 steps: at `after` ms since the question was first shown, it is also shown to `to`,
   * and `answerableBy` may answer it, too. A question that reached nobody goes to the next step at once. Quiet hours do not stop a step.
   */
  readonly escalate?: readonly {
    readonly after: number;
    readonly channel: string;
    readonly to?: Json;
    readonly answerableBy?: AnswerableBy;
  }[];
  /** Ask in another conversation than the one of this turn; the only way to ask from a trigger. */
  readonly via?: { readonly channel: string; readonly to?: Json; readonly conversationId?: string };
}

const mostRetryBytes = 2_000;
const mostPlaces = 8;

/** A rule for one of two words. The usual one is not stored. */
function unless<const T extends string>(usual: string, other: T): OptionRule<T | undefined> {
  const oneOfBoth = oneOf(usual, other);
  return (value, name) => (oneOfBoth(value, name) === usual ? undefined : other);
}

const either = boolean();

/** A rule for a mark. Only true is stored. */
const mark: OptionRule<true | undefined> = (value, name) => either(value, name) || undefined;

export const effectKeyRule = matching(
  'a string of 1 to 512 bytes',
  (key) => key !== '' && Buffer.byteLength(key) <= 512,
);

const lifetime = milliseconds({ note: 'leave it out for "never"' });

const placeRules = { channel: nonEmpty('the name of a registered channel'), to: optional(anything<Json>()) };
const stepRules = { ...placeRules, after: milliseconds(), answerableBy: optional(checkedAnswerableBy) };

const places = <R extends { readonly [name: string]: OptionRule<unknown> }>(rules: R, example: string) =>
  list(object(rules, example), {
    least: 1,
    most: mostPlaces,
    expected: `a list of 1 to ${mostPlaces} objects such as ${example}`,
  });

/** `context`, `details` and addresses are made plain data by checkedAskOptions(), which knows the limits of data. */
export const askOptionRules = {
  context: optional(anything<{ readonly [key: string]: Json }>(), {}),
  details: optional(anything<{ readonly [key: string]: string }>()),
  maxRetries: optional(integer({ min: 0 }), 2),
  retryText: optional(
    matching(
      `a string that people can read, of at most ${mostRetryBytes} bytes`,
      (text) => !isBlank(text) && Buffer.byteLength(text) <= mostRetryBytes,
    ),
  ),
  expiresIn: optional((value, name) => Math.ceil(lifetime(value, name))),
  answerableBy: optional(checkedAnswerableBy, 'asker'),
  quorum: optional(integer({ min: 1 })),
  excludeAsker: optional(mark),
  sensitive: optional(mark),
  links: optional(unless('show', 'decide')),
  mail: optional(unless('show', 'decide')),
  remindAfter: optional(checkedReminders),
  effectKey: optional(effectKeyRule),
  onCrash: optional(unless('retry', 'park')),
  notify: optional(places(placeRules, "{ channel: 'slack', to: 'C1' }")),
  escalate: optional(
    places(stepRules, "{ after: 600_000, channel: 'slack', to: 'U7', answerableBy: ['slack:T1/U7'] }"),
  ),
  via: optional((value, name) =>
    assertObject(value as NonNullable<AskOptions['via']>, name, "an object such as { channel: 'slack', to: 'C1' }"),
  ), // its fields are checked with the call that has them
} satisfies OptionRules<AskOptions>;

/** The options of an ask, with their defaults. */
export type CheckedAskOptions = CheckedOptions<typeof askOptionRules>;

/** The names of options that calls take beside those of an ask, and check themselves. */
export const alsoTaken = {
  waiting: ['timeout', 'keep', 'signal'],
  there: ['channel', 'to', 'conversationId', 'asker'],
  outsideTurn: ['keepAlive'],
  outside: ['key', 'then'],
} as const;

/**
 * `kind` is that of the question: only a confirm can have a quorum. `call` is the one that got the options, and `also` what it
 * takes beside them.
 */
export function checkedAskOptions(
  options: AskOptions,
  settings: Settings,
  kind: string,
  call = 'ask()',
  also: readonly string[] = [],
): CheckedAskOptions {
  const names = (): readonly string[] =>
    Object.keys(askOptionRules).filter((name) => name !== 'via' || !also.includes('channel'));
  const known = (): readonly string[] => [...also, ...names()];
  const checked: Mutable<CheckedAskOptions> = checkOptions(
    call,
    options,
    askOptionRules,
    "{ context: { orderId: '12345' } }",
    known,
  );
  if ('answerableBy' in options && options.answerableBy === undefined)
    throw wrongOption(`${call}: answerableBy`, "'anyone', a list of ids, roles or a policy", undefined, {
      hint: 'Leave it out for the person it is asked for.',
    });
  const { context, details, answerableBy, quorum, notify, escalate, via } = checked;
  // set one by one: a spread of this many fields costs every ask 5 µs (docs/performance.md)
  checked.context = recordOf(context ?? {}, 'context', settings);
  if (details !== undefined) checked.details = textsOf(details, settings);
  if (quorum !== undefined) checked.quorum = fittingQuorum(quorum, answerableBy, kind, call);
  if (notify !== undefined) checked.notify = fittingNotify(notify, answerableBy, call, settings);
  if (escalate !== undefined) checked.escalate = fittingEscalate(escalate, checked, call, settings);
  if (via !== undefined) checked.via = checkedVia(via, settings, { call });
  return checked;
}

function fittingNotify(
  notify: NonNullable<AskOptions['notify']>,
  answerableBy: AnswerableBy,
  call: string,
  limits: JsonLimits,
): NonNullable<AskOptions['notify']> {
  if (answerableBy === 'asker')
    throw badOption(
      `${call}: notify needs answerableBy: only the person it is asked for may answer, so nobody at those addresses could. Say who may, for example { roles: ["manager"] }.`,
    );
  return notify.map(({ channel, to }, i) => placeAt(channel, to, `${call}: notify[${i}].to`, limits));
}

function placeAt(
  channel: string,
  to: Json | undefined,
  name: string,
  limits: JsonLimits,
): { channel: string; to?: Json } {
  return to === undefined ? { channel } : { channel, to: plainData(to, name, limits) };
}

function fittingEscalate(
  escalate: NonNullable<AskOptions['escalate']>,
  { answerableBy: own, expiresIn }: CheckedAskOptions,
  call: string,
  limits: JsonLimits,
): NonNullable<AskOptions['escalate']> {
  let last = 0;
  return escalate.map(({ after: given, channel, to, answerableBy }, i) => {
    const name = `${call}: escalate[${i}]`;
    const after = Math.ceil(given);
    if (after <= last)
      throw badOption(
        `${name}.after is ${after}, and the step before it comes after ${last} ms. Put the steps in order, each later than the one before.`,
      );
    if (expiresIn !== undefined && after >= expiresIn)
      throw badOption(
        `${name}.after is ${after}, but the ask expires after ${expiresIn} ms (expiresIn), so the step would never be taken. Take it earlier, or let the ask live longer.`,
      );
    if ((answerableBy ?? own) === 'asker')
      throw badOption(
        `${name} needs answerableBy: only the person it is asked for may answer, so nobody at that address could. Say who may, for example ["slack:T1/U7"].`,
      );
    last = after;
    return {
      after,
      ...placeAt(channel, to, `${name}.to`, limits),
      ...(answerableBy === undefined ? {} : { answerableBy }),
    };
  });
}

/** A shorter time, in ms, looks like one in seconds or minutes. */
const shortestUsual = 1_000;

/** True for whole minutes or hours if read as seconds, but no whole second as it is: 3_600 is an hour in seconds, and hardly 3.6 seconds. */
function looksLikeSeconds(ms: number): boolean {
  return ms % 1_000 !== 0 && ms % (ms < 60_000 ? 60 : 3_600) === 0;
}

/** Returns the times of an ask that look like seconds or minutes, by their options. A short `timeout` alone is usual. */
export function doubtfulTimes(
  { expiresIn, remindAfter = [], escalate = [] }: Pick<CheckedAskOptions, 'expiresIn' | 'remindAfter' | 'escalate'>,
  timeout?: number,
): readonly (readonly [option: string, ms: number])[] {
  const reminders = remindAfter.map((ms) => ['remindAfter', ms] as const);
  const steps = escalate.map(({ after }) => ['escalate.after', after] as const);
  const times = [...reminders, ...steps, ...(expiresIn === undefined ? [] : [['expiresIn', expiresIn] as const])];
  const doubtful = times.filter(([, ms]) => ms < shortestUsual || looksLikeSeconds(ms));
  return timeout !== undefined && looksLikeSeconds(timeout) ? [...doubtful, ['timeout', timeout]] : doubtful;
}

/** Returns the ids that may answer an ask, by the ask itself or by a step, each with the option that names it first. */
export function namedIds({
  answerableBy,
  escalate = [],
}: {
  readonly answerableBy: AnswerableBy;
  readonly escalate?: readonly { readonly answerableBy?: AnswerableBy }[] | undefined;
}): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  const add = (rule: AnswerableBy | undefined, option: string): void => {
    if (!Array.isArray(rule)) return;
    for (const id of rule as readonly string[]) if (!named.has(id)) named.set(id, option);
  };
  add(answerableBy, 'answerableBy');
  for (const [i, step] of escalate.entries()) add(step.answerableBy, `escalate[${i}].answerableBy`);
  return named;
}

function fittingQuorum(needed: number, answerableBy: AnswerableBy, kind: string, call: string): number {
  if (kind !== 'confirm')
    throw badOption(
      `${call}: quorum counts the yes and no of a confirm, and this question is a ${kind}. Ask a confirm, or leave quorum out.`,
    );
  if (answerableBy === 'asker')
    throw badOption(`${call}: quorum needs answerableBy: say whose votes count, for example { roles: ["approver"] }.`);
  if (Array.isArray(answerableBy) && new Set(answerableBy).size < needed)
    throw badOption(
      `${call}: quorum is ${needed}, but answerableBy names only ${new Set(answerableBy).size}. Name more people, or ask for fewer votes.`,
    );
  return needed;
}

const mostReminders = 20;
const reminder = milliseconds();

function checkedReminders(remindAfter: unknown, name: string): readonly number[] {
  const times: readonly unknown[] = Array.isArray(remindAfter) ? [...remindAfter] : [remindAfter];
  if (times.length === 0 || times.length > mostReminders)
    throw wrongOption(name, `a number of milliseconds, or 1 to ${mostReminders} of them`, remindAfter);
  for (const time of times) reminder(time, name);
  return [...new Set((times as readonly number[]).map(Math.ceil))].sort((a, b) => a - b);
}

function recordOf(value: unknown, name: string, limits: JsonLimits): { readonly [key: string]: Json } {
  const plain = plainData(value, name, limits);
  if (plain === null || typeof plain !== 'object' || Array.isArray(plain)) {
    throw wrongOption(name, "an object such as { orderId: '12345' }", value, { code: 'bad-data' });
  }
  return plain as { readonly [key: string]: Json };
}

function textsOf(details: unknown, limits: JsonLimits): { readonly [key: string]: string } {
  const plain = recordOf(details, 'details', limits);
  for (const [key, value] of Object.entries(plain)) {
    if (typeof value !== 'string')
      throw wrongOption(`details.${key}`, 'a string that people can read', value, { code: 'bad-data' });
  }
  return plain as { readonly [key: string]: string };
}

export function checkedAnswerableBy(value: unknown, name: string): AnswerableBy {
  if (value === 'asker' || value === 'anyone') return value;
  if (Array.isArray(value)) {
    if (value.length > 0) return Array.from(value, (id, i) => checkedId(id, `${name}[${i}]`));
    throw badOption(`${name} is an empty list, so nobody could ever answer. Name at least one participant id.`);
  }
  const only = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (only.length === 1 && 'roles' in (value as object)) return checkedRoles(value, name);
  if (only.length === 1 && 'policy' in (value as object)) return checkedPolicy(value, name);
  throw wrongOption(
    name,
    "'asker', 'anyone', a list of participant ids, { roles: [...] } or { policy: 'name' }",
    value,
  );
}

const roles = list(nonEmpty("a role's name"), { least: 1, expected: "a list of at least one role's name" });
const checkedRoles = object({ roles }, "{ roles: ['manager'] }");
const checkedPolicy = object(
  { policy: nonEmpty("the name of one of the registry's policies") },
  "{ policy: 'owners' }",
);

/** Checks where a question goes. Errors put `call` and `prefix` before the names of its options. */
export function checkedVia(
  via: Partial<NonNullable<AskOptions['via']>>,
  limits: JsonLimits,
  { call = 'ask()', prefix = 'via.' } = {},
): NonNullable<CheckedAskOptions['via']> {
  const { channel, to, conversationId } = via;
  if (typeof channel !== 'string' || channel === '') {
    const code = 'unknown-channel';
    throw wrongOption(`${call}: ${prefix}channel`, 'the name of a registered channel', channel, { code });
  }
  const checked: Mutable<NonNullable<CheckedAskOptions['via']>> = { channel };
  if (to !== undefined) checked.to = plainData(to, `${prefix}to`, limits);
  if (conversationId !== undefined)
    checked.conversationId = checkedId(conversationId, `${call}: ${prefix}conversationId`);
  return checked;
}
