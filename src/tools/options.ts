/**
 * The rules for options that several tools share. Nothing is asked here.
 */
import type { AskOptions } from '../core/ask/options.js';
import { checkedAnswerableBy, checkedReminders } from '../core/ask/options.js';
import {
  anything,
  boolean,
  expecting,
  integer,
  milliseconds,
  type OptionRule,
  type OptionRules,
  optional,
} from '../core/check-options.js';

/** What of ask() an author may set for every question of a tool. */
export type ToolAskOptions = Pick<
  AskOptions,
  'answerableBy' | 'excludeAsker' | 'context' | 'details' | 'maxRetries' | 'remindAfter'
>;

export const askingRules = {
  answerableBy: optional(checkedAnswerableBy),
  excludeAsker: optional(boolean()),
  context: optional(anything<Record<string, unknown>>()),
  details: optional(anything<Record<string, string>>()),
  maxRetries: optional(integer({ min: 0 })),
  remindAfter: optional(checkedReminders),
} satisfies OptionRules<ToolAskOptions>;

/** How long to wait for an answer; it may be for ever. */
export const timeoutRule = optional(milliseconds({ max: Number.POSITIVE_INFINITY }), 600_000);

export const mostChoicesRule = optional(integer({ min: 1, max: 100 }), 4);

export const limitRule = optional(integer({ min: 1 }));

const freeAnswer = expecting<boolean | string>(
  'true, false or a label',
  (value) => typeof value === 'string' || typeof value === 'boolean',
);

/** The label of an answer in people's own words, or true for the usual one; undefined where they may give none. */
export const otherRule: OptionRule<true | string | undefined> = (value, name) =>
  optional(freeAnswer, false)(value, name) || undefined;
