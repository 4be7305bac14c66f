/**
 * A message as Slack draws it: text, a question with its controls, or what became of a question. It decides nothing. What does not fit in
 * full has no controls: whoever decides must have seen all of it.
 */
import type { Choice, Shape } from '../../../core/ask/answer-type.js';
import { currentField } from '../../../core/ask/answer-type.js';
import { shownLength } from '../../../core/ask/drawn.js';
import { readableAnswer, withoutPrefix } from '../../../core/conversation/followed.js';
import type { OutgoingMessage } from '../../../core/conversation/outgoing.js';
import { isBlank } from '../../../core/text.js';
import { plainText } from '../../plain.js';
import { withoutField } from '../../whole-form.js';
import type { SlackBlock, SlackContent } from '../api.js';
import type { ControlTarget, ModalForm } from './action-data.js';
import { choiceControl, follows, openControl, picked, sendControl } from './action-data.js';
import { cut, cutEscaped, escaped, oneLine, piecesOf, plain, shownTime } from './escape.js';
import { limits, longestQuestion, mostButtons, shownInFull } from './limits.js';
import { optionLabels, pickElement } from './options.js';
import { texts } from './texts.js';

/** What drawing needs besides the message. */
export interface DrawingOptions {
  /** The address of the page where an ask can be answered. */
  readonly inboxUrl?: ((askId: string) => string) | undefined;
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

type SlackQuestion = OutgoingMessage & { readonly ask: NonNullable<OutgoingMessage['ask']> };

/** The message as Slack is given it, always within the limits of Block Kit. */
export function drawnMessage(message: OutgoingMessage, options: DrawingOptions = {}): SlackContent {
  const text = cut(plainText(message), limits.notification);
  const notification = isBlank(text) ? texts.empty : text;
  const { ask } = message;
  if (ask === undefined) {
    const said = shownText([message.text]);
    return said.isWhole
      ? { text: notification, blocks: said.blocks }
      : { text: cut(message.text, limits.text), blocks: [] };
  }
  const question = { ...message, ask };
  const blocks = ask.status === 'pending' ? openQuestion(question, options) : settledQuestion(question);
  return { text: notification, blocks };
}

// --- a question that is open ---

function openQuestion(message: SlackQuestion, options: DrawingOptions): readonly SlackBlock[] {
  const { ask, shape, text, hint = '' } = message;
  const controls = controlsOf(message);
  const question = controls?.isWholeForm === true ? withoutField(text, shape) : text;
  const listed = controls === undefined ? optionsAsText(shape) : controls.listed;
  const shown = shownText([question, listed], ask.details, shownInFull - (controls?.length ?? 0));
  const link = linkTo(ask.id, options);
  const { question: whole, details = {} } = ask;
  const isTooLong = shownLength({ question: whole, details, shape }) > longestQuestion;
  if (!shown.isWhole || isTooLong) return [...shown.blocks, note([plain(texts.tooLong)]), ...link];
  const notes = notesOf(message);
  if (controls !== undefined) return [...shown.blocks, ...controls.blocks, ...notes];
  const how = shape.type === 'text' || isBlank(hint) ? texts.noControls : hint;
  return [...shown.blocks, note([plain(cut(how, limits.note))]), ...notes, ...link];
}

/** What is not in a control is written in full, numbered as a typed reply may name it. */
function optionsAsText(shape: Shape): string | undefined {
  const drawn = currentField(shape)?.shape ?? shape;
  if (drawn.type !== 'choices') return undefined;
  return drawn.choices.map(({ label }, i) => `${i + 1}. ${oneLine(label)}`).join('\n');
}

/** The controls by the size of the question; undefined if none can carry its answer. */
function controlsOf(message: SlackQuestion): Controls | undefined {
  const { conversationId, ask, shape, text } = message;
  const target = { conversationId, askId: ask.id };
  if (shape.type === 'choices') return choiceControls(target, shape);
  if (shape.type === 'text') return modalControls({ ...target, label: labelOf(text), shape, as: 'answer' });
  const fields = shape.fields.map((field) => ({ ...field, shape: withoutPrefix(field.shape, `${field.name}/`) }));
  const whole = isDrawable(fields)
    ? modalControls({ ...target, label: '', shape: { ...shape, fields }, as: 'answer' })
    : undefined;
  if (whole !== undefined) return { ...whole, isWholeForm: true };
  const field = currentField(shape);
  if (field?.shape.type === 'choices') return choiceControls(target, field.shape);
  return modalControls({ ...target, label: labelOf(field?.text ?? text), shape: { type: 'text' }, as: 'field' });
}

/** Whether a modal can draw every field: options that no list can carry are asked one by one. */
function isDrawable(fields: readonly { readonly shape: Shape }[]): boolean {
  return fields.every(({ shape }) => shape.type !== 'choices' || pickElement('field', shape) !== undefined);
}

/** The label of a modal's input. The message shows the question in full. */
function labelOf(text: string): string {
  const line = oneLine(text);
  return line.length <= 150 ? line : `${[...line].slice(0, 100).join('')}…`;
}

function modalControls(form: ModalForm): Controls | undefined {
  const carried = openControl(form);
  if (carried === undefined) return undefined;
  return { blocks: [row([{ type: 'button', text: plain(texts.answer), style: 'primary', ...carried }])] };
}

function choiceControls(target: ControlTarget, shape: Extract<Shape, { type: 'choices' }>): Controls | undefined {
  const { choices, many } = shape;
  if (!many && choices.length <= mostButtons) return buttons(target, choices);
  const list = pickElement(picked, shape);
  const send = sendControl(target, many);
  if (list === undefined || send === undefined) return many ? undefined : buttons(target, choices);
  const { labels, listed } = optionLabels(choices);
  const sendButton = { type: 'button', text: plain(texts.send), style: 'primary', ...send };
  return {
    blocks: [{ ...row([list]), block_id: picked }, row([sendButton])],
    listed,
    length: labels.join('').length,
  };
}

function buttons(target: ControlTarget, choices: readonly Choice[]): Controls | undefined {
  const { labels, listed } = optionLabels(choices);
  const elements: SlackBlock[] = [];
  for (const [index, { id }] of choices.entries()) {
    const carried = choiceControl(target, id, index);
    if (carried === undefined) return undefined;
    elements.push({ type: 'button', text: plain(labels[index] as string), ...carried, ...styleOf(id) });
  }
  const rows: SlackBlock[] = [];
  for (let first = 0; first < elements.length; first += limits.row)
    rows.push(row(elements.slice(first, first + limits.row)));
  return { blocks: rows, listed, length: labels.join('').length };
}

/** The answers of confirmations and approvals are told apart by colour, too. */
function styleOf(id: string): SlackBlock {
  if (id === 'yes' || id === 'once') return { style: 'primary' };
  return id === 'deny' ? { style: 'danger' } : {};
}

function notesOf({ ask }: SlackQuestion): readonly SlackBlock[] {
  const notes: SlackBlock[] = [];
  if (ask.quorum !== undefined && ask.quorum > 1) notes.push(plain(texts.votes(ask.votes?.length ?? 0, ask.quorum)));
  if (ask.sensitive === true) notes.push(plain(texts.secret));
  if (ask.expiresAt !== undefined)
    notes.push({ type: 'mrkdwn', text: `${texts.openUntil} ${shownTime(ask.expiresAt)}` });
  return notes.length === 0 ? [] : [note(notes)];
}

function linkTo(askId: string, { inboxUrl }: DrawingOptions): readonly SlackBlock[] {
  const url = inboxUrl?.(askId);
  if (url === undefined || url.length > limits.url || !/^https?:\/\//i.test(url)) return [];
  return [row([{ type: 'button', text: plain(texts.openPage), action_id: follows, url }])];
}

// --- a question that is over ---

/** Without controls: who decided, when, and the answer where it is no secret. */
function settledQuestion(message: SlackQuestion): readonly SlackBlock[] {
  const { ask, shape, text } = message;
  const { blocks } = shownText([withoutField(text, shape)], ask.details);
  const by = ask.decidedBy?.name === undefined ? undefined : oneLine(ask.decidedBy.name);
  const answer = readableAnswer({ ...ask, shape } as Parameters<typeof readableAnswer>[0]); // its value is plain data
  const over = texts.over(ask.status, by === '' ? undefined : by);
  const elements: SlackBlock[] = [plain(cut(answer === undefined ? over : `${over}: ${answer}`, limits.note))];
  if (ask.decidedAt !== undefined) elements.push({ type: 'mrkdwn', text: shownTime(ask.decidedAt) });
  return [...blocks, note(elements)];
}

// --- parts ---

/** Text and details as blocks. What is too long ends with an ellipsis, and `isWhole` says so. */
function shownText(
  parts: readonly (string | undefined)[],
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
  if (blocks.length === 0) blocks.push({ type: 'section', text: plain(texts.empty) });
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

function note(elements: readonly SlackBlock[]): SlackBlock {
  return { type: 'context', elements };
}
