/**
 * Converts the options that a language model sent into labels. Nothing is cut and nothing is invented: unreadable
 * input is an error whose message tells the model what to send.
 */
import { checkOptions, integer, optional } from '../../core/check-options.js';
import { badOption } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import { folded, isBlank } from '../../core/text.js';

/** Keys of readable labels, best first. `name` and `value` hold identifiers and are never shown. */
const labelKeys = ['label', 'description', 'text', 'title'] as const;

const rules = { most: optional(integer({ min: 1 })) };

/**
 * The labels in what a model sent: a list of strings or objects, or such a list as JSON. Blank and duplicate labels
 * are dropped. None is an error, and so are more than `most`, where it is given: how many can be asked about is for the tool
 * that asks to say.
 *
 * @example
 * import { coerceChoices } from 'askback/tools';
 *
 * console.log(coerceChoices('["S", "M"]'));
 */
export function coerceChoices(
  input: unknown,
  options: {
    /**
     * The most labels that are accepted; more are an error.
     *
     * @default no limit
     */
    readonly most?: number;
  } = {},
): string[] {
  const { most } = checkOptions('coerceChoices()', options, rules, '{ most: 4 }');
  const items = typeof input === 'string' ? listIn(input) : input;
  if (!Array.isArray(items)) {
    throw badOption(`The choices must be a list of strings, got ${describe(input)}. Send them as ["first", "second"].`);
  }
  const labels = new Map<string, string>();
  for (const item of items as readonly unknown[]) {
    const label = labelOf(item);
    const form = folded(label ?? '');
    if (label !== undefined && !labels.has(form)) labels.set(form, label);
  }
  if (labels.size === 0) {
    throw badOption(
      'The choices hold no text that people can read. Send at least one, as ["first", "second"] or [{ "label": "first" }].',
    );
  }
  if (most !== undefined && labels.size > most) {
    throw badOption(
      `There are ${labels.size} choices, at most ${most} are allowed. Send the ${most} that matter most.`,
    );
  }
  return [...labels.values()];
}

function listIn(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // the caller says what was expected
  }
}

/** The label of an item; undefined if it has none that people can read. */
export function labelOf(item: unknown): string | undefined {
  const given =
    typeof item === 'string' ? [item] : labelKeys.map((key) => (Object(item) as Record<string, unknown>)[key]);
  const label = given.find((each): each is string => typeof each === 'string' && !isBlank(each))?.trim();
  return label === undefined || folded(label) === '' ? undefined : label;
}
