/**
 * Takes what `chat` hands to its handlers to the desk: messages, commands and buttons that were pressed. It resolves once that is
 * recorded, and decides nothing. The adapter has verified the participant.
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
import { definedFields } from '../../../core/defined-fields.js';
import { failureOf } from '../../../core/errors.js';
import type { Logger } from '../../../core/events.js';
import { digest } from '../../../core/ids.js';
import type { Participant } from '../../../core/participant.js';
import { inert, isBlank } from '../../../core/text.js';
import { problemOfModal, problemsByInput } from '../../kit/modal-answer.js';
import { recordOf, textOf } from '../../kit/untyped.js';
import { personName, writtenFields } from '../../kit/written.js';
import type { Desk, IncomingMessage } from '../../port.js';
import { wordingIn } from '../../wording.js';
import { optionIn, type ReadButton, readButton, readOpen } from '../drawing/button-data.js';
import { literal } from '../drawing/literal.js';
import { drawnChatModal, readSentModal, type SentModal } from '../drawing/modal.js';
import { failedSend } from '../failures.js';
import { type ChatAddress, chatAddressOf, chatConversation, chatParticipantId } from '../places.js';
import { platformNamed } from '../platforms/index.js';
import { quotedId } from './quoted.js';

const longestName = 100;
const mostAttachments = 10;

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
    const { typed, isUnsigned } = platformNamed(adapter.name);
    const files = attachments.slice(0, mostAttachments).map(({ name, type }) => textOf(name) ?? type);
    const { wordless, ...written } = writtenFields({
      typed: typed(adapter, message),
      otherwise: message.text,
      files,
      isMentioned: isMention === true,
    });
    const here = placeOf(adapter, threadId, author);
    const sentAs = quotedId(adapter, message);
    const askId = sentAs === undefined ? undefined : await desk.askSentAs?.(sentAs);
    await desk.receive({
      id: `${threadId}/${id}`,
      ...(askId === undefined ? this.#at(here) : await this.#about(desk, adapter, askId, here)),
      ...written,
      participant: participantOf(adapter, author, raw),
      ...definedFields({ sentAt: timeOf(metadata.dateSent) }),
      ...(isUnsigned(author) ? { automated: true } : definedFields({ wordless })),
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
    const modal =
      shape && drawnChatModal(platformNamed(adapter.name), shape, { askId, threadId }, wordingIn(desk, locale));
    try {
      if (modal === undefined) throw new Error('The question is not known any more.');
      if ((await opened(event, modal)) === undefined) throw new Error('The platform was given no modal.');
    } catch (error) {
      const about = { channel: this.#name, askId, failure: { code: failureOf(error).code } };
      this.#logger.warn('A modal could not be opened. Pressing the button again opens it', about);
    }
  }

  /** Takes the answer of a modal. Returns what is wrong, for the modal that is still open. */
  async submitted(desk: Desk, event: Submitted): Promise<ModalResponse | undefined> {
    const { adapter, user, raw, viewId } = event;
    const sent = readSentModal(event);
    if (sent === undefined || isProgram(adapter, user)) return undefined;
    const { askId, value } = sent;
    // where the modal does not say it, the request does, which the adapter has verified
    const here = placeOf(adapter, sent.threadId ?? adapter.parseMessage(raw).threadId, user);
    const { trigger_id: trigger } = recordOf(raw);
    const message: IncomingMessage = {
      // a modal that was told what is wrong is sent off again under the same view id, maybe with the same values
      id: `modal/${chatParticipantId(adapter.name, user.userId)}/${viewId}/${digest(String(trigger ?? JSON.stringify(value)))}`,
      ...(await this.#about(desk, adapter, askId, here)),
      text: '',
      participant: participantOf(adapter, user, raw),
      value,
    };
    const tell = (late: string) => tellDirectly(adapter, user, late);
    const problem = await problemOfModal(desk, message, { channel: this.#name, logger: this.#logger, tell });
    return problem === undefined ? undefined : this.#told(desk, event, sent, inert(problem));
  }

  /** A platform that gives only the callback id back shows errors in place of the inputs: there the modal is updated with both. */
  async #told(desk: Desk, event: Submitted, sent: SentModal, problem: string): Promise<ModalResponse> {
    const { adapter, user, raw, values } = event;
    const platform = platformNamed(adapter.name);
    const shape = platform.modals?.hasCallbackOnly === true ? await desk.shapeOf?.(sent.askId) : undefined;
    const wording = wordingIn(desk, participantOf(adapter, user, raw).locale);
    const modal = shape && drawnChatModal(platform, shape, sent, wording, { problem, values });
    if (modal !== undefined) return { action: 'update', modal };
    return { action: 'errors', errors: problemsByInput(problem, sent.inputs, 'f0') };
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

/** By the trigger at once, where there is one: `chat` would fetch the message before. Teams is given it as the answer to its request. */
async function opened(event: Pressed, modal: ModalElement): Promise<unknown> {
  const { adapter, triggerId } = event;
  if (adapter.openModal === undefined) return event.openModal(modal);
  return triggerId === undefined ? undefined : adapter.openModal(triggerId, modal);
}

async function tellDirectly(adapter: Adapter, { userId }: Author, text: string): Promise<void> {
  try {
    const thread = await adapter.openDM?.(userId);
    if (thread !== undefined) await adapter.postMessage(thread, literal(platformNamed(adapter.name), text, 'plain'));
  } catch (error) {
    throw failedSend(adapter.name, error); // that of the adapter may quote a token
  }
}

/** The direct messages of a person are one conversation, whatever threads the platform makes in them. */
function placeOf(adapter: Adapter, threadId: string, author: Author, press?: unknown): ChatAddress {
  const isDM = adapter.isDM?.(threadId) === true || platformNamed(adapter.name).isDirectPress(press);
  const isDirect = isDM && adapter.openDM !== undefined;
  return isDirect ? { user: chatParticipantId(adapter.name, author.userId) } : { thread: threadId };
}

function participantOf(adapter: Adapter, { userId, fullName, userName }: Author, raw: unknown): Participant {
  const told = platformNamed(adapter.name).localeIn(raw);
  const locale = typeof told === 'string' && /^[a-z]{2,3}(-[\da-z]{2,8}){0,3}$/i.test(told) ? told : undefined;
  const name = personName([fullName, userName], longestName);
  return { id: chatParticipantId(adapter.name, userId), ...definedFields({ name, locale }) };
}

function isProgram(adapter: Adapter, { isBot, isMe, isSystem, userId }: Author): boolean {
  const { isProgramByIdOnly, isUserId } = platformNamed(adapter.name);
  return isBot === true || isMe || isSystem === true || (isProgramByIdOnly && !isUserId(userId));
}

/** The SDK reads it from the platform's message, which may have none. */
function timeOf(date: Date | undefined): number | undefined {
  const time = date?.getTime();
  return time === undefined || Number.isNaN(time) || time <= 0 ? undefined : time;
}

/** The platform's id of what happened: the same when it is delivered again. */
function idOf(raw: unknown): string {
  return textOf(recordOf(raw)['id']) ?? digest(JSON.stringify(raw) ?? '');
}

/** Where a press has no id, its time is one; what stands beside it differs between deliveries. */
function pressIdOf({ adapter, raw, actionId }: Pressed): string {
  const at = platformNamed(adapter.name).pressIn(raw);
  return at === undefined ? idOf(raw) : `${digest(actionId)}/${at}`;
}

/** Returns the option of a button. One that the question does not have is refused later, like any other wrong option. */
async function chosen(desk: Desk, button: ReadButton): Promise<string> {
  if ('id' in button.option) return button.option.id;
  const shape = await desk.shapeOf?.(button.askId);
  return (shape && optionIn(shape, button)) ?? button.option.digest;
}
