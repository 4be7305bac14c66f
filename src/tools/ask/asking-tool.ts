/**
 * "Ask a human" for an agent whose `run()` owns the loop: the question goes to the person in the conversation, and
 * the loop continues when the answer comes. Asks nobody itself.
 */
import type { AskingTool } from '../../agent/tool.js';
import { checkOptions, type OptionRules, optional, string } from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { english } from '../../core/wording/english.js';
import { currentTurn } from '../../registry/turn/current-turn.js';
import { askResult } from '../answer-text.js';
import type { Unattended } from '../ask-place.js';
import { unattendedRule } from '../ask-place.js';
import { askedBefore, limitReached, nobodyThere, notAsked } from '../model-texts.js';
import { limitRule, mostChoicesRule, otherRule } from '../options.js';
import type { HumanToolName } from '../tool-name.js';
import { providerName } from '../tool-name.js';
import { readRequest } from './request.js';
import { humanDescription, humanSchema } from './schema.js';

/** The options of `askHumanTool()`. */
export interface AskingToolOptions {
  /**
   * The name by which the model calls it. Characters that providers refuse, such as a dot, become `_`.
   *
   * @default 'ask_human'
   */
  readonly name?: HumanToolName;
  /** What the model is told of the tool. The default says when to ask. */
  readonly description?: string;
  /**
   * The most options of one question.
   *
   * @default 4
   */
  readonly mostChoices?: number;
  /**
   * True or a label: people may also give a free answer where there are options.
   *
   * @default false
   */
  readonly other?: boolean | string;
  /**
   * The most questions in one run.
   *
   * @default no limit
   */
  readonly limit?: number;
  /**
   * What happens in a turn that a trigger started, where nobody can be asked.
   *
   * @default 'reject'
   */
  readonly unattended?: Unattended;
}

const rules = {
  name: optional(providerName, 'ask_human'),
  description: optional(string(), humanDescription),
  mostChoices: mostChoicesRule,
  other: otherRule,
  limit: limitRule,
  unattended: unattendedRule,
} satisfies OptionRules<AskingToolOptions>;

/**
 * The tool with which the model of an agent asks the person it talks to.
 *
 * @example
 * import { agent } from 'askback';
 * import { askHumanTool } from 'askback/tools';
 *
 * const support = agent('support', { systemPrompt: 'You help with orders.', tools: [askHumanTool({ limit: 3 })] });
 */
export function askHumanTool(options: AskingToolOptions = {}): AskingTool {
  const checked = checkOptions('askHumanTool()', options, rules, '{ limit: 3 }');
  const { name, description, mostChoices, other, limit, unattended } = checked;
  return {
    name,
    description,
    inputSchema: humanSchema(mostChoices),
    question: (input) => {
      const { wording } = currentTurn()?.language ?? english; // asked in the turn that the model runs in
      const request = readRequest(input, { mostChoices, other, wording });
      return 'problem' in request ? { problem: notAsked(request.problem) } : request;
    },
    result: askResult,
    repeated: askedBefore,
    refusal: (why) => {
      if (why === 'nobody') return nobodyThere[unattended === 'deny' ? 'deny' : 'reject'];
      return limitReached(limit ?? 0);
    },
    ...definedFields({ limit, elsewhere: typeof unattended === 'string' ? undefined : unattended.queue }),
  };
}
