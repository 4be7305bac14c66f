/**
 * A message as `chat` posts it: text, a card with a button for each option, or what became of a question. It decides nothing. What does
 * not fit in full has no buttons: whoever decides must have seen all of it.
 */
import type { AdapterPostableMessage, ButtonElement, CardElement } from 'chat';
import { type Choice, choicesOf, currentField } from '../../core/ask/answer-type.js';
import { shownLength } from '../../core/ask/drawn.js';
import { readableAnswer } from '../../core/conversation/followed.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { isBlank } from '../../core/text.js';
import { plainText } from '../plain.js';
import { withoutField } from '../whole-form.js';
import { buttonData } from './button-data.js';
import { limitsOf } from './limits.js';
import { controlText, label, literal, type TextForm } from './literal.js';
import { chatTexts } from './texts.js';

/** What drawing needs besides the message. */
export interface ChatDrawing {
  /** The name of the adapter. */
  readonly platform: string;
  readonly longestQuestion: number;
  /** The address of the page where an ask can be answered. */
  readonly inboxUrl?: ((askId: string) => string) | undefined;
}

type ChatQuestion = OutgoingMessage & { readonly ask: NonNullable<OutgoingMessage['ask']> };

/** The message in as many parts as the platform needs for it. A question is one. */
export function drawnParts(message: OutgoingMessage, drawing: ChatDrawing): readonly AdapterPostableMessage[] {
  const { ask } = message;
  if (ask !== undefined) return [drawnQuestion({ ...message, ask }, drawing)];
  const text = isBlank(message.text) ? chatTexts.empty : message.text;
  return piecesOf(drawing.platform, text);
}

/** A question: open, or as it ended. */
export function drawnQuestion(message: ChatQuestion, drawing: ChatDrawing): AdapterPostableMessage {
  return message.ask.status === 'pending' ? openQuestion(message, drawing) : settledQuestion(message, drawing);
}

function openQuestion(message: ChatQuestion, drawing: ChatDrawing): AdapterPostableMessage {
  const { platform, longestQuestion, inboxUrl } = drawing;
  const { ask, shape } = message;
  const most = limitsOf(platform).text;
  const buttons = buttonsOf(message, platform);
  const text = [questionText(platform, message, buttons), ...notesOf(message)].join('\n');
  const isWhole = shownLength({ ...ask, shape }) <= longestQuestion && literal(platform, text, 'card').length <= most;
  if (isWhole) return buttons.length === 0 ? plain(platform, text) : card(platform, text, rowsOf(platform, buttons));
  const start = cut(text, most / 3);
  const url = inboxUrl?.(ask.id);
  const page = url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
  if (page === undefined) return plain(platform, `${start}\n${chatTexts.tooLong}`);
  const link = { type: 'link-button', label: chatTexts.openPage, url: page } as const;
  return card(platform, `${start}\n${chatTexts.tooLong}`, [{ type: 'actions', children: [link] }]);
}

/** With buttons the options are listed only where a label had to be cut. */
function questionText(platform: string, message: ChatQuestion, buttons: readonly ButtonElement[]): string {
  if (buttons.length === 0) return plainText(message);
  const { hint: _, ...bare } = message;
  const choices = choicesOf(message.shape);
  const isListed = choices.some((choice, i) => buttons[i]?.label !== controlText(platform, choice.label));
  const listed = choices.map((choice, i) => `${i + 1}. ${label(choice.label)}`);
  return [plainText({ ...bare, shape: { type: 'text' } }), ...(isListed ? listed : [])].join('\n');
}

/** A button for each option; none where they are too many, or where several may be picked. */
function buttonsOf({ ask, shape }: ChatQuestion, platform: string): readonly ButtonElement[] {
  const drawn = currentField(shape)?.shape ?? shape;
  const { buttons: most, label: longest } = limitsOf(platform);
  if (drawn.type !== 'choices' || drawn.many || drawn.choices.length > most) return [];
  const labels = labelsOf(platform, drawn.choices, longest);
  const buttons: ButtonElement[] = [];
  for (const [index, { id }] of drawn.choices.entries()) {
    const data = buttonData(ask.id, id);
    if (data === undefined) return [];
    buttons.push({ type: 'button', id: data, label: labels[index] as string, ...styleOf(id) });
  }
  return buttons;
}

/** The labels as buttons show them: numbered where one is too long, and then listed above in full. */
function labelsOf(platform: string, choices: readonly Choice[], longest: number): readonly string[] {
  const whole = choices.map((choice) => controlText(platform, choice.label));
  if (whole.every((each) => each !== '' && each.length <= longest)) return whole;
  return choices.map((choice, index) => cutLabel(platform, `${index + 1}. ${choice.label}`, longest));
}

/** Cut before it is escaped: no escape is cut in two. */
function cutLabel(platform: string, text: string, longest: number): string {
  let most = longest;
  while (most > 1 && controlText(platform, cut(text, most)).length > longest) most -= 1;
  return controlText(platform, cut(text, most));
}

/** The answers of confirmations and approvals are told apart by colour, too. */
function styleOf(id: string): Pick<ButtonElement, 'style'> {
  if (id === 'yes' || id === 'once') return { style: 'primary' };
  return id === 'deny' ? { style: 'danger' } : {};
}

type Actions = Extract<CardElement['children'][number], { type: 'actions' }>;

/** Telegram makes a row of each, and shortens what does not fit into it. */
function rowsOf(platform: string, buttons: readonly ButtonElement[]): Actions[] {
  if (platform !== 'telegram') return [{ type: 'actions', children: [...buttons] }];
  const isShort = buttons.length <= 3 && buttons.every((button) => button.label.length <= 12);
  const rows = isShort ? [buttons] : buttons.map((button) => [button]);
  return rows.map((row) => ({ type: 'actions', children: [...row] }));
}

function notesOf({ ask }: ChatQuestion): readonly string[] {
  const notes: string[] = [];
  if (ask.quorum !== undefined && ask.quorum > 1) notes.push(chatTexts.votes(ask.votes?.length ?? 0, ask.quorum));
  if (ask.expiresAt !== undefined)
    notes.push(chatTexts.openUntil(`${ask.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`));
  return notes;
}

/** Without buttons: who decided, and the answer where it is no secret. */
function settledQuestion(message: ChatQuestion, { platform }: ChatDrawing): CardElement {
  const { ask, shape } = message;
  const over = chatTexts.over(ask.status, ask.decidedBy?.name === undefined ? undefined : label(ask.decidedBy.name));
  const answer = readableAnswer({ ...ask, shape } as Parameters<typeof readableAnswer>[0]); // its value is plain data
  const { hint: _, ...bare } = message;
  const asked = plainText({ ...bare, text: withoutField(message.text, shape), shape: { type: 'text' } });
  const most = limitsOf(platform).text;
  const end = cut(answer === undefined ? over : `${over}: ${answer}`, most / 10);
  return card(platform, `${cut(asked, most / 4)}\n${end}`, endOf(platform, over));
}

/** Discord's adapter leaves the buttons of a card whose new version has none. One that cannot be pressed takes their place. */
function endOf(platform: string, over: string): Actions[] {
  if (platform !== 'discord') return [];
  const button = { type: 'button', id: 'over', label: cut(over, limitsOf(platform).label), disabled: true } as const;
  return [{ type: 'actions', children: [button] }];
}

function card(platform: string, text: string, actions: readonly Actions[]): CardElement {
  return { type: 'card', children: [{ type: 'text', content: shown(platform, text, 'card') }, ...actions] };
}

function plain(platform: string, text: string): string {
  return shown(platform, text, 'plain');
}

function shown(platform: string, text: string, form: TextForm): string {
  return literal(platform, isBlank(text) ? chatTexts.empty : text, form);
}

/** A long text as several messages, broken after blanks where there are any. */
function piecesOf(platform: string, text: string): readonly string[] {
  const most = limitsOf(platform).text;
  const pieces: string[] = [];
  let piece = '';
  for (const word of text.split(/(?<=\s)/).flatMap((each) => partsOf(each, most / 4))) {
    if (piece !== '' && plain(platform, piece + word).length > most) {
      pieces.push(piece);
      piece = '';
    }
    piece += word;
  }
  return [...pieces, piece].filter((each) => !isBlank(each)).map((each) => plain(platform, each));
}

function partsOf(word: string, most: number): string[] {
  const characters = [...word];
  const parts: string[] = [];
  for (let first = 0; first < characters.length; first += most)
    parts.push(characters.slice(first, first + most).join(''));
  return parts;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, Math.floor(most) - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}
