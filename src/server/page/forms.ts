/**
 * The form of a question, drawn from its shape, and what a form that was sent back says. The engine decides whether it is an answer;
 * this only knows controls. Enter alone sends no form: its first submit button is disabled.
 */
import type { Choice, Field, Shape } from '../../core/ask/answer-type.js';
import type { Json } from '../../core/json.js';
import type { GivenAnswer, InboxAsk } from '../ask-view.js';
import { html } from '../packages.js';
import type { Html } from './markup.js';
import { nothing, prose } from './markup.js';
import { texts } from './texts.js';

/** What a person had filled in, and what is wrong with it, by the name of the control. */
export interface Filled {
  readonly values: URLSearchParams;
  readonly errors: ReadonlyMap<string, string>;
}

/** What stands in the hidden fields of a form. */
export interface HiddenFields {
  /** Says that we drew the form, for this person, and from what. */
  readonly token: string;
  /** The id of the call: sending the form twice is one call. */
  readonly key: string;
}

const single = 'answer';
const fieldName = ({ name }: Pick<Field, 'name'>): string => `field-${name}`;
const otherName = (name: string): string => `${name}-other`;

/** The start of every form that changes something. */
export function formStart({ token, key }: HiddenFields): Html {
  return html`<input type="hidden" name="token" value="${token}"><input type="hidden" name="key" value="${key}"><button type="submit" disabled hidden></button>`;
}

// --- drawing ---

/** The controls of a question, with its buttons. */
export function answerControls(ask: InboxAsk, filled: Filled | undefined): Html {
  const { shape } = ask;
  if (shape.type === 'choices' && isDecision(ask))
    return html`<div class="decide">${decisionButtons(ask, shape.choices)}</div>`;
  const label = ask.prompt ?? texts.yourAnswer;
  const controls =
    shape.type === 'fields'
      ? shape.fields.map((field) => drawnField(field, ask, filled))
      : control({ name: single, label, shape, optional: false, sensitive: ask.sensitive === true }, filled, []);
  return html`${controls}<div class="decide"><button class="send" data-send>${texts.send}</button><span class="quiet scripted">${texts.sendHint}</span></div>`;
}

/** Yes or no, and approvals: each answer is a button of its own. */
export function isDecision({ kind, shape, tool }: Pick<InboxAsk, 'kind' | 'shape' | 'tool'>): boolean {
  if (shape.type !== 'choices' || shape.many) return false;
  return kind === 'confirm' || (tool !== undefined && shape.choices.every(({ id }) => approvals.includes(id)));
}

const approvals = ['deny', 'once', 'session'];
const isRefusing = ({ id }: Choice): boolean => id === 'no' || id === 'deny';

/** What approves comes first, what refuses stands at the other end and has another colour. */
function decisionButtons(ask: InboxAsk, choices: readonly Choice[]): Html[] {
  const inOrder = [...choices.filter((each) => !isRefusing(each)), ...choices.filter(isRefusing)];
  return inOrder.map((each) => {
    const tone = isRefusing(each) ? 'refuse' : each.id === 'session' ? 'approve wide' : 'approve';
    return html`<button class="${tone}" name="${single}" value="${each.id}" data-option>${prose(each.label)}<small>${effect(ask, each)}</small></button>`;
  });
}

/** What pressing the button does, as far as the program knows it: it never makes up an amount. */
function effect({ tool, question }: InboxAsk, choice: Choice): Html | string {
  if (tool !== undefined) return isRefusing(choice) ? texts.refusesTool(tool) : texts.runsTool(tool);
  const isShort = question.length <= 60 && !question.includes('\n');
  return isShort && !isRefusing(choice) ? prose(question) : nothing; // under a refusal it would read as what that does
}

interface Control {
  readonly name: string;
  readonly label: string;
  readonly shape: Shape;
  readonly optional: boolean;
  readonly sensitive: boolean;
}

function drawnField({ name, text, shape, optional }: Field, ask: InboxAsk, filled: Filled | undefined): Html {
  const drawn = {
    name: fieldName({ name }),
    label: text,
    shape: ownIds(name, shape),
    optional,
    sensitive: ask.sensitive === true,
  };
  return control(drawn, filled, knownValues(ask, name));
}

/** A field's options are named after the field, for buttons of a chat; here each field has controls of its own. */
function ownIds(name: string, shape: Shape): Shape {
  if (shape.type !== 'choices') return shape;
  const prefix = `${name}/`;
  return {
    ...shape,
    choices: shape.choices.map(({ id, label }) => ({
      id: id.startsWith(prefix) ? id.slice(prefix.length) : id,
      label,
    })),
  };
}

/** What earlier replies gave for a field of a form. */
function knownValues({ partial }: Pick<InboxAsk, 'partial'>, name: string): readonly string[] {
  const values = (partial as { values?: Readonly<Record<string, Json>> } | undefined)?.values;
  const value = values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined || value === null) return [];
  if (typeof value === 'boolean') return [value ? 'yes' : 'no'];
  return (Array.isArray(value) ? value : [value]).map((each) =>
    typeof each === 'string' ? each : JSON.stringify(each),
  );
}

function control(drawn: Control, filled: Filled | undefined, known: readonly string[]): Html {
  const { name, label, shape, optional, sensitive } = drawn;
  const error = filled?.errors.get(name);
  const given = sensitive ? [] : (filled?.values.getAll(name) ?? known);
  const hint = shape.type === 'choices' && shape.many ? severalHint(shape.max) : '';
  const described = [hint === '' ? '' : `${name}-hint`, error === undefined ? '' : `${name}-error`].join(' ').trim();
  const notes = html`${hint && html`<span class="hint" id="${name}-hint">${hint}</span>`}${
    error !== undefined && html`<span class="error" id="${name}-error">${prose(error)}</span>`
  }`;
  const title = html`${prose(label)}${optional && html` <span class="quiet">(${texts.optional})</span>`}`;
  const describedBy = html`${described && html` aria-describedby="${described}"`}`;
  const attributes = html`${describedBy}${error !== undefined && html` aria-invalid="true"`}`;
  if (shape.type === 'choices') {
    return html`<fieldset class="control" id="${name}"${describedBy}><legend>${title}</legend>${notes}${options(drawn, shape, given)}${otherAnswer(name, given, filled)}</fieldset>`;
  }
  return html`<div class="control"><label for="${name}">${title}</label>${notes}${textInput(drawn, given[0] ?? '', attributes)}</div>`;
}

function severalHint(max: number | undefined): string {
  return max === undefined ? texts.severalAllowed : texts.atMost(max);
}

function options(
  { name }: Control,
  { choices, many }: Extract<Shape, { type: 'choices' }>,
  given: readonly string[],
): Html[] {
  return choices.map(
    ({ id, label }) =>
      html`<label class="option"><input type="${many ? 'checkbox' : 'radio'}" name="${name}" value="${id}" data-option${
        given.includes(id) && html` checked`
      }><span>${prose(label)}</span></label>`,
  );
}

/** Where the engine wants an answer in one's own words for an option: shown after it said so. */
function otherAnswer(name: string, given: readonly string[], filled: Filled | undefined): Html {
  if (filled?.errors.has(name) !== true || !given.includes('other')) return nothing;
  const own = otherName(name);
  return html`<label for="${own}">${texts.ownAnswer}</label><input id="${own}" name="${own}" value="${filled.values.get(own) ?? ''}">`;
}

const inputs = {
  number: html`type="text" inputmode="decimal"`,
  date: html`type="date"`,
  datetime: html`type="datetime-local"`,
  email: html`type="email"`,
} as const;

function textInput({ name, shape, sensitive }: Control, given: string, attributes: Html): Html {
  const input = shape.type === 'text' ? shape.input : undefined;
  if (sensitive)
    return html`<input id="${name}" name="${name}" type="password" autocomplete="off" spellcheck="false"${attributes}>`;
  if (input === undefined)
    return html`<textarea id="${name}" name="${name}" rows="3" dir="auto"${attributes}>${given}</textarea>`;
  return html`<input id="${name}" name="${name}" ${inputs[input]} autocomplete="off" value="${given}"${attributes}>`;
}

// --- reading ---

/** What was sent: an answer for the engine, or what is missing. */
export function sentAnswer(
  { shape }: Pick<InboxAsk, 'shape'>,
  values: URLSearchParams,
): { readonly answer: GivenAnswer } | { readonly errors: ReadonlyMap<string, string> } {
  if (shape.type !== 'fields') {
    const given = givenFor(shape, single, values);
    const isEmpty = shape.type === 'choices' && !shape.many && given.length === 0;
    return isEmpty ? { errors: new Map([[single, texts.needed]]) } : { answer: singleAnswer(shape, given) };
  }
  const errors = new Map<string, string>();
  const answers: Record<string, Json> = {};
  for (const field of shape.fields) {
    const value = fieldValue(field, values);
    if (value === undefined && !field.optional) errors.set(fieldName(field), texts.needed);
    else answers[field.name] = value ?? null;
  }
  return errors.size > 0 ? { errors } : { answer: { value: answers } };
}

/** Typed text is read as in a chat, in the person's own notation; a control's value is taken as it is. */
function singleAnswer(shape: Shape, given: readonly string[]): GivenAnswer {
  const [first = ''] = given;
  if (shape.type === 'choices') return { value: shape.many ? [...given] : first };
  return shape.type === 'text' && shape.input?.startsWith('date') && isIsoTime(first)
    ? { value: first }
    : { text: first };
}

const isIsoTime = (text: string): boolean => /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?$/.test(text);

/** What was given for a control: only one that takes several options may come more than once. */
function givenFor(shape: Shape, name: string, values: URLSearchParams): readonly string[] {
  if (shape.type === 'choices' && shape.many) return values.getAll(name);
  const one = values.get(name);
  return one === null ? [] : [one];
}

/** The value of a field; undefined if nothing was given. */
function fieldValue(field: Field, values: URLSearchParams): Json | undefined {
  const name = fieldName(field);
  const given = givenFor(field.shape, name, values).filter((value) => value.trim() !== '');
  const [first] = given;
  const own = values.get(otherName(name))?.trim() ?? '';
  if (first === 'other' && own !== '') return { other: own };
  if (field.shape.type === 'choices' && field.shape.many)
    return given.length === 0 && field.optional ? undefined : given;
  if (first === undefined || field.shape.type !== 'text' || field.shape.input !== 'number') return first;
  return /^[+-]?\d+(?:\.\d+)?$/.test(first.trim()) ? Number(first) : first;
}

/** Puts what the engine found wrong beside the control it is about. */
export function errorsFor({ shape }: Pick<InboxAsk, 'shape'>, problem: string): ReadonlyMap<string, string> {
  if (shape.type !== 'fields') return new Map([[single, problem]]);
  const field = shape.fields.find(({ text }) => problem.startsWith(`${text} `)) ?? shape.fields[0];
  return new Map([[field === undefined ? single : fieldName(field), problem]]);
}

/** A problem with the text of its field before it, for the summary. */
export function labelled({ shape }: Pick<InboxAsk, 'shape'>, name: string, problem: string): string {
  const field = shape.type === 'fields' ? shape.fields.find((each) => fieldName(each) === name) : undefined;
  return field === undefined || problem.startsWith(`${field.text} `) ? problem : `${field.text}: ${problem}`;
}

/** What somebody wrote into a form that was not taken: it must not be lost. Nothing of a sensitive question. */
export function writtenIn(ask: Pick<InboxAsk, 'shape' | 'sensitive'>, values: URLSearchParams): readonly string[] {
  if (ask.sensitive === true) return [];
  const names = ask.shape.type === 'fields' ? ask.shape.fields.map(fieldName) : [single];
  const labels = new Map(choicesIn(ask.shape).map(({ id, label }) => [id, label]));
  const written = [...names, ...names.map(otherName), 'reason'].flatMap((name) => values.getAll(name));
  return written.filter((text) => text.trim() !== '').map((text) => labels.get(text) ?? text);
}

function choicesIn(shape: Shape): readonly Choice[] {
  if (shape.type === 'choices') return shape.choices;
  if (shape.type === 'text') return [];
  return shape.fields.flatMap(({ name, shape: own }) => choicesIn(ownIds(name, own)));
}
