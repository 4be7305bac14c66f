/**
 * What a control on Slack carries, written and read in one place: the conversation and the ask of the message that drew it, the option,
 * and what a modal asks for. It names no person, and nothing is looked up.
 */
import { Buffer } from 'node:buffer';
import type { Field, Shape } from '../../../core/ask/answer-type.js';
import type { OutgoingMessage } from '../../../core/conversation/outgoing.js';
import { definedFields } from '../../../core/defined-fields.js';
import type { Json } from '../../../core/json.js';
import { typedValue } from '../../kit/question.js';
import { jsonIn, recordOf, recordsOf, textOf } from '../../kit/untyped.js';

/** Which ask a control is about. A reply by it is received with exactly these. */
export interface ControlTarget {
  readonly conversationId: string;
  readonly askId: string;
  /** Where the message was sent, if replies from there come with another address. */
  readonly sentTo?: string | undefined;
}

/** What a modal asks for. The button that opens it carries it, so opening needs no store. */
export interface ModalForm extends ControlTarget {
  /** The question, as far as it fits: the message shows it in full. */
  readonly label: string;
  /** Text, or the fields of a form. */
  readonly shape: Shape;
  /** `field`: it is one field of a form, whose answer is read as a typed reply. */
  readonly as: 'answer' | 'field';
}

/** A control that was used, as Slack describes it in `actions` of `block_actions`. */
export interface UsedControl {
  readonly action_id?: unknown;
  readonly value?: unknown;
}

/** The inputs of a message or a modal: `state.values` of a payload. */
export type InputValues = unknown;

/** What using a control means. */
export type ReadControl =
  | ({ readonly type: 'answer'; readonly choice: string | readonly string[] } & ControlTarget)
  /** Draw the modal and open it. */
  | { readonly type: 'open'; readonly form: ModalForm }
  /** The button was pressed before an option was picked. */
  | ({ readonly type: 'incomplete' } & ControlTarget)
  /** An option was picked and not sent yet, a link was followed, or it is no control of ours. */
  | { readonly type: 'nothing' };

/** What was sent by a modal. */
export type ReadModal = ControlTarget & {
  /** The first block: what is wrong stands beside it, unless it is about another input. */
  readonly blockId: string;
  /** The blocks of the fields of a form, each with the text of its field. */
  readonly inputs: readonly { readonly id: string; readonly text: string }[];
} & ({ readonly text: string } | { readonly value: Json });

/** The event type of the metadata of every message that this channel posts. */
export const metadataType = 'askback_message';

/** How many bytes a button's `value` may have. The private metadata of a modal may have more. */
const valueBytes = 2_000;
/** How many characters the `value` of an option in a list may have. */
const optionCharacters = 150;

const prefix = 'askback';
export const modalCallback = `${prefix}:answer`;
/** The block and the element of a list whose choice is sent by a button. */
export const picked = `${prefix}:pick`;
const chooses = `${prefix}:choose:`;
const sends = `${prefix}:send`;
const opens = `${prefix}:open`;
/** A button that only opens a page. */
export const follows = `${prefix}:link`;

// --- writing ---

/** A button's `action_id` and `value` for an option; undefined if it does not fit. */
export function choiceControl(target: ControlTarget, option: string, index: number) {
  return control(`${chooses}${index}`, target, [option]);
}

/** The same for the button that sends what was picked from a list. */
export function sendControl(target: ControlTarget, many: boolean) {
  return control(sends, target, [many]);
}

/** The same for the button that opens a modal. */
export function openControl(form: ModalForm) {
  return control(opens, form, formContent(form));
}

/** The private metadata of a modal. */
export function modalMetadata(form: ModalForm): string {
  return packedWith(form, formContent(form));
}

/** The `value` of an option in a list; undefined if its id does not fit. */
export function optionValue(id: string): string | undefined {
  const value = encodeURIComponent(id.toWellFormed());
  return value.length <= optionCharacters && decodeURIComponent(value) === id ? value : undefined;
}

export function fieldBlock(index: number): string {
  return `${prefix}:field:${index}`;
}

/** The time of day of a field that asks for a date and a time: Slack has no element for both without a time zone. */
export function timeBlock(index: number): string {
  return `${prefix}:time:${index}`;
}

/**
 * The metadata of a message: by its key the message is found again, and by the rest a reply in the thread below finds the conversation.
 * Other apps can read it. What is said in another place than the conversation's own begins no thread of it, so it does not name it.
 */
export function messageMetadata({ key, conversationId, ask }: OutgoingMessage, isHere: boolean, sentTo?: string) {
  const conversation = isHere || ask !== undefined ? conversationId : undefined;
  const payload = { key, ...definedFields({ conversation, ask: ask?.id, sent_to: sentTo }) };
  return { event_type: metadataType, event_payload: payload };
}

function formContent({ label, shape, as }: ModalForm): readonly Json[] {
  return [label, shape as unknown as Json, as]; // a shape is plain data
}

function control(
  actionId: string,
  { conversationId, askId, sentTo }: ControlTarget,
  content: readonly Json[],
): { action_id: string; value: string } | undefined {
  // an answer can be given without sentTo: what is said about it then may be said in more than one place
  const values = [
    { conversationId, askId, sentTo },
    { conversationId, askId },
  ].map((each) => packedWith(each, content));
  const value = values.find((each) => Buffer.byteLength(each) <= valueBytes);
  return value === undefined ? undefined : { action_id: actionId, value };
}

function packedWith({ conversationId, askId, sentTo }: ControlTarget, content: readonly Json[]): string {
  return packed([sentTo === undefined ? conversationId : [conversationId, sentTo], askId, ...content]);
}

/** Without the characters that Slack escapes in some places. */
function packed(content: Json): string {
  return JSON.stringify(content).replace(/[&<>]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

// --- reading ---

/** Whether this channel has drawn the control. */
export function isOwnControl({ action_id: action }: UsedControl): boolean {
  return typeof action === 'string' && action.startsWith(`${prefix}:`);
}

/** What using this control means. `values` are the inputs of its message. */
export function readControl({ action_id: action, value }: UsedControl, values: InputValues): ReadControl {
  const content = unpacked(value);
  const target = targetIn(content);
  if (typeof action !== 'string' || content === undefined || target === undefined) return { type: 'nothing' };
  if (action.startsWith(chooses)) {
    const [, , option] = content;
    return typeof option === 'string' ? { type: 'answer', ...target, choice: option } : { type: 'nothing' };
  }
  if (action === sends) {
    const options = optionsIn(inputIn(values, picked));
    if (content[2] === true) return { type: 'answer', ...target, choice: options };
    const [option] = options;
    return option === undefined ? { type: 'incomplete', ...target } : { type: 'answer', ...target, choice: option };
  }
  const form = action === opens ? formIn(content) : undefined;
  return form === undefined ? { type: 'nothing' } : { type: 'open', form };
}

/** What a modal sent, by its private metadata and its inputs; undefined for a modal that is not ours. */
export function readModal(metadata: unknown, values: InputValues): ReadModal | undefined {
  const form = formIn(unpacked(metadata));
  if (form === undefined) return undefined;
  const { conversationId, askId, sentTo, shape, as } = form;
  const fields = shape.type === 'fields' ? shape.fields : [];
  const inputs = fields.map(({ text }, index) => ({ id: fieldBlock(index), text }));
  const about = { conversationId, askId, ...definedFields({ sentTo }), blockId: fieldBlock(0), inputs };
  if (shape.type !== 'fields') {
    const given = givenIn(shape, values, 0);
    if (as === 'field') return { ...about, text: typeof given === 'string' ? given : '' };
    return { ...about, value: given ?? '' };
  }
  const value: Record<string, Json> = {};
  for (const [index, field] of fields.entries()) {
    const given = givenIn(field.shape, values, index);
    const isSkipped = given === undefined || (field.optional && Array.isArray(given) && given.length === 0);
    value[field.name] = isSkipped ? null : given;
  }
  return { ...about, value };
}

/** Which conversation, and which ask, a message with this metadata belongs to. The caller has checked that our app wrote it. */
export function readMetadata(
  metadata: unknown,
): (Pick<ControlTarget, 'conversationId' | 'sentTo'> & { readonly askId?: string }) | undefined {
  const { event_type: type, event_payload: payload } = recordOf(metadata);
  const { conversation, ask, sent_to: sentTo } = recordOf(payload);
  if (type !== metadataType || typeof conversation !== 'string') return undefined;
  return { conversationId: conversation, ...definedFields({ askId: textOf(ask), sentTo: textOf(sentTo) }) };
}

/** The key of the output that a message with this metadata shows. The caller has checked that our app wrote it. */
export function keyIn(metadata: unknown): string | undefined {
  const { event_type: type, event_payload: payload } = recordOf(metadata);
  const { key } = recordOf(payload);
  return type === metadataType && typeof key === 'string' ? key : undefined;
}

/** What an input gives, as the question's type takes it; undefined for nothing. */
function givenIn(shape: Shape, values: InputValues, index: number): Json | undefined {
  const input = inputIn(values, fieldBlock(index));
  if (shape.type === 'choices') return shape.many ? optionsIn(input) : optionsIn(input)[0];
  const kind = shape.type === 'text' ? shape.input : undefined;
  if (kind === 'date' || kind === 'datetime') {
    const { selected_date: date } = input;
    if (typeof date !== 'string' || kind === 'date') return typeof date === 'string' ? date : undefined;
    const { selected_time: time } = inputIn(values, timeBlock(index));
    return typeof time === 'string' ? `${date}T${time}` : date;
  }
  const { value } = input;
  return typeof value === 'string' ? typedValue(value, kind === 'number') : undefined;
}

/** The element of a block of which there is one. */
function inputIn(values: InputValues, block: string): Readonly<Record<string, unknown>> {
  return recordOf(Object.values(recordOf(recordOf(values)[block]))[0]);
}

function optionsIn({ selected_option: one, selected_options: several }: Readonly<Record<string, unknown>>): string[] {
  return recordsOf(several ?? [one]).flatMap(({ value }) => (typeof value === 'string' ? [decoded(value)] : []));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function unpacked(value: unknown): readonly unknown[] | undefined {
  const content = typeof value === 'string' ? jsonIn(value) : undefined;
  return Array.isArray(content) ? content : undefined;
}

function targetIn(content: readonly unknown[] | undefined): ControlTarget | undefined {
  const [where, askId] = content ?? [];
  const [conversationId, sentTo] = [where].flat() as readonly unknown[];
  if (typeof conversationId !== 'string' || typeof askId !== 'string') return undefined;
  return { conversationId, askId, ...definedFields({ sentTo: typeof sentTo === 'string' ? sentTo : undefined }) };
}

function formIn(content: readonly unknown[] | undefined): ModalForm | undefined {
  const target = targetIn(content);
  const [, , label, shape, as] = content ?? [];
  if (target === undefined || typeof label !== 'string' || !isShape(shape)) return undefined;
  return { ...target, label, shape, as: as === 'field' ? 'field' : 'answer' };
}

function isShape(value: unknown): value is Shape {
  const { type, choices, fields } = recordOf(value);
  if (type === 'text') return true;
  if (type === 'choices') return Array.isArray(choices);
  return type === 'fields' && Array.isArray(fields) && fields.every(isField);
}

function isField(value: unknown): value is Field {
  const { name, text, shape } = recordOf(value);
  return typeof name === 'string' && typeof text === 'string' && isShape(shape);
}
