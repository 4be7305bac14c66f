/**
 * Takes what `chat` hands to its handlers to the desk: messages, commands and buttons that were pressed. It resolves once that is
 * recorded, and decides nothing: who may answer is decided by the participant, whom the adapter has verified.
 */
import type {
  ActionEvent,
  Adapter,
  Author,
  Message,
  ModalElement,
  ModalResponse,
  ModalSubmitEvent,
  SlashCommandEvent,
} from 'chat';
import type { Handled } from '../../../core/conversation/said.js';
import { definedFields } from '../../../core/defined-fields.js';
import { failureOf } from '../../../core/errors.js';
import type { Logger } from '../../../core/events.js';
import { digest } from '../../../core/ids.js';
import type { Participant } from '../../../core/participant.js';
import { inert, isBlank, withoutControls } from '../../../core/text.js';
import type { Desk, IncomingMessage } from '../../port.js';
import { wordingIn } from '../../wording.js';
import { optionIn, type ReadButton, readButton, readOpen } from '../drawing/button-data.js';
import { literal } from '../drawing/literal.js';
import { drawnChatModal, modalErrors, readSentModal, type SentModal } from '../drawing/modal.js';
import { type ChatAddress, chatAddressOf, chatConversation, chatParticipantId, isUserId } from '../places.js';
import { quotedId } from './quoted.js';
import { fieldsOf, isFilled, localeIn, typedText } from './typed-text.js';

const longestName = 100;
const mostAttachments = 10;
/** How long a modal waits for what becomes of its answer, and how long it is looked for afterwards, in ms. */
const modalWithin = 2_000;
const lateWithin = 60_000;

/** What the handlers of `chat` are given of these. */
export type ChatWritten = Pick<
  Message,
  'id' | 'threadId' | 'text' | 'raw' | 'author' | 'metadata' | 'attachments' | 'isMention' | 'replyTo'
> &
  Partial<Pick<Message, 'formatted'>>;
type Pressed = Pick<
  ActionEvent,
  'actionId' | 'adapter' | 'threadId' | 'messageId' | 'user' | 'raw' | 'triggerId' | 'openModal'
>;
type Submitted = Pick<
  ModalSubmitEvent,
  'adapter' | 'callbackId' | 'privateMetadata' | 'raw' | 'user' | 'values' | 'viewId'
>;
type Command = Pick<SlashCommandEvent, 'adapter' | 'command' | 'text' | 'user' | 'raw'> & {
  readonly channel: { readonly id: string };
};

export class ChatReceiver {
  readonly #name: string;
  readonly #logger: Logger;

  constructor(name: string, logger: Logger) {
    this.#name = name;
    this.#logger = logger;
  }

  async written(desk: Desk, adapter: Adapter, message: ChatWritten): Promise<void> {
    const { author, threadId, id, attachments, metadata, isMention, raw } = message;
    if (isProgram(adapter, author) || metadata.edited) return; // what was sent first counts
    const typed = typedText(adapter, message);
    const files = attachments.slice(0, mostAttachments).map(({ name, type }) => (isFilled(name) ? name : type));
    const isOnlyFiles = isBlank(typed?.text ?? '') && files.length > 0;
    const data = {
      ...(isMention === true ? { mentioned: true } : {}),
      ...(files.length > 0 ? { attachments: files } : {}),
    };
    const here = placeOf(adapter, threadId, author);
    const sentAs = quotedId(adapter, message);
    const askId = sentAs === undefined ? undefined : await desk.askSentAs?.(sentAs);
    await desk.receive({
      id: `${threadId}/${id}`,
      ...(askId === undefined ? this.#at(here) : await this.#about(desk, adapter, askId, here)),
      text: isOnlyFiles ? files.map((file) => `[attachment: ${file}]`).join('\n') : (typed?.text ?? message.text),
      participant: participantOf(adapter, author, raw),
      ...(Object.keys(data).length === 0 ? {} : { data }),
      ...definedFields({ sentAt: timeOf(metadata.dateSent) }),
      // what nobody typed, or has struck out, is no answer: a file, a sticker, the post of a channel
      ...(isNobody(adapter, author)
        ? { automated: true }
        : isOnlyFiles || typed === undefined || typed.isNoAnswer
          ? { wordless: true }
          : {}),
    });
  }

  /** `/refund 12345`: to the agent it is a message like any other. */
  async ordered(desk: Desk, { adapter, command, text, user, raw, channel }: Command): Promise<void> {
    if (isProgram(adapter, user)) return;
    await desk.receive({
      id: `${channel.id}/command/${idOf(raw)}`,
      ...this.#at(placeOf(adapter, channel.id, user)),
      text: isBlank(text) ? command : `${command} ${text}`,
      participant: participantOf(adapter, user, raw),
      data: { mentioned: true },
    });
  }

  async pressed(desk: Desk, event: Pressed): Promise<void> {
    const { adapter, threadId, messageId, user, actionId } = event;
    if (isProgram(adapter, user)) return;
    const opening = readOpen(actionId);
    if (opening !== undefined) return this.#open(desk, event, opening);
    const button = readButton(actionId);
    if (button === undefined) return;
    const here = placeOf(adapter, threadId, user, event.raw);
    await desk.receive({
      id: `press/${chatParticipantId(adapter.name, user.userId)}/${messageId}/${pressIdOf(event)}`,
      ...(await this.#about(desk, adapter, button.askId, here)),
      text: '',
      participant: participantOf(adapter, user, event.raw),
      choice: await chosen(desk, button),
    });
  }

  /** Nothing is recorded by opening a modal. If it is lost, the person presses the button again. */
  async #open(desk: Desk, event: Pressed, askId: string): Promise<void> {
    const { adapter, threadId, user, raw } = event;
    const { locale } = participantOf(adapter, user, raw);
    const shape = await desk.shapeOf?.(askId);
    const modal = shape && drawnChatModal(adapter.name, shape, { askId, threadId }, wordingIn(desk, locale));
    try {
      if (modal === undefined) throw new Error('The question is not known any more.');
      if ((await opened(event, modal)) === undefined) throw new Error('The platform was given no modal.');
    } catch (error) {
      const about = { channel: this.#name, askId, failure: { code: failureOf(error).code } };
      this.#logger.warn('A modal could not be opened. Pressing the button again opens it', about);
    }
  }

  /** The answer of a modal. Whoever sent it is told in it what is wrong. */
  async submitted(desk: Desk, event: Submitted): Promise<ModalResponse | undefined> {
    const { adapter, user, raw, viewId } = event;
    const sent = readSentModal(event);
    if (sent === undefined || isProgram(adapter, user)) return undefined;
    const { askId, value } = sent;
    // where the modal does not say it, the request does, which the adapter has verified
    const here = placeOf(adapter, sent.threadId ?? adapter.parseMessage(raw).threadId, user);
    const { trigger_id: trigger } = fieldsOf(raw);
    const message: IncomingMessage = {
      // a modal that was told what is wrong is sent off again under the same view id, maybe with the same values
      id: `modal/${chatParticipantId(adapter.name, user.userId)}/${viewId}/${digest(String(trigger ?? JSON.stringify(value)))}`,
      ...(await this.#about(desk, adapter, askId, here)),
      text: '',
      participant: participantOf(adapter, user, raw),
      value,
    };
    if (desk.handle === undefined) {
      await desk.receive(message);
      return undefined;
    }
    const told = { ...message, tellsProblem: true };
    const handled = await desk.handle(told, { timeout: modalWithin });
    if (handled.disposition.type === 'received') void this.#tellLate(desk, told, adapter, user);
    const problem = problemIn(handled);
    return problem === undefined ? undefined : this.#told(desk, event, sent, inert(problem));
  }

  /** Teams would show what is wrong in place of what was filled in: there the modal is drawn anew, with both. */
  async #told(desk: Desk, event: Submitted, sent: SentModal, problem: string): Promise<ModalResponse> {
    const { adapter, user, raw, values } = event;
    const shape = adapter.name === 'teams' ? await desk.shapeOf?.(sent.askId) : undefined;
    const wording = wordingIn(desk, participantOf(adapter, user, raw).locale);
    const modal = shape && drawnChatModal(adapter.name, shape, sent, wording, { problem, values });
    return modal === undefined ? { action: 'errors', errors: modalErrors(sent, problem) } : { action: 'update', modal };
  }

  /** The modal is closed, and its answer is recorded: whoever sent it is told by a direct message if it turns out to be none. */
  async #tellLate(desk: Desk, message: IncomingMessage, adapter: Adapter, { userId }: Author): Promise<void> {
    try {
      const handled = await desk.handle?.(message, { timeout: lateWithin });
      const problem = handled && problemIn(handled);
      const thread = problem === undefined ? undefined : await adapter.openDM?.(userId);
      if (problem !== undefined && thread !== undefined)
        await adapter.postMessage(thread, literal(adapter.name, problem, 'plain'));
    } catch (error) {
      const about = { channel: this.#name, askId: message.askId, failure: { code: failureOf(error).code } };
      this.#logger.warn('Nobody could be told what is wrong with the answer of a modal', about);
    }
  }

  #at(address: ChatAddress): Pick<IncomingMessage, 'conversationId' | 'address'> {
    return { conversationId: chatConversation(this.#name, address), address: { ...address } };
  }

  /** The ask that a button, a modal or a quote names, in its own conversation. */
  async #about(
    desk: Desk,
    adapter: Adapter,
    askId: string,
    here: ChatAddress,
  ): Promise<Pick<IncomingMessage, 'conversationId' | 'address' | 'askId'>> {
    const conversationId = (await desk.conversationOf?.(askId)) ?? chatConversation(this.#name, here);
    return { conversationId, address: { ...this.#addressIn(adapter, conversationId, here) }, askId };
  }

  /**
   * The address of a button is the place where it was pressed. A question that was put to a whole room begins a thread on some platforms:
   * in that thread it is the room.
   */
  #addressIn(adapter: Adapter, conversationId: string, here: ChatAddress): ChatAddress {
    const own = chatAddressOf(this.#name, conversationId);
    if (own === undefined || !('thread' in own) || !('thread' in here)) return here;
    return own.thread.replace(/:$/, '') === adapter.channelIdFromThreadId(here.thread) ? own : here;
  }
}

/** The platforms whose modals were tried. */
export function hasModals(adapter: Adapter): boolean {
  return adapter.name === 'teams' || (adapter.name === 'slack' && adapter.openModal !== undefined);
}

/** By the trigger at once, where there is one: `chat` would fetch the message before. Teams is given it as the answer to its request. */
async function opened(event: Pressed, modal: ModalElement): Promise<unknown> {
  const { adapter, triggerId } = event;
  if (adapter.openModal === undefined) return event.openModal(modal);
  return triggerId === undefined ? undefined : adapter.openModal(triggerId, modal);
}

function problemIn({ disposition }: Handled): string | undefined {
  return disposition.type === 'invalid' ? disposition.problem : undefined;
}

/** The direct messages of a person are one conversation, whatever threads the platform makes in them. */
function placeOf(adapter: Adapter, threadId: string, author: Author, press?: unknown): ChatAddress {
  const isDM = adapter.isDM?.(threadId) === true || (adapter.name === 'gchat' && isDirectOnGoogleChat(press));
  const isDirect = isDM && adapter.openDM !== undefined;
  return isDirect ? { user: chatParticipantId(adapter.name, author.userId) } : { thread: threadId };
}

/** The adapter does not note in the thread of a press that it is of direct messages; Google tells it. */
function isDirectOnGoogleChat(press: unknown): boolean {
  const { space } = fieldsOf(fieldsOf(fieldsOf(press)['chat'])['buttonClickedPayload']);
  const { type, spaceType } = fieldsOf(space);
  return type === 'DM' || spaceType === 'DIRECT_MESSAGE';
}

function participantOf(adapter: Adapter, { userId, fullName, userName }: Author, raw: unknown): Participant {
  const found = [fullName, userName].find((each) => isFilled(each) && !isBlank(each));
  const name = found && withoutControls(found).slice(0, longestName).toWellFormed();
  const id = chatParticipantId(adapter.name, userId);
  return { id, ...definedFields({ name, locale: localeIn(adapter.name, raw) }) };
}

/** The adapter of Teams does not tell who is a bot, but their id does. It and that of Google Chat call somebody without an id unknown. */
function isProgram({ name }: Adapter, { isBot, isMe, isSystem, userId }: Author): boolean {
  const isUnnamed = (name === 'teams' || name === 'gchat') && !isUserId(name, userId);
  return isBot === true || isMe || isSystem === true || isUnnamed;
}

/** On Telegram a channel or a group can write: that is not a person. */
function isNobody({ name }: Adapter, { isBot }: Author): boolean {
  return name === 'telegram' && isBot === 'unknown';
}

/** The SDK reads it from the platform's message, which may have none. */
function timeOf(date: Date | undefined): number | undefined {
  const time = date?.getTime();
  return time === undefined || Number.isNaN(time) || time <= 0 ? undefined : time;
}

/** The platform's id of what happened: the same when it is delivered again. */
function idOf(raw: unknown): string {
  const { id } = fieldsOf(raw);
  return typeof id === 'string' && id !== '' ? id : digest(JSON.stringify(raw) ?? '');
}

/** A press on Slack and Google Chat has its time for an id; what stands beside it is another one at each delivery. */
function pressIdOf({ adapter, raw, actionId }: Pressed): string {
  const { actions, chat } = fieldsOf(raw);
  const { action_ts: onSlack } = fieldsOf(Array.isArray(actions) ? actions[0] : undefined);
  const at = { slack: onSlack, gchat: fieldsOf(chat)['eventTime'] }[adapter.name];
  return isFilled(at) ? `${digest(actionId)}/${at}` : idOf(raw);
}

/** An option that the question does not have is refused by whoever reads it, like any other wrong one. */
async function chosen(desk: Desk, button: ReadButton): Promise<string> {
  if ('id' in button.option) return button.option.id;
  const shape = await desk.shapeOf?.(button.askId);
  return (shape && optionIn(shape, button)) ?? button.option.digest;
}
