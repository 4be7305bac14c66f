/**
 * The way in: a channel's message, or one of handle(), checked and recorded. Nothing is acknowledged before it is stored.
 */
import { Buffer } from 'node:buffer';
import type { Channel, IncomingMessage } from '../../channels/port.js';
import type { Place } from '../../core/ask/ask.js';
import {
  checkOptions,
  hasFields,
  longestTimer,
  milliseconds,
  type OptionRules,
  optional,
  readable,
  string,
  unknownName,
  wrongOption,
} from '../../core/check-options.js';
import type { MessageEntry } from '../../core/conversation/entry.js';
import type { Handled, HandleOptions, Outputs } from '../../core/conversation/said.js';
import type { Mutable } from '../../core/defined-fields.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { checkedId, describeKind, messageEntryId } from '../../core/ids.js';
import type { Json, JsonLimits } from '../../core/json.js';
import { copyOf, plainData } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { knownPerson, personDamage } from '../../core/participant.js';
import { ignoreRejection } from '../../core/promise.js';
import type { RegistryContext } from '../context.js';
import { handleChannel, warnOnce } from '../context.js';
import { Notifier } from '../notifier.js';
import type { OutputPosition } from '../outbox/output-cursor.js';
import { cursorOf, positionIn } from '../outbox/output-cursor.js';
import type { SaidOutputs } from '../outbox/said-outputs.js';
import { assertOutsideTurnOf } from '../turn/current-turn.js';
import type { Told, Waiters } from '../waiters.js';
import { dispositionIn } from '../waiters.js';
import type { Dispatcher } from './dispatcher.js';
import { RecentMessages } from './recent-messages.js';

const handleRules = {
  after: optional(string()),
  timeout: optional(milliseconds({ max: longestTimer })),
} satisfies OptionRules<HandleOptions>;

/** The most history items that are read for one call. */
const mostItems = 1_000;

/** A message that was checked, as it is recorded. */
interface ReadMessage {
  readonly id: string;
  readonly conversationId: string;
  readonly entry: MessageEntry;
}

/** A name that is not known is refused: a misspelt `participant` must not make a message anonymous. */
const knownFields: ReadonlySet<string> = new Set<keyof IncomingMessage>([
  'id',
  'conversationId',
  'text',
  'participant',
  'address',
  'thread',
  'askId',
  'choice',
  'value',
  'intent',
  'data',
  'automated',
  'wordless',
  'prepared',
  'sentAt',
  'tellsProblem',
]);
/** The most bytes of an ask's id and of an intent. */
const longestName = 512;

export class Intake {
  readonly #context: RegistryContext;
  readonly #dispatcher: Dispatcher;
  readonly #said: SaidOutputs;
  readonly #waiters: Waiters;
  /** How many calls of handle() are under way, and who is told when one ends. */
  #handling = 0;
  readonly #handled = new Notifier();
  readonly #recent = new RecentMessages();

  constructor(context: RegistryContext, dispatcher: Dispatcher, said: SaidOutputs, waiters: Waiters) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#said = said;
    this.#waiters = waiters;
  }

  /** A channel's message. Nothing is awaited before it is handed over: the messages of one conversation keep their order. */
  async receive(channel: Channel, message: IncomingMessage): Promise<'recorded' | 'repeat'> {
    const { id, conversationId, entry } = this.#read(message, channel.name, channel);
    const isReused = this.#recent.differs(conversationId, id, entry);
    const { isRepeat } = await this.#dispatcher.record(conversationId, id, entry);
    if (isRepeat && isReused) this.#warnOfReuse(conversationId, message.id, channel.name);
    return isRepeat ? 'repeat' : 'recorded';
  }

  /** The message stays a repeat: a channel that sends the same again must be able to rely on that. */
  #warnOfReuse(conversationId: string, id: string, channel: string): void {
    warnOnce(
      this.#context,
      `reused id: ${channel}`,
      'A message has the id of an earlier one in its conversation and says something else, or is from somebody else. It counts as a repeat of that one, so nobody reads it. Give each message an id of its own, and the same one only to the same message sent again',
      { conversationId, id, channel },
    );
  }

  /** A registry that was given no agents by mistake records everything and says nothing. */
  async #warnIfLeft(conversationId: string, id: string): Promise<void> {
    const { agentNames, store, settings } = this.#context;
    if (agentNames.length > 0 || this.#waiters.isStopped) return;
    const state = await store.conversation(conversationId).catch(() => null); // what the caller is given says that it fails
    if (state === null || state.held || state.begun || !state.queue.some((queued) => queued.id === id)) return;
    warnOnce(
      this.#context,
      'no agents',
      'handle() has recorded a message that no process began to work on within settings.callTimeout, and this registry has no agents. Give it some with the option agents, or start a process that has them on the same store',
      { conversationId, waited: settings.callTimeout },
    );
  }

  /** Settles when no call of handle() is under way. */
  async idle(): Promise<void> {
    while (this.#handling > 0) await this.#handled.next();
  }

  /** A message of the caller of handle(), or of a channel that gives what was said to its own caller. */
  async handle(message: IncomingMessage, options: HandleOptions = {}, channel?: Channel): Promise<Handled> {
    this.#handling += 1;
    try {
      return await this.#handle(message, options, channel);
    } finally {
      this.#handling -= 1;
      this.#handled.notify();
    }
  }

  async #handle(message: IncomingMessage, options: HandleOptions, channel: Channel | undefined): Promise<Handled> {
    const name = channel?.name ?? handleChannel;
    const { id, conversationId, entry } = this.#read(message, name, channel);
    const { settings, id: waiter } = this.#context;
    const { after, timeout = settings.callTimeout } = checkOptions(
      'handle()',
      options,
      handleRules,
      '{ after: cursor }',
    );
    const position = positionIn(conversationId, after, 'handle()');
    assertOutsideTurnOf(
      this.#context,
      conversationId,
      'handle()',
      'Nothing was recorded. Call it when the turn is over.',
    );
    const isReused = this.#recent.differs(conversationId, id, entry);
    const recorded = await this.#dispatcher.record(conversationId, id, entry, { waiter });
    if (recorded.isRepeat && isReused) this.#warnOfReuse(conversationId, message.id, name);
    const known = recorded.outcome ?? (recorded.isRepeat ? await this.#waiters.stored(conversationId, id) : undefined);
    const told = known ?? (await this.#waiters.outcome(conversationId, id, timeout));
    if (told === undefined && timeout >= settings.callTimeout) await this.#warnIfLeft(conversationId, id);
    try {
      return await this.#given(conversationId, id, told, position);
    } catch (error) {
      if (!this.#waiters.isStopped) throw error;
      // stop() has closed the store meanwhile; the message is recorded, and what was said can be fetched
      const cursor = after ?? cursorOf(conversationId, { incarnation: '', next: 0 });
      return { disposition: dispositionIn(told) ?? { type: 'received' }, outputs: [], cursor };
    }
  }

  /** What the caller of handle() gets: with a position everything since then, else what the message's own turn said. */
  async #given(
    conversationId: string,
    id: string,
    told: Told | undefined,
    position: OutputPosition | undefined,
  ): Promise<Handled> {
    const end = told === undefined ? await this.#said.end(conversationId) : undefined;
    // looked at behind the end: what a turn says that is not over by now comes after it
    const known = told ?? (await this.#waiters.stored(conversationId, id));
    const disposition = dispositionIn(known) ?? { type: 'received' as const };
    const metadata = known && ('waitsFor' in known ? { waitingForHuman: true, askId: known.waitsFor } : known.metadata);
    const said =
      position === undefined
        ? await this.#ownOutputs(conversationId, known, end)
        : await this.#said.since(conversationId, position, mostItems, 0);
    return { ...copyOf({ disposition, ...definedFields({ metadata }) }), ...said };
  }

  async #ownOutputs(conversationId: string, told: Told | undefined, end: string | undefined): Promise<Outputs> {
    if (told !== undefined && 'waitsFor' in told)
      return this.#said.inRange(conversationId, [told.saidFrom, told.saidFrom + mostItems]);
    if (told?.said !== undefined) return this.#said.inRange(conversationId, told.said);
    return { outputs: [], cursor: end ?? (await this.#said.end(conversationId)) };
  }

  /** The message as it is recorded, or an error that the operator hears of too: the sender may have no way to. */
  #read(message: IncomingMessage, channel: string, by: Channel | undefined): ReadMessage {
    try {
      return readable('A message', 'bad-message', () => this.#checked(message, channel, by));
    } catch (error) {
      const failure = failureOf(error);
      this.#context.emit('rejected', { channel, failure });
      this.#context.logger.warn('A message was rejected', { channel, failure });
      throw error;
    }
  }

  /** Every field is read once and copied: the channel may change its objects afterwards, and a getter may change its mind. */
  #checked(message: IncomingMessage, channel: string, by: Channel | undefined): ReadMessage {
    if (!hasFields(message))
      throw new AgentError(
        'bad-message',
        `A message must be an object with id, conversationId and text, got ${describeKind(ignoreRejection(message))}.`,
      );
    for (const name of Object.keys(message))
      if (!knownFields.has(name) && message[name as keyof IncomingMessage] !== undefined)
        throw unknownName("A message's field ", name, [...knownFields], 'bad-message');
    const { conversationId, id, text, address, data, participant, askId, choice, value, intent } = message;
    const { automated, wordless, prepared, sentAt, tellsProblem, thread } = message;
    const { settings } = this.#context;
    checkedId(conversationId, "A message's conversationId");
    if (typeof text !== 'string') throw wrongField('text', 'a string', text, { isSecret: true });
    const place: Mutable<Place> = {
      channel,
      address: address === undefined ? null : plainData(address, "A message's address", settings),
    };
    if (by?.isTriggerChannel === true) place.trigger = true;
    if (by?.longestQuestion !== undefined) place.longest = by.longestQuestion;
    if (by?.proof !== undefined) place.proof = by.proof;
    if (thread !== undefined) place.thread = plainData(thread, "A message's thread", settings);
    const entry: Mutable<MessageEntry> = { type: 'message', text, place };
    if (participant !== undefined) entry.participant = checkedSender(participant);
    const pressed = choice === undefined ? undefined : checkedChoice(message);
    const filled = value === undefined ? undefined : checkedValue(message, settings);
    if (askId !== undefined) entry.askId = checkedName(askId, 'askId');
    if (intent !== undefined) entry.intent = checkedName(intent, 'intent');
    if (data !== undefined) entry.data = plainData(data, "A message's data", settings);
    if (isMarked(automated, 'automated')) entry.automated = true;
    if (isMarked(wordless, 'wordless')) entry.wordless = true;
    if (isMarked(prepared, 'prepared')) entry.prepared = true;
    if (sentAt !== undefined) entry.sentAt = checkedSentAt(sentAt);
    if (isMarked(tellsProblem, 'tellsProblem')) entry.tellsProblem = true;
    const pressedBytes = pressed === undefined ? 0 : Buffer.byteLength([pressed].flat().join());
    if (Buffer.byteLength(text) + pressedBytes > settings.textBytes) {
      entry.oversize = true; // recorded as that, so that its sender can be told
      entry.text = '';
    } else if (filled !== undefined) entry.value = filled;
    else if (pressed !== undefined) entry.choice = pressed;
    return { id: messageEntryId(channel, checkedId(id, "A message's id")), conversationId, entry };
  }
}

function wrongField(
  name: string,
  expected: string,
  value: unknown,
  more: { readonly hint?: string; readonly isSecret?: true } = {},
): AgentError {
  return wrongOption(`A message's ${name}`, expected, value, { ...more, code: 'bad-message' });
}

type SentAt = NonNullable<IncomingMessage['sentAt']>;

function checkedSentAt(sentAt: SentAt): SentAt {
  if (!hasFields(sentAt)) {
    if (Number.isFinite(sentAt)) return sentAt;
    throw wrongField('sentAt', 'a time in ms since 1970 or { age } in ms', sentAt, {
      hint: 'Leave it out if it is not known.',
    });
  }
  const { age } = sentAt;
  if (Number.isFinite(age) && age >= 0) return { age };
  throw wrongField('age', '0 or a positive number of ms', age, { hint: 'Leave sentAt out if it is not known.' });
}

function checkedSender(who: Participant): Participant {
  if (who === null || typeof who !== 'object') throw wrongField('participant', 'an object with an id', who);
  checkedId(who.id, "A message's participant.id");
  const damage = personDamage(who);
  if (damage !== undefined) throw new AgentError('bad-message', `A message's participant.${damage}.`);
  return knownPerson(who);
}

function checkedName(value: unknown, name: string): string {
  if (typeof value !== 'string') throw wrongField(name, 'a string', value);
  const bytes = 3 * value.length > longestName ? Buffer.byteLength(value) : 0; // a UTF-16 unit has at most three
  if (bytes <= longestName) return value;
  throw new AgentError(
    'bad-message',
    `A message's ${name} is ${bytes} bytes long, at most ${longestName} are accepted. Put long data into its data.`,
  );
}

function isMarked(mark: unknown, name: string): boolean {
  if (mark !== undefined && mark !== null && typeof mark !== 'boolean') throw wrongField(name, 'true or false', mark);
  return mark === true;
}

/** What was pressed or filled in was drawn for one question: it is never read as an answer to another that is open by now. */
function assertNamesAsk({ askId }: IncomingMessage, field: 'choice' | 'value'): void {
  if (askId === undefined)
    throw new AgentError(
      'bad-message',
      `A message's ${field} needs the askId of its question, as it was sent with it. Nothing was recorded.`,
    );
}

function checkedValue(message: IncomingMessage, limits: JsonLimits): Json {
  assertNamesAsk(message, 'value');
  if (message.choice !== undefined)
    throw new AgentError('bad-message', "A message's value needs no choice beside it. Nothing was recorded.");
  return plainData(message.value, "A message's value", limits);
}

function checkedChoice(message: IncomingMessage): string | readonly string[] {
  const choice: unknown = message.choice;
  const pressed: readonly unknown[] = Array.isArray(choice) ? [...choice] : [choice];
  if (!pressed.every((each) => typeof each === 'string')) {
    const got = Array.isArray(choice) ? `[${pressed.slice(0, 3).map(describeKind).join(', ')}]` : describeKind(choice);
    throw new AgentError('bad-message', `A message's choice must be an option's id or a list of them, got ${got}.`);
  }
  assertNamesAsk(message, 'choice');
  return typeof choice === 'string' ? choice : pressed;
}
