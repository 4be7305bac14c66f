/**
 * The modal in which a text, a number, a date or a form is filled in, where the platform has modals: drawn, and read when it is sent off.
 * All that is needed to read it is in its metadata, so that any process can. Teams hands back nothing but the callback id: there the
 * metadata are a part of it.
 */
import type { ModalChild, ModalElement, ModalSubmitEvent } from 'chat';
import type { Field, Shape } from '../../../core/ask/answer-type.js';
import { definedFields } from '../../../core/defined-fields.js';
import type { Json } from '../../../core/json.js';
import { oneLine } from '../../../core/text.js';
import type { Wording } from '../../../core/wording/wording.js';
import { fieldsAtOnce, typedValue } from '../../kit/question.js';
import { jsonIn, recordOf } from '../../kit/untyped.js';
import type { Platform } from '../platforms/platform.js';
import { controlText, cutControl, literal } from './literal.js';

/** What a modal is about: an ask, and the thread in which its button was pressed. */
export interface ModalTarget {
  readonly askId: string;
  /** Undefined where the metadata pass through the client of the person, who could put another thread there. */
  readonly threadId?: string | undefined;
}

/** What was wrong when it was sent off, with what was filled in. */
interface WrongModal {
  readonly problem: string;
  readonly values: Readonly<Record<string, string>>;
}

/** What was sent off. */
export interface SentModal extends ModalTarget {
  readonly value: Json;
  /** The inputs, each with the text of its field: what is wrong begins with that text. */
  readonly inputs: readonly { readonly id: string; readonly text: string }[];
}

const modalCallback = 'askback';

/** What Slack takes, in characters: the heading and the buttons, the label of an input, an option, its value, the metadata. */
const most = { heading: 24, label: 150, option: 75, value: 150, options: 100, fields: 50, metadata: 2_800 } as const;

interface Input {
  readonly name: string;
  readonly text: string;
  readonly isNumber: boolean;
}

/** Whether a modal can take the whole answer. Times of day and several options have no input in `chat`. */
export function isForModal(shape: Shape): boolean {
  const fields = fieldsOf(shape);
  return fields.length > 0 && fields.length <= most.fields && fields.every((field) => isInput(field.shape));
}

/** Returns the modal, in the language of the person who opens it; undefined if it cannot take the answer. */
export function drawnChatModal(
  platform: Platform,
  shape: Shape,
  target: ModalTarget,
  wording: Wording,
  wrong?: WrongModal,
): ModalElement | undefined {
  if (!isForModal(shape)) return undefined;
  const fields = fieldsOf(shape);
  const words = (text: string, longest: number) => cutControl(platform, oneLine(text), longest);
  const inputs = fields.map(
    ({ name, text, shape: own }): Input => ({
      name,
      text: oneLine(text),
      isNumber: own.type === 'text' && own.input === 'number',
    }),
  );
  const isForm = shape.type === 'fields';
  const hasCallbackOnly = platform.modals?.hasCallbackOnly === true;
  const about = hasCallbackOnly ? { askId: target.askId } : target;
  const metadata = JSON.stringify({ ...about, inputs, isForm });
  if (metadata.length > most.metadata) return undefined;
  const children = fields.map((field, index): ModalChild => {
    const text = oneLine(field.text) === '' ? wording.answer() : field.text;
    return drawnInput(field, `f${index}`, words(text, most.label), platform, wrong?.values[`f${index}`]);
  });
  const problem = wrong && literal(platform, wrong.problem, 'card');
  return {
    type: 'modal',
    ...(hasCallbackOnly
      ? { callbackId: `${modalCallback}${metadata}` }
      : { callbackId: modalCallback, privateMetadata: metadata }),
    title: words(wording.answerButton(), most.heading),
    submitLabel: words(wording.sendButton(), most.heading),
    closeLabel: words(wording.cancelButton(), most.heading),
    children: [
      ...(problem === undefined ? [] : [{ type: 'text', content: problem, style: 'bold' } as const]),
      ...children,
    ],
  };
}

/** Whether it may be one of ours. */
export function isChatModal(callbackId: string): boolean {
  return callbackId === modalCallback || callbackId.startsWith(`${modalCallback}{`);
}

/** Undefined for a modal that is not ours. */
export function readSentModal({
  callbackId,
  privateMetadata,
  values,
}: Pick<ModalSubmitEvent, 'callbackId' | 'privateMetadata' | 'values'>): SentModal | undefined {
  if (!isChatModal(callbackId)) return undefined;
  const isInCallback = callbackId !== modalCallback;
  const metadata = parsed(isInCallback ? callbackId.slice(modalCallback.length) : (privateMetadata ?? ''));
  if (metadata === undefined) return undefined;
  const { askId, inputs, isForm } = metadata;
  const threadId = isInCallback ? undefined : metadata.threadId;
  const given = inputs.map(({ isNumber }, index) => typedValue(values[`f${index}`] ?? '', isNumber));
  const value = isForm
    ? Object.fromEntries(inputs.map(({ name }, index) => [name, given[index] ?? null]))
    : (given[0] ?? '');
  return { askId, threadId, value, inputs: inputs.map(({ text }, index) => ({ id: `f${index}`, text })) };
}

function fieldsOf(shape: Shape): readonly Field[] {
  if (shape.type === 'text') return [{ name: '', text: '', shape, optional: false }];
  if (shape.type === 'choices') return [];
  return fieldsAtOnce(shape.fields);
}

function isInput(shape: Shape): boolean {
  if (shape.type === 'text') return shape.input !== 'datetime';
  if (shape.type !== 'choices' || shape.many || shape.choices.length > most.options) return false;
  return shape.choices.every(({ id, label }) => id.length <= most.value && label.length <= most.option / 2);
}

function drawnInput(
  { shape, optional }: Field,
  id: string,
  label: string,
  platform: Platform,
  before: string | undefined,
): ModalChild {
  if (shape.type === 'choices') {
    const options = shape.choices.map((choice) => ({ label: controlText(platform, choice.label), value: choice.id }));
    const initialOption = options.find(({ value }) => value === before)?.value;
    return { type: 'select', id, label, optional, options, ...definedFields({ initialOption }) };
  }
  const input = shape.type === 'text' ? shape.input : undefined;
  if (input === 'number') {
    const initialValue = before === undefined || before.trim() === '' ? Number.NaN : Number(before);
    const known = Number.isFinite(initialValue) ? { initialValue } : {};
    return { type: 'number_input', id, label, optional, decimal: true, ...known };
  }
  const known = definedFields({ initialValue: before });
  if (input === 'date') return { type: 'date_input', id, label, optional, ...known };
  return { type: 'text_input', id, label, optional, multiline: input === undefined, maxLength: 3_000, ...known };
}

function isReadInput(input: unknown): boolean {
  const { name, text } = recordOf(input);
  return typeof name === 'string' && typeof text === 'string';
}

function parsed(
  text: string,
): (ModalTarget & { readonly inputs: readonly Input[]; readonly isForm: boolean }) | undefined {
  const read = jsonIn(text);
  const { askId, threadId, inputs } = recordOf(read);
  const isThread = threadId === undefined || typeof threadId === 'string';
  const isOurs = typeof askId === 'string' && isThread && Array.isArray(inputs) && inputs.every(isReadInput);
  return isOurs ? (read as ReturnType<typeof parsed>) : undefined; // else another app's, of the same callback id
}
