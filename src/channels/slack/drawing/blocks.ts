/**
 * A message as Slack draws it: text, a question with its controls, or what became of a question. It decides nothing. What does not fit in
 * full has no controls: a person decides only what is shown in full.
 */
import type { ChoicesShape, Shape } from '../../../core/ask/answer-type.js';
import { currentField, listedChoices } from '../../../core/ask/answer-type.js';
import { shownLength } from '../../../core/ask/drawn.js';
import type { OutgoingMessage } from '../../../core/conversation/outgoing.js';
import { isBlank, oneLine } from '../../../core/text.js';
import type { Wording } from '../../../core/wording/wording.js';
import { buttonStyle, endOf, fieldsAtOnce, pageOf, type QuestionMessage } from '../../kit/question.js';
import { plainText } from '../../plain.js';
import { withoutField } from '../../whole-form.js';
import type { SlackBlock, SlackContent } from '../api.js';
import type { ControlTarget, ModalForm } from './action-data.js';
import { choiceControl, follows, openControl, picked, sendControl } from './action-data.js';
import { cut, cutEscaped, escaped, piecesOf, plain, shownTime, words } from './escape.js';
import { limits, longestQuestion, mostButtons, shownInFull } from './limits.js';
import { optionLabels, pickElement } from './options.js';

/** What drawing needs besides the message. */
export interface DrawingOptions {
  /** In the language of the reader. */
  readonly wording: Wording;
  /** The address of the page where an ask can be answered. */
  readonly inboxUrl?: ((askId: string) => string) | undefined;
  /** Where it is sent, if replies from there come with another address: the controls carry it. */
  readonly sentTo?: string | undefined;
}

/** The controls of a question, and the text that belongs above them. */
interface Controls {
  readonly blocks: readonly SlackBlock[];
  /** The labels of options in full, where controls cannot show them. */
  readonly listed?: string | undefined;
  /** How many characters the controls show. */
  readonly length?: number;
  /** True if a modal draws all fields of a form: the message then asks for none of them. */
  readonly isWholeForm?: boolean;
}

/** The message as Slack is given it, always within the limits of Block Kit. */
export function drawnMessage(message: OutgoingMessage, options: DrawingOptions): SlackContent {
  const { wording } = options;
  const text = cut(plainText(message), limits.notification);
  const notification = isBlank(text) ? cut(wording.noText(), limits.notification) : text;
  const { ask } = message;
  if (ask === undefined) {
    const said = shownText([message.text], wording);
    return said.isWhole
      ? { text: notification, blocks: said.blocks }
      : { text: cut(message.text, limits.text), blocks: [] };
  }
  const question = { ...message, ask };
  const blocks = ask.status === 'pending' ? openQuestion(question, options) : settledQuestion(question, wording);
  return { text: notification, blocks };
}

// --- a question that is open ---

function openQuestion(message: QuestionMessage, options: DrawingOptions): readonly SlackBlock[] {
  const { ask, shape, text, hint = '' } = message;
  const { wording } = options;
  const controls = controlsOf(message, options);
  const question = controls?.isWholeForm === true ? withoutField(text, shape) : text;
  const listed = controls === undefined ? optionsAsText(shape) : controls.listed;
  const shown = shownText([question, listed], wording, ask.details, shownInFull - (controls?.length ?? 0));
  const link = linkTo(ask.id, options);
  const isTooLong = shownLength({ ...ask, shape }) > longestQuestion;
  if (!shown.isWhole || isTooLong) return [...shown.blocks, ...note([noted(wording.tooLongHere())]), ...link];
  const notes = notesOf(message, wording);
  if (controls !== undefined) return [...shown.blocks, ...controls.blocks, ...notes];
  const how = shape.type === 'text' || isBlank(hint) ? wording.replyHint() : hint;
  return [...shown.blocks, ...note([noted(how)]), ...notes, ...link];
}

/** What is not in a control is written in full, as a typed reply may name it. */
function optionsAsText(shape: Shape): string | undefined {
  const lines = listedChoices(shape).map(oneLine);
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** The controls by the size of the question; undefined if none can carry its answer. */
function controlsOf(message: QuestionMessage, { wording, sentTo }: DrawingOptions): Controls | undefined {
  const { conversationId, ask, shape, text } = message;
  const target = { conversationId, askId: ask.id, sentTo };
  if (shape.type === 'choices') return choiceControls(target, shape, wording);
  if (shape.type === 'text') return modalControls({ ...target, label: labelOf(text), shape, as: 'answer' }, wording);
  const fields = fieldsAtOnce(shape.fields);
  const whole = isDrawable(fields, wording)
    ? modalControls({ ...target, label: '', shape: { ...shape, fields }, as: 'answer' }, wording)
    : undefined;
  if (whole !== undefined) return { ...whole, isWholeForm: true };
  const field = currentField(shape);
  if (field?.shape.type === 'choices') return choiceControls(target, field.shape, wording);
  const label = labelOf(field?.text ?? text);
  return modalControls({ ...target, label, shape: { type: 'text' }, as: 'field' }, wording);
}

/** Whether a modal can draw every field: options that no list can carry are asked one by one. */
function isDrawable(fields: readonly { readonly shape: Shape }[], wording: Wording): boolean {
  return fields.every(({ shape }) => shape.type !== 'choices' || pickElement('field', shape, wording) !== undefined);
}

/** The label of a modal's input. The message shows the question in full. */
function labelOf(text: string): string {
  const line = oneLine(text);
  return line.length <= 150 ? line : `${[...line].slice(0, 100).join('')}…`;
}

function modalControls(form: ModalForm, wording: Wording): Controls | undefined {
  const carried = openControl(form);
  if (carried === undefined) return undefined;
  const text = words(wording.answerButton(), limits.label);
  return { blocks: [row([{ type: 'button', text, style: 'primary', ...carried }])] };
}

function choiceControls(target: ControlTarget, shape: ChoicesShape, wording: Wording): Controls | undefined {
  const { choices, many } = shape;
  if (!many && choices.length <= mostButtons) return buttons(target, shape);
  const list = pickElement(picked, shape, wording);
  const send = sendControl(target, many);
  if (list === undefined || send === undefined) return many ? undefined : buttons(target, shape);
  const { labels = [], listed } = optionLabels(shape);
  const sendButton = { type: 'button', text: words(wording.sendButton(), limits.label), style: 'primary', ...send };
  return {
    blocks: [{ ...row([list]), block_id: picked }, row([sendButton])],
    listed,
    length: labels.join('').length,
  };
}

function buttons(target: ControlTarget, shape: ChoicesShape): Controls | undefined {
  const { labels, listed } = optionLabels(shape);
  if (labels === undefined) return undefined;
  const elements: SlackBlock[] = [];
  for (const [index, { id }] of shape.choices.entries()) {
    const carried = choiceControl(target, id, index);
    if (carried === undefined) return undefined;
    elements.push({ type: 'button', text: plain(labels[index] as string), ...carried, ...buttonStyle(id) });
  }
  const rows: SlackBlock[] = [];
  for (let first = 0; first < elements.length; first += limits.row)
    rows.push(row(elements.slice(first, first + limits.row)));
  return { blocks: rows, listed, length: labels.join('').length };
}

/** Stands for a time while the words around it are escaped. */
const timeMark = '{time}';

function notesOf({ ask }: QuestionMessage, wording: Wording): readonly SlackBlock[] {
  const notes: SlackBlock[] = [];
  if (ask.quorum !== undefined && ask.quorum > 1)
    notes.push(noted(wording.votesSoFar(ask.votes?.length ?? 0, ask.quorum)));
  if (ask.sensitive === true) notes.push(noted(wording.secretHint()));
  const { expiresAt } = ask;
  if (expiresAt !== undefined) {
    const line = cut(oneLine(wording.openUntil(timeMark)), limits.note); // escaped, unlike the time that Slack writes
    notes.push({ type: 'mrkdwn', text: line.replace(timeMark, () => shownTime(expiresAt)) });
  }
  return note(notes);
}

function linkTo(askId: string, { inboxUrl, wording }: DrawingOptions): readonly SlackBlock[] {
  const url = pageOf(askId, inboxUrl);
  if (url === undefined || url.length > limits.url) return [];
  const text = words(wording.openPageButton(), limits.label);
  return [row([{ type: 'button', text, action_id: follows, url }])];
}

// --- a question that is over ---

/** Without controls: who decided, when, and the answer where it is no secret. */
function settledQuestion(message: QuestionMessage, wording: Wording): readonly SlackBlock[] {
  const { ask, shape, text } = message;
  const { blocks } = shownText([withoutField(text, shape)], wording, ask.details);
  const elements: SlackBlock[] = [noted(endOf(message, wording, oneLine).withAnswer)];
  if (ask.decidedAt !== undefined) elements.push({ type: 'mrkdwn', text: shownTime(ask.decidedAt) });
  return [...blocks, ...note(elements)];
}

// --- parts ---

/** Text and details as blocks. What is too long ends with an ellipsis, and `isWhole` says so. */
function shownText(
  parts: readonly (string | undefined)[],
  wording: Wording,
  details: Readonly<Record<string, string>> = {},
  most: number = shownInFull,
): { readonly blocks: readonly SlackBlock[]; readonly isWhole: boolean } {
  const blocks: SlackBlock[] = [];
  let left = most;
  let isWhole = true;
  const add = (text: string | undefined): void => {
    if (text === undefined || isBlank(text)) return;
    for (const piece of piecesOf(text, limits.section)) {
      if (piece.length <= left) blocks.push({ type: 'section', text: plain(piece) });
      else if (isWhole) {
        if (left > 1) blocks.push({ type: 'section', text: plain(cutEscaped(piece, left)) });
        isWhole = false;
      }
      left -= Math.min(left, piece.length);
    }
  };
  for (const part of parts) add(part);
  const pairs = Object.entries(details).map(([name, value]) => `${oneLine(name)}: ${value}`);
  if (pairs.every((pair) => pair.length <= 60) && blocks.length > 0) {
    for (const some of inTens(pairs)) {
      const fields = some.map((pair) => plain(escaped(pair)));
      const length = fields.reduce((sum, { text }) => sum + text.length, 0);
      if (length <= left && blocks.length < 30) blocks.push({ type: 'section', fields });
      else isWhole = false;
      left -= Math.min(left, length);
    }
  } else add(pairs.join('\n'));
  if (blocks.length === 0) blocks.push({ type: 'section', text: words(wording.noText(), limits.section) });
  return { blocks, isWhole };
}

function inTens(pairs: readonly string[]): string[][] {
  const tens: string[][] = [];
  for (let first = 0; first < pairs.length; first += limits.fields)
    tens.push(pairs.slice(first, first + limits.fields));
  return tens;
}

function row(elements: readonly SlackBlock[]): SlackBlock {
  return { type: 'actions', elements };
}

/** A line of small text. Slack takes no element without a text, and no line without an element. */
function note(elements: readonly SlackBlock[]): readonly SlackBlock[] {
  const shown = elements.filter(({ text }) => !isBlank(String(text)));
  return shown.length === 0 ? [] : [{ type: 'context', elements: shown }];
}

function noted(text: string): SlackBlock {
  return plain(cut(text, limits.note));
}
