/**
 * The options that several tools share, and their rules. Nothing is asked here.
 */
import type { AskOptions } from '../core/ask/options.js';
import { askOptionRules } from '../core/ask/options.js';
import {
  expecting,
  integer,
  milliseconds,
  type OptionRule,
  type OptionRules,
  optional,
  readable,
  string,
  wrongOption,
} from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { uses } from '../registry/calls/single-use.js';
import { startedByTools } from '../registry/context.js';
import type { AgentRegistry } from '../registry/registry.js';
import { humanDescription } from './ask/schema.js';
import { type AskerOption, askerRule, unattendedRule } from './ask-place.js';
import { providerName } from './tool-name.js';

/** The options of ask() that an author may set for every question of a tool. */
export interface ToolAskOptions
  extends Pick<
    AskOptions,
    | 'answerableBy'
    | 'excludeAsker'
    | 'context'
    | 'details'
    | 'maxRetries'
    | 'remindAfter'
    | 'notify'
    | 'escalate'
    | 'links'
    | 'mail'
  > {
  /**
   * The participant for whom it is asked outside of turns: their tenant bounds who may answer, and `excludeAsker` leaves them out. In a
   * turn it is the participant that the turn acts for.
   */
  readonly asker?: AskerOption;
}

export const askingRules = {
  answerableBy: askOptionRules.answerableBy,
  excludeAsker: askOptionRules.excludeAsker,
  asker: optional(askerRule),
  context: askOptionRules.context,
  details: askOptionRules.details,
  maxRetries: askOptionRules.maxRetries,
  remindAfter: askOptionRules.remindAfter,
  notify: askOptionRules.notify,
  escalate: askOptionRules.escalate,
  links: askOptionRules.links,
  mail: askOptionRules.mail,
} satisfies OptionRules<ToolAskOptions>;

/** The options of ask() among the checked options of a tool, without the asker, who is found for each call. */
export function askOptionsOf(checked: ToolAskOptions): Omit<ToolAskOptions, 'asker'> {
  return Object.fromEntries(Object.entries(checked).filter(([name]) => name !== 'asker' && name in askingRules));
}

const registryMethods = ['start', 'ask', 'askAndWait', 'getAsk', 'listAsks', 'cancel'] as const;

/** A registry that was given by itself. `where` is the function that was called. */
export function checkedRegistry(value: unknown, where: string): AgentRegistry {
  const methods = value as Partial<Record<(typeof registryMethods)[number], unknown>> | null | undefined;
  const isRegistry = readable(`${where}: the registry`, 'bad-option', () =>
    registryMethods.every((method) => typeof methods?.[method] === 'function'),
  );
  if (isRegistry && !(uses in (value as object)))
    throw new AgentError(
      'bad-option',
      `${where}: the registry is of another copy of askback. See npm ls askback, and install one version only.`,
    );
  if (!isRegistry) throw wrongOption(`${where}: the registry`, 'what new AgentRegistry() gives', value);
  const registry = value as AgentRegistry; // as far as it is used
  registry[startedByTools]();
  return registry;
}

/** The same for an option that may also be a function that returns the registry. It is called only when it is needed. */
export function registryGetter(value: unknown, where: string): () => AgentRegistry {
  if (typeof value === 'function') return () => checkedRegistry((value as () => unknown)(), where);
  const registry = checkedRegistry(value, where);
  return () => registry;
}

/** How long to wait for an answer; it may be for ever. */
export const timeoutRule = optional(milliseconds({ max: Number.POSITIVE_INFINITY }), 600_000);

const freeAnswer = expecting<boolean | string>(
  'true, false or a label',
  (value) => typeof value === 'string' || typeof value === 'boolean',
);

/** The label of an answer in people's own words, or true for the usual one; undefined if they may give none. */
const otherRule: OptionRule<true | string | undefined> = (value, name) =>
  optional(freeAnswer, false)(value, name) || undefined;

/** For both tools with which a model asks: `askHuman()` and `askHumanTool()`. */
export const humanToolRules = {
  name: optional(providerName, 'ask_human'),
  description: optional(string(), humanDescription),
  mostChoices: optional(integer({ min: 1, max: 100 }), 4),
  other: otherRule,
  limit: optional(integer({ min: 1 })),
  unattended: unattendedRule,
};
