/** Options as elements of Block Kit: lists in messages and in modals, and labels that are too long for a control. */
import { type ChoicesShape, listedChoices, shownChoices } from '../../../core/ask/answer-type.js';
import { isBlank, oneLine } from '../../../core/text.js';
import type { Wording } from '../../../core/wording/wording.js';
import type { SlackBlock } from '../api.js';
import { optionValue } from './action-data.js';
import { cut, escaped, plain, words } from './escape.js';
import { limits } from './limits.js';

/** The labels of options as controls show them. */
export interface OptionLabels {
  /** Escaped, and short enough for a control; undefined if they cannot be told apart then. */
  readonly labels: readonly string[] | undefined;
  /** All of them in full, where one had to be cut: to be shown above the controls. */
  readonly listed: string | undefined;
}

export function optionLabels(shape: ChoicesShape): OptionLabels {
  const whole = shownChoices(shape).map(({ label }, index) => (isBlank(label) ? `${index + 1}.` : oneLine(label)));
  if (whole.every((label) => escaped(label).length <= limits.label))
    return { labels: whole.map(escaped), listed: undefined };
  const labels = whole.map((label) => cut(label, limits.label));
  const areApart = new Set(labels).size === labels.length;
  return { labels: areApart ? labels : undefined, listed: listedChoices(shape).map(oneLine).join('\n') };
}

/** A list to pick from; undefined if an option cannot be carried by it. */
export function pickElement(actionId: string, shape: ChoicesShape, wording: Wording): SlackBlock | undefined {
  const { choices, many, max } = shape;
  const { labels } = optionLabels(shape);
  if (labels === undefined) return undefined;
  const values = choices.map(({ id }) => optionValue(id));
  if (values.includes(undefined) || new Set(values).size < values.length) return undefined;
  const options = values.map((value, i) => ({ text: plain(labels[i] as string), value: value as string }));
  if (options.length <= limits.boxes)
    return { type: many ? 'checkboxes' : 'radio_buttons', action_id: actionId, options };
  const empty = many ? wording.pickSeveralPlaceholder() : wording.pickPlaceholder();
  const placeholder = words(empty, limits.placeholder);
  const most = many && max !== undefined ? { max_selected_items: max } : {};
  const select = { type: many ? 'multi_static_select' : 'static_select', action_id: actionId, placeholder, ...most };
  if (options.length <= limits.options) return { ...select, options };
  const groups: SlackBlock[] = [];
  for (let first = 0; first < options.length; first += limits.options) {
    const last = Math.min(first + limits.options, options.length);
    groups.push({ label: plain(`${first + 1}–${last}`), options: options.slice(first, last) });
  }
  return { ...select, option_groups: groups };
}
