/**
 * The options of ask(), checked once at the door. Data only: everything here is stored with the ask.
 */

import { namedOptions } from '../checked.js';
import type { Mutable } from '../defined-fields.js';
import { AgentError } from '../errors.js';
import { checkedId, describe } from '../ids.js';
import type { Json } from '../json.js';
import { plainData } from '../json.js';
import { ignoreRejection } from '../promise.js';
import type { Settings } from '../settings.js';
import type { AnswerableBy } from './ask.js';

/**
 * How a question is asked.
 *
 * @example
 * this.ask('Which order?', { context: { intent: 'refund' }, maxRetries: 3, expiresIn: 15 * 60_000 });
 */
export interface AskOptions {
  /** Private to the agent: never drawn, never sent to a model. */
  readonly context?: Record<string, unknown>;
  /** What the human sees beside the question. */
  readonly details?: Record<string, string>;
  /** How often the question is asked again after an insufficient reply. Default 2. */
  readonly maxRetries?: number;
  /** In ms from now; without it the ask never expires. */
  readonly expiresIn?: number;
  /** Default `'asker'`: the participant whose message started the turn. */
  readonly answerableBy?: AnswerableBy;
  /** For a confirm: so many different people must say yes; one "no" decides no. Needs `answerableBy`. */
  readonly quorum?: number;
  /** Whoever's message started the turn may not answer. */
  readonly excludeAsker?: boolean;
  /** The answer goes to the handler only: never into history, events, a model or a page. */
  readonly sensitive?: boolean;
  /** The key under which a provider makes the effect happen once. Default: the ask's id. */
  readonly effectKey?: string;
  /** `'park'` hands the case to a person instead of running a continuation a second time. Default `'retry'`. */
  readonly onCrash?: 'retry' | 'park';
  /** In ms after the question was shown: it is shown again, once or at each of these times, while nobody has answered. */
  readonly remindAfter?: number | readonly number[];
  /** Ask in another conversation than the one of this turn; the only way to ask from a trigger. */
  readonly via?: { readonly channel: string; readonly to?: Json; readonly conversationId?: string };
}

export interface CheckedAskOptions {
  readonly context: { readonly [key: string]: Json };
  readonly details?: { readonly [key: string]: string };
  readonly maxRetries: number;
  readonly expiresIn?: number;
  readonly answerableBy: AnswerableBy;
  readonly quorum?: number;
  readonly excludeAsker?: true;
  readonly sensitive?: true;
  readonly remindAfter?: readonly number[];
  readonly effectKey?: string;
  readonly onCrash?: 'park';
  readonly via?: { readonly channel: string; readonly to?: Json; readonly conversationId?: string };
}

const known = new Set([
  'context',
  'details',
  'maxRetries',
  'expiresIn',
  'answerableBy',
  'quorum',
  'excludeAsker',
  'sensitive',
  'remindAfter',
  'effectKey',
  'onCrash',
  'via',
]);

function wrong(name: string, expected: string, value: unknown): AgentError {
  return new AgentError('bad-option', `ask(): ${name} must be ${expected}, got ${describe(value)}.`);
}

/** `kind` is that of the question: only a confirm can have a quorum. */
export function checkedAskOptions(options: AskOptions, settings: Settings, kind: string): CheckedAskOptions {
  namedOptions(options, 'ask()', "{ context: { orderId: '12345' } }", known);
  const { maxRetries = 2, expiresIn, effectKey, onCrash } = options;
  if (!(Number.isSafeInteger(maxRetries) && maxRetries >= 0))
    throw wrong('maxRetries', 'a whole number of at least 0', maxRetries);
  if (expiresIn !== undefined && !(Number.isFinite(expiresIn) && expiresIn > 0)) {
    throw wrong('expiresIn', 'a number of milliseconds above 0 (leave it out for "never")', expiresIn);
  }
  if (effectKey !== undefined) checkedEffectKey(effectKey, 'ask(): effectKey');
  if (onCrash !== undefined && onCrash !== 'retry' && onCrash !== 'park')
    throw wrong('onCrash', "'retry' or 'park'", onCrash);
  const limits = { bytes: settings.textBytes, depth: settings.depth };
  const context = recordOf(options.context ?? {}, 'context', limits);
  const details = options.details === undefined ? undefined : textsOf(options.details, limits);
  const answerableBy = checkedAnswerableBy(options.answerableBy);
  const checked: Mutable<CheckedAskOptions> = { context, maxRetries, answerableBy };
  if (details !== undefined) checked.details = details;
  if (expiresIn !== undefined) checked.expiresIn = Math.ceil(expiresIn);
  if (effectKey !== undefined) checked.effectKey = effectKey;
  if (onCrash === 'park') checked.onCrash = onCrash;
  if (flag('excludeAsker', options.excludeAsker)) checked.excludeAsker = true;
  if (flag('sensitive', options.sensitive)) checked.sensitive = true;
  if (options.quorum !== undefined) checked.quorum = checkedQuorum(options, kind);
  if (options.remindAfter !== undefined) checked.remindAfter = checkedTimes(options.remindAfter);
  if (options.via !== undefined) checked.via = checkedVia(options.via, limits);
  return checked;
}

function flag(name: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw wrong(name, 'true or false', value);
}

function checkedQuorum({ quorum, answerableBy }: AskOptions, kind: string): number {
  if (!(Number.isSafeInteger(quorum) && (quorum as number) >= 1))
    throw wrong('quorum', 'a whole number of at least 1', quorum);
  const needed = quorum as number;
  if (kind !== 'confirm')
    throw new AgentError(
      'bad-option',
      `ask(): quorum counts the yes and no of a confirm, and this question is a ${kind}. Ask a confirm, or leave quorum out.`,
    );
  if (answerableBy === undefined || answerableBy === 'asker')
    throw new AgentError(
      'bad-option',
      'ask(): quorum needs answerableBy: say whose votes count, for example { roles: ["approver"] }.',
    );
  if (Array.isArray(answerableBy) && new Set(answerableBy).size < needed)
    throw new AgentError(
      'bad-option',
      `ask(): quorum is ${needed}, but answerableBy names only ${new Set(answerableBy).size}. Name more people, or ask for fewer votes.`,
    );
  return needed;
}

const mostReminders = 20;

function checkedTimes(remindAfter: unknown): readonly number[] {
  const times: readonly unknown[] = Array.isArray(remindAfter) ? remindAfter : [remindAfter];
  const fits = times.every((time) => Number.isFinite(time) && (time as number) > 0);
  if (!fits || times.length === 0 || times.length > mostReminders)
    throw wrong('remindAfter', `a number of milliseconds above 0, or 1 to ${mostReminders} of them`, remindAfter);
  return [...new Set((times as readonly number[]).map(Math.ceil))].sort((a, b) => a - b);
}

export function checkedEffectKey(key: unknown, name: string): string {
  if (typeof key === 'string' && key !== '' && Buffer.byteLength(key) <= 512) return key;
  throw new AgentError(
    'bad-option',
    `${name} must be a string of 1 to 512 bytes, got ${describe(ignoreRejection(key))}.`,
  );
}

function recordOf(
  value: unknown,
  name: string,
  limits: { bytes: number; depth: number },
): { readonly [key: string]: Json } {
  const plain = plainData(value, name, limits);
  if (plain === null || typeof plain !== 'object' || Array.isArray(plain)) {
    throw new AgentError('bad-data', `${name} must be an object such as { orderId: '12345' }, got ${describe(value)}.`);
  }
  return plain as { readonly [key: string]: Json };
}

function textsOf(details: unknown, limits: { bytes: number; depth: number }): { readonly [key: string]: string } {
  const plain = recordOf(details, 'details', limits);
  for (const [key, value] of Object.entries(plain)) {
    if (typeof value !== 'string')
      throw new AgentError('bad-data', `details.${key} must be a text that people can read, got ${describe(value)}.`);
  }
  return plain as { readonly [key: string]: string };
}

function checkedAnswerableBy(value: AskOptions['answerableBy']): AnswerableBy {
  if (value === undefined || value === 'asker' || value === 'anyone') return value ?? 'asker';
  if (Array.isArray(value)) {
    if (value.length === 0)
      throw new AgentError(
        'bad-option',
        'ask(): answerableBy is an empty list, so nobody could ever answer. Name at least one participant id.',
      );
    return value.map((id, i) => checkedId(id, `ask(): answerableBy[${i}]`));
  }
  const only = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (only.length === 1 && 'roles' in (value as object)) {
    const { roles } = value as { roles: unknown };
    if (!Array.isArray(roles) || roles.length === 0 || !roles.every((role) => typeof role === 'string' && role !== ''))
      throw wrong('answerableBy.roles', "a list of at least one role's name", roles);
    return { roles: [...(roles as readonly string[])] };
  }
  if (only.length === 1 && 'policy' in (value as object)) {
    const { policy } = value as { policy: unknown };
    if (typeof policy !== 'string' || policy === '')
      throw wrong('answerableBy.policy', "the name of one of the registry's policies", policy);
    return { policy };
  }
  throw wrong(
    'answerableBy',
    "'asker', 'anyone', a list of participant ids, { roles: [...] } or { policy: 'name' }",
    value,
  );
}

/** Where a question goes; `prefix` is what stands before the names of its options. */
export function checkedVia(
  via: Partial<NonNullable<AskOptions['via']>>,
  limits: { bytes: number; depth: number },
  prefix = 'via.',
): NonNullable<CheckedAskOptions['via']> {
  const { channel, to, conversationId } = via;
  if (typeof channel !== 'string' || channel === '') {
    throw new AgentError(
      'unknown-channel',
      `ask(): ${prefix}channel must be the name of a registered channel, got ${describe(channel)}.`,
    );
  }
  const checked: Mutable<NonNullable<CheckedAskOptions['via']>> = { channel };
  if (to !== undefined) checked.to = plainData(to, `${prefix}to`, limits);
  if (conversationId !== undefined)
    checked.conversationId = checkedId(conversationId, `ask(): ${prefix}conversationId`);
  return checked;
}
