/**
 * A message as `chat` posts it: text, a card with a button for each option, or what became of a question. It decides nothing. What does
 * not fit in full has no buttons: a person decides only what is shown in full.
 */
import type { AdapterPostableMessage, ButtonElement, CardElement } from 'chat';
import type { Choice } from '../../../core/ask/answer-type.js';
import { currentChoices, currentField, listedChoices, shownChoices } from '../../../core/ask/answer-type.js';
import { shownLength } from '../../../core/ask/drawn.js';
import type { OutgoingMessage } from '../../../core/conversation/outgoing.js';
import { inert, isBlank, oneLine } from '../../../core/text.js';
import type { Wording } from '../../../core/wording/wording.js';
import { buttonStyle, endOf, pageOf, type QuestionMessage } from '../../kit/question.js';
import { plainText } from '../../plain.js';
import { withoutField } from '../../whole-form.js';
import type { CardActions, Platform } from '../platforms/platform.js';
import { buttonData, openData } from './button-data.js';
import { controlText, cut, cutControl, label, literal } from './literal.js';
import { isForModal } from './modal.js';

/** What drawing needs besides the message. */
export interface ChatDrawing {
  readonly platform: Platform;
  readonly longestQuestion: number;
  /** Whether the channel opens modals there. */
  readonly hasModals: boolean;
  /** The sentences of the library, in the language of the reader. */
  readonly wording: Wording;
  /** The address of the page where an ask can be answered. */
  readonly inboxUrl?: ((askId: string) => string) | undefined;
}

/** The message in as many parts as the platform needs for it. A question is one. */
export function drawnParts(message: OutgoingMessage, drawing: ChatDrawing): readonly AdapterPostableMessage[] {
  const { ask } = message;
  if (ask !== undefined) return [drawnQuestion({ ...message, ask }, drawing)];
  return piecesOf(drawing.platform, filled(message.text, drawing.wording));
}

/** No platform takes a message without text. */
function filled(text: string, wording: Wording): string {
  return isBlank(text) ? oneLine(wording.noText()) : inert(text);
}

/** A question: open, or as it ended. */
export function drawnQuestion(message: QuestionMessage, drawing: ChatDrawing): AdapterPostableMessage {
  return message.ask.status === 'pending' ? openQuestion(message, drawing) : settledQuestion(message, drawing);
}

function openQuestion(message: QuestionMessage, drawing: ChatDrawing): AdapterPostableMessage {
  const { platform, longestQuestion, inboxUrl, wording } = drawing;
  const { ask, shape } = message;
  const most = platform.text;
  const buttons = buttonsOf(message, drawing);
  const text = filled([questionText(platform, message, buttons), ...notesOf(message, drawing)].join('\n'), wording);
  const isWhole = shownLength({ ...ask, shape }) <= longestQuestion && literal(platform, text, 'card').length <= most;
  if (isWhole) return buttons.length === 0 ? plain(platform, text) : card(platform, text, platform.rows(buttons));
  const start = `${cut(text, most / 3)}\n${oneLine(wording.tooLongHere())}`;
  const page = pageOf(ask.id, inboxUrl);
  if (page === undefined) return plain(platform, start);
  const openPage = cutControl(platform, wording.openPageButton(), platform.label);
  const link = { type: 'link-button', label: openPage, url: page } as const;
  return card(platform, start, [{ type: 'actions', children: [link] }]);
}

/** With buttons the options are listed only where a label had to be cut. */
function questionText(platform: Platform, message: QuestionMessage, buttons: readonly ButtonElement[]): string {
  if (buttons.length === 0) return plainText(message);
  const { hint: _, ...bare } = message;
  const shown = currentChoices(message.shape);
  const isListed =
    shown && shownChoices(shown).some((each, i) => buttons[i]?.label !== controlText(platform, each.label));
  return [plainText({ ...bare, shape: { type: 'text' } }), ...(isListed ? listedChoices(shown).map(label) : [])].join(
    '\n',
  );
}

/** A button for each option; none where they are too many, or where several may be picked. */
function buttonsOf({ ask, shape }: QuestionMessage, drawing: ChatDrawing): readonly ButtonElement[] {
  const { platform, hasModals, wording } = drawing;
  const open = hasModals && isForModal(shape) ? openData(ask.id) : undefined;
  if (open !== undefined) {
    const answer = cutControl(platform, wording.answerButton(), platform.label);
    return [{ type: 'button', id: open, label: answer, style: 'primary', actionType: 'modal' }]; // Teams asks for it
  }
  const drawn = currentField(shape)?.shape ?? shape;
  const { buttons: most, label: longest } = platform;
  if (drawn.type !== 'choices' || drawn.many || drawn.choices.length > most) return [];
  const labels = labelsOf(platform, shownChoices(drawn), longest);
  if (new Set(labels).size < labels.length) return []; // cut labels that look the same
  const buttons: ButtonElement[] = [];
  for (const [index, { id }] of drawn.choices.entries()) {
    const data = buttonData(ask.id, id);
    if (data === undefined) return [];
    buttons.push({ type: 'button', id: data, label: labels[index] as string, ...buttonStyle(id) });
  }
  return buttons;
}

/** The labels as buttons show them. Where one is too long, all are listed above in full. */
function labelsOf(platform: Platform, choices: readonly Choice[], longest: number): readonly string[] {
  return choices.map(({ label: text }, i) =>
    cutControl(platform, controlText(platform, text) === '' ? `${i + 1}.` : text, longest),
  );
}

function notesOf({ ask, shape }: QuestionMessage, { hasModals, wording }: ChatDrawing): readonly string[] {
  const notes: string[] = [];
  if (ask.sensitive === true && hasModals && isForModal(shape)) notes.push(wording.secretHint());
  if (ask.quorum !== undefined && ask.quorum > 1) notes.push(wording.votesSoFar(ask.votes?.length ?? 0, ask.quorum));
  if (ask.expiresAt !== undefined)
    notes.push(wording.openUntil(`${ask.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`));
  return notes.map(oneLine);
}

/** Without buttons: who decided, and the answer where it is no secret. */
function settledQuestion(message: QuestionMessage, { platform, wording }: ChatDrawing): AdapterPostableMessage {
  const { shape } = message;
  const { over, withAnswer } = endOf(message, wording, label);
  const { hint: _, ...bare } = message;
  const asked = plainText({ ...bare, text: withoutField(message.text, shape), shape: { type: 'text' } });
  const text = `${cut(asked, platform.text / 4)}\n${cut(inert(withAnswer), platform.text / 10)}`;
  const actions = platform.ended(cutControl(platform, over, platform.label));
  return actions === 'plain text' ? plain(platform, text) : card(platform, text, actions);
}

function card(platform: Platform, text: string, actions: readonly CardActions[]): CardElement {
  return { type: 'card', children: [{ type: 'text', content: literal(platform, text, 'card') }, ...actions] };
}

function plain(platform: Platform, text: string): string {
  return literal(platform, text, 'plain');
}

/** A long text as several messages, broken after blanks where there are any. */
function piecesOf(platform: Platform, text: string): readonly string[] {
  const most = platform.text;
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
