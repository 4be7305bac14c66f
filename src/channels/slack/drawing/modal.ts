/** The modal in which a text, a number, a date or a form is filled in. The button that opens it carries all that is drawn here. */
import type { Shape } from '../../../core/ask/answer-type.js';
import { oneLine } from '../../../core/text.js';
import type { Wording } from '../../../core/wording/wording.js';
import type { SlackBlock } from '../api.js';
import { fieldBlock, type ModalForm, modalCallback, modalMetadata, timeBlock } from './action-data.js';
import { piecesOf, plain, words } from './escape.js';
import { limits } from './limits.js';
import { optionLabels, pickElement } from './options.js';

const element = 'input';

/** The modal as `views.open` takes it, in the language of whoever opens it. */
export function drawnModal(form: ModalForm, wording: Wording): SlackBlock {
  const { label, shape } = form;
  const fields = shape.type === 'fields' ? shape.fields : [{ text: label, shape, optional: false }];
  return {
    type: 'modal',
    callback_id: modalCallback,
    private_metadata: modalMetadata(form),
    title: words(wording.answerButton(), limits.heading),
    submit: words(wording.sendButton(), limits.heading),
    close: words(wording.cancelButton(), limits.heading),
    blocks: fields.flatMap(({ text, shape: own, optional }, index) =>
      inputs({ text, shape: own, optional }, index, wording),
    ),
  };
}

function inputs(
  { text, shape, optional }: { readonly text: string; readonly shape: Shape; readonly optional: boolean },
  index: number,
  wording: Wording,
): SlackBlock[] {
  const line = oneLine(text);
  const label = line === '' ? wording.answer() : line;
  const input = (blockId: string, name: string, own: SlackBlock): SlackBlock => ({
    type: 'input',
    block_id: blockId,
    label: words(name, limits.field),
    element: own,
    optional,
  });
  if (shape.type === 'choices') {
    const { listed } = optionLabels(shape);
    const list = pickElement(element, shape, wording);
    const above = listed === undefined ? [] : piecesOf(listed, limits.section);
    const sections = above.map((piece) => ({ type: 'section', text: plain(piece) }));
    return list === undefined ? sections : [...sections, input(fieldBlock(index), label, list)];
  }
  const kind = shape.type === 'text' ? shape.input : undefined;
  const own = input(fieldBlock(index), label, inputElement(kind));
  if (kind !== 'datetime') return [own];
  return [own, input(timeBlock(index), wording.timeOf(label), { type: 'timepicker', action_id: element })];
}

function inputElement(kind: 'number' | 'date' | 'datetime' | 'email' | undefined): SlackBlock {
  if (kind === 'number') return { type: 'number_input', action_id: element, is_decimal_allowed: true };
  if (kind === 'email') return { type: 'email_text_input', action_id: element };
  if (kind !== undefined) return { type: 'datepicker', action_id: element };
  return { type: 'plain_text_input', action_id: element, multiline: true, max_length: limits.input };
}
