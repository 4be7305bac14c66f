/**
 * A control for one part of an answer: options, or a field to type into. It checks only that something was given; what fits is decided by
 * the server.
 */
import { el } from '../../elements.js';
import { texts } from '../settings.js';
import type { ControlValue, FormField, OptionsShape, ShownOption } from '../wire.js';
import { newElementId, words } from './words.js';

export interface Control {
  readonly name: string;
  readonly node: HTMLElement;
  /** What was entered; undefined if that is nothing. */
  value(): ControlValue | undefined;
  /** Says beside the control that something is missing, and returns true, if it is. */
  complain(): boolean;
  focus(): void;
}

/** A question of one part has neither a name nor a text of its own. */
type ControlField = Omit<FormField, 'text'> & Partial<Pick<FormField, 'text'>>;

const inputTypes = { number: 'number', date: 'date', datetime: 'datetime-local', email: 'email' } as const;

export function controlFor(field: ControlField, questionId: string): Control {
  const { text, shape, optional } = field;
  const title = text === undefined ? [] : [words(text), optional ? ` ${texts.optional}` : ''];
  const labelledBy = text === undefined ? questionId : undefined;
  if (shape.type === 'choices') return optionsControl(field, shape, title, labelledBy);
  return inputControl(field, title, labelledBy);
}

type Title = readonly (Node | string)[];

function inputControl({ name, shape, optional }: ControlField, title: Title, labelledBy: string | undefined): Control {
  const id = newElementId();
  const type = shape.type === 'text' && shape.input !== undefined ? inputTypes[shape.input] : 'text';
  const input = el('input', {
    id,
    type,
    step: type === 'number' && 'any',
    required: !optional,
    'aria-labelledby': labelledBy,
    autocomplete: type === 'email' ? 'email' : 'off',
  });
  const label = title.length > 0 && el('label', { for: id }, ...title);
  const value = () => {
    if (input.value.trim() === '') return undefined;
    return type === 'number' && name !== '' ? Number(input.value) : input.value;
  };
  return {
    name,
    node: el('div', { class: 'field' }, label, input),
    value,
    complain: () => !optional && value() === undefined, // the browser itself says so
    focus: () => input.focus(),
  };
}

function optionsControl(
  { name, optional }: ControlField,
  shape: OptionsShape,
  title: Title,
  labelledBy: string | undefined,
): Control {
  const id = newElementId();
  const type = shape.many ? 'checkbox' : 'radio';
  const boxes = shape.choices.map((choice, index) =>
    el('input', { type, name: id, id: `${id}-${index}`, value: ownId(choice, name) }),
  );
  const lines = boxes.map((box, index) => {
    const choice = shape.choices[index] as ShownOption;
    return el('div', { class: 'option' }, box, el('label', { for: box.id }, words(shownLabel(shape, choice, index))));
  });
  const problem = el('p', { class: 'note bad', role: 'alert' });
  const legend = title.length > 0 && el('legend', {}, ...title);
  const value = () => {
    const picked = boxes.filter((box) => box.checked).map((box) => box.value);
    if (!shape.many) return picked[0];
    return picked.length > 0 || !optional ? picked : undefined;
  };
  return {
    name,
    node: el('fieldset', { class: 'list', 'aria-labelledby': labelledBy }, legend, ...lines, problem),
    value,
    complain: () => {
      const isMissing = !optional && value() === undefined;
      problem.textContent = isMissing ? texts.pick : '';
      return isMissing;
    },
    focus: () => boxes[0]?.focus(),
  };
}

/** The ids of a field's options begin with the field's name; its value does not. */
function ownId({ id }: ShownOption, name: string): string {
  return name !== '' && id.startsWith(`${name}/`) ? id.slice(name.length + 1) : id;
}

/** The text of an option, with the number by which a typed reply may name it. */
export function shownLabel(
  { numbered }: Pick<OptionsShape, 'numbered'>,
  { label }: ShownOption,
  index: number,
): string {
  return numbered ? `${index + 1}. ${label}` : label;
}
