/** The modal in which a text, a number, a date or a form is filled in. The button that opens it carries all that is drawn here. */
import type { Shape } from '../../../core/ask/answer-type.js';
import type { SlackBlock } from '../api.js';
import { fieldBlock, type ModalForm, modalCallback, modalMetadata, timeBlock } from './action-data.js';
import { cut, oneLine, piecesOf, plain } from './escape.js';
import { limits } from './limits.js';
import { optionLabels, pickElement } from './options.js';
import { texts } from './texts.js';

const element = 'input';

/** The modal as `views.open` takes it. */
export function drawnModal(form: ModalForm): SlackBlock {
  const { label, shape } = form;
  const fields = shape.type === 'fields' ? shape.fields : [{ text: label, shape, optional: false }];
  return {
    type: 'modal',
    callback_id: modalCallback,
    private_metadata: modalMetadata(form),
    title: plain(texts.answer),
    submit: plain(texts.send),
    close: plain(texts.cancel),
    blocks: fields.flatMap(({ text, shape: own, optional }, index) => inputs(text, own, optional, index)),
  };
}

function inputs(text: string, shape: Shape, optional: boolean, index: number): SlackBlock[] {
  const line = oneLine(text);
  const label = line === '' ? texts.answer : line;
  const input = (blockId: string, name: string, own: SlackBlock): SlackBlock => ({
    type: 'input',
    block_id: blockId,
    label: plain(cut(name, limits.field)),
    element: own,
    optional,
  });
  if (shape.type === 'choices') {
    const { listed } = optionLabels(shape.choices);
    const list = pickElement(element, shape);
    const above = listed === undefined ? [] : piecesOf(listed, limits.section);
    const sections = above.map((piece) => ({ type: 'section', text: plain(piece) }));
    return list === undefined ? sections : [...sections, input(fieldBlock(index), label, list)];
  }
  const kind = shape.type === 'text' ? shape.input : undefined;
  const own = input(fieldBlock(index), label, inputElement(kind));
  if (kind !== 'datetime') return [own];
  return [own, input(timeBlock(index), texts.time(label), { type: 'timepicker', action_id: element })];
}

function inputElement(kind: 'number' | 'date' | 'datetime' | 'email' | undefined): SlackBlock {
  if (kind === 'number') return { type: 'number_input', action_id: element, is_decimal_allowed: true };
  if (kind === 'email') return { type: 'email_text_input', action_id: element };
  if (kind !== undefined) return { type: 'datepicker', action_id: element };
  return { type: 'plain_text_input', action_id: element, multiline: true, max_length: limits.input };
}
