/**
 * "Ask a human" for an agent whose `run()` owns the loop: the question goes to the person in the conversation, and
 * the loop continues when the answer arrives. It sends nothing itself.
 */
import type { AskingTool } from '../../agent/tool.js';
import { checkOptions } from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { english } from '../../core/wording/english.js';
import { currentTurn } from '../../registry/turn/current-turn.js';
import { askResult } from '../answer-text.js';
import { askedBefore, limitReached, nobodyThere, notAsked } from '../model-texts.js';
import { humanToolRules } from '../options.js';
import type { AskHumanOptions } from './human.js';
import { readRequest } from './request.js';
import { humanSchema } from './schema.js';

/** The options of `askHumanTool()`. A turn that a trigger started has nobody who could be asked. */
export interface AskingToolOptions
  extends Pick<AskHumanOptions, 'name' | 'description' | 'mostChoices' | 'other' | 'limit' | 'unattended'> {}

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
  const checked = checkOptions('askHumanTool()', options, humanToolRules, '{ limit: 3 }');
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
