/**
 * The registry's options: their types, their rules and their defaults.
 */
import { typeByKind } from '../answers/built-in-types.js';
import type { Interceptor } from '../channels/interceptors.js';
import type { Channel, IncomingMessage } from '../channels/port.js';
import type { Agent, Model } from '../core/agent.js';
import type { AnswerType } from '../core/ask/answer-type.js';
import {
  anything,
  type CheckedOptions,
  checkOptions,
  dictionary,
  func,
  having,
  list,
  nonBlank,
  optional,
  readable,
  wrongOption,
} from '../core/check-options.js';
import { forwardChannel } from '../core/conversation/outgoing.js';
import { AgentError, badOption, failureOf } from '../core/errors.js';
import type { Logger } from '../core/events.js';
import { consoleLogger, safeLogger } from '../core/events.js';
import { describe } from '../core/ids.js';
import type { Participant } from '../core/participant.js';
import { ignoreRejection } from '../core/promise.js';
import type { Settings } from '../core/settings.js';
import { checkedSettings } from '../core/settings.js';
import { english } from '../core/wording/english.js';
import type { Language } from '../core/wording/language.js';
import { languageFor, languagesByTag } from '../core/wording/language.js';
import { builtInLanguages } from '../core/wording/languages.js';
import type { Wording } from '../core/wording/wording.js';
import { checkedWording, withWording } from '../core/wording/wording.js';
import type { Clock } from '../machine/clock.js';
import { clockOption, ProcessHold, randomId, systemClock } from '../machine/clock.js';
import { Deadlines } from '../machine/deadlines.js';
import { MemoryStore } from '../stores/memory/store.js';
import type { Store } from '../stores/port.js';
import { AskedHere } from './asked-here.js';
import type { Policy, QuietUntil, RegistryContext, SortReply } from './context.js';
import { handleChannel, intakeTimeout } from './context.js';
import { Emitter } from './emitter.js';
import { retryingStore } from './retrying-store.js';
import type { RegisteredAgent } from './turn/agent-port.js';
import { attach, serve } from './turn/agent-port.js';
import { asAuthorCall, timersOutsideTurns } from './turn/current-turn.js';

/**
 * What a registry is made of. Everything may be left out.
 *
 * @example
 * import { agent, AgentRegistry, type RegistryOptions, TerminalChannel } from 'askback';
 *
 * const options: RegistryOptions = { agents: [agent('support')], channels: [new TerminalChannel()], settings: { turns: 50 } };
 * const registry = new AgentRegistry(options);
 */
export interface RegistryOptions {
  /** None: this process records messages for others to work on. */
  readonly agents?: readonly Agent[];
  /** The channels by which people are reached. Their names must differ. */
  readonly channels?: readonly Channel[];
  /**
   * Where conversations live. A `MemoryStore` forgets everything when the process ends.
   *
   * @default new MemoryStore()
   */
  readonly store?: Store;
  /** The model of agents that have none of their own. */
  readonly model?: Model;
  /** Who may answer asks with `answerableBy: { policy }`, by the policy's name. One that throws lets nobody answer. */
  readonly policies?: Readonly<Record<string, Policy>>;
  /** Knows better than the built-in rules what a plain message is while a question is open. `unrelatedBy(model)` is one. */
  readonly sortReply?: SortReply;
  /** Quiet hours: a reminder that falls into them waits until they are over. */
  readonly quietUntil?: QuietUntil;
  /** Answer types of your own: questions that are asked with them outside of an agent are read in every process that names them. */
  readonly answerTypes?: readonly AnswerType<unknown, never>[];
  /** The intent of a message that is no reply. */
  readonly classify?: (message: IncomingMessage) => string | undefined | Promise<string | undefined>;
  /**
   * Returns the name of the agent for a message that is no reply.
   *
   * @default the first agent
   */
  readonly route?: (message: IncomingMessage, agents: readonly string[]) => string | Promise<string>;
  /**
   * Functions that look at a message that is no reply before an agent does, in this order, and may end its way: `dropNoise`, `rateLimit`
   * and `onlyWhenAddressed` of `askback/interceptors`, or your own.
   */
  readonly interceptors?: readonly Interceptor[];
  /** Maps a channel's participant to a person, so that one human counts as one. */
  readonly identify?: (participant: Participant) => Participant | Promise<Participant>;
  /** Sentences of your own, said in place of the built-in ones in every language. */
  readonly wording?: Partial<Wording>;
  /** Languages beside the built-in ones, or in place of one of them; chosen by `participant.locale`. */
  readonly languages?: readonly Language[];
  /**
   * The language of people whose `locale` is not known, as a tag such as `de`.
   *
   * @default 'en'
   */
  readonly locale?: string;
  /**
   * Where the registry logs. It is never given answers, contexts or secrets.
   *
   * @default warnings and errors go to the console
   */
  readonly logger?: Logger;
  /** Limits and times that differ from the defaults. */
  readonly settings?: Partial<Settings>;
  /** Time and timers, for tests; `rehearse()` of `askback/testing` brings one. */
  readonly clock?: Clock;
  /** Makes turn ids and tokens; they must not be guessable. */
  readonly newId?: () => string;
}

export const registryRules = {
  agents: optional(list(anything<Agent>()), []),
  channels: optional(list(anything<Channel>()), []),
  store: optional(having<Store>('a store', 'take', 'save')),
  model: optional(func<Model>()),
  policies: optional(dictionary(func<Policy>(), 'an object of functions by name'), {}),
  sortReply: optional(func<SortReply>()),
  quietUntil: optional(func<QuietUntil>()),
  answerTypes: optional(list(anything<AnswerType<unknown, never>>()), []),
  classify: optional(func<NonNullable<RegistryOptions['classify']>>()),
  route: optional(func<NonNullable<RegistryOptions['route']>>()),
  interceptors: optional(list(func<Interceptor>()), []),
  identify: optional(func<NonNullable<RegistryOptions['identify']>>()),
  wording: optional(anything<Partial<Wording>>()), // by the sentences that there are
  languages: optional(anything<readonly Language[]>(), []), // by the language they stand beside
  locale: optional(nonBlank(), english.locale),
  logger: optional(anything<Logger>(), consoleLogger),
  settings: checkedSettings,
  clock: optional(clockOption, systemClock),
  newId: optional(func<() => unknown>()),
};

export function checkedOptions(options: RegistryOptions): {
  context: RegistryContext;
  store: Store;
  agents: ReadonlyMap<string, RegisteredAgent>;
  events: Emitter;
} {
  const checked = checkOptions('AgentRegistry', options, registryRules, '{ agents: [support] }');
  const { settings, model, route, classify, identify, policies, sortReply, quietUntil } = checked;
  const awaited = <A extends readonly unknown[], R>(hook: (...given: A) => R) => asAuthorCall(() => context, hook);
  const logger = safeLogger(checked.logger);
  const clock = timersOutsideTurns(checked.clock);
  const newId = checked.newId === undefined ? randomId : checkedIds(checked.newId);
  const agents = readable('AgentRegistry: agents', 'bad-option', () => namedAgents(checked.agents));
  const channels = readable('AgentRegistry: channels', 'bad-option', () => namedChannels(checked.channels));
  const events = new Emitter(logger);
  const store = checked.store ?? new MemoryStore({ clock: checked.clock });
  const context: RegistryContext = {
    id: newId(),
    agentNames: [...agents.keys()],
    channels,
    store: retryingStore(store, () => context, intakeTimeout),
    askedHere: new AskedHere(),
    settings,
    language: speaking(checked, logger),
    clock,
    hold: new ProcessHold(checked.clock),
    turnLimits: new Deadlines(clock, settings.turnLimit),
    newId,
    logger,
    model,
    route: route && awaited(route),
    classify: classify && awaited(classify),
    interceptors: checked.interceptors.map((interceptor) => awaited(interceptor)),
    identify: identify && awaited(identify),
    policies: Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name, awaited(policy)])),
    sortReply: sortReply && awaited(sortReply),
    quietUntil,
    answerTypes: readable('AgentRegistry: answerTypes', 'bad-option', () => typesByKind(checked.answerTypes)),
    hears: (event) => events.hears(event),
    emit: (event, about) => events.emit(event, about),
  };
  for (const agent of agents.values()) agent[attach]();
  return { context, store, agents, events };
}

/** Finds the language for a locale, with the author's sentences in place of the built-in ones; the usual one if it is unknown. */
function speaking(
  { languages, wording, locale: usual }: CheckedOptions<typeof registryRules>,
  logger: Logger,
): RegistryContext['language'] {
  const changes = checkedWording(wording, english.wording);
  const failed = (sentence: string, error: unknown): void =>
    logger.error('A sentence of your own failed; the usual one was said', { sentence, failure: failureOf(error) });
  const spoken = new Map<string, Language>();
  const add = (tag: string, language: Language, own: Wording): void => {
    const wording = withWording(own, changes, failed);
    const { locale } = language;
    spoken.set(tag, {
      locale,
      wording,
      get words() {
        return language.words; // made when they are first read
      },
    });
  };
  for (const language of builtInLanguages) add(language.locale, language, language.wording);
  for (const [tag, language] of languagesByTag(languages, english))
    add(tag, language, withWording(english.wording, language.wording, failed));
  const fallback = languageFor(spoken, usual);
  if (fallback === undefined)
    throw wrongOption(
      'AgentRegistry: locale',
      `the tag of a language that is there (${[...spoken.keys()].join(', ')})`,
      usual,
      { hint: 'Add it with the option languages.' },
    );
  return (locale) => languageFor(spoken, locale) ?? fallback;
}

/** The author's own ids. A value that is no string would become the same id for everything. */
function checkedIds(newId: () => unknown): () => string {
  return () => {
    const id = newId();
    if (typeof id === 'string' && id !== '') return id;
    throw badOption(`newId must return a string that is never given again, got ${describe(ignoreRejection(id))}.`);
  };
}

function namedAgents(agents: readonly Agent[]): ReadonlyMap<string, RegisteredAgent> {
  const named = new Map<string, RegisteredAgent>();
  for (const [i, agent] of agents.entries()) {
    if (!isRegisterable(agent)) {
      throw badOption(
        `AgentRegistry: agents[${i}] is no agent. Pass what agent() returns or an instance of a BaseAgent subclass.`,
      );
    }
    const { name } = agent;
    if (typeof name !== 'string' || name === '')
      throw badOption(
        `AgentRegistry: agents[${i}] has no name. Give it one: its asks are found by it after a restart.`,
      );
    if (name.startsWith('@'))
      throw badOption(
        `AgentRegistry: the agent name ${JSON.stringify(name)} begins with @, which is reserved. Use another.`,
      );
    if (named.has(name))
      throw badOption(`AgentRegistry: two agents are named ${JSON.stringify(name)}. Give each its own name.`);
    named.set(name, agent);
  }
  return named;
}

/** The members that the engine calls are no part of the public type. */
function isRegisterable(agent: Agent & Partial<RegisteredAgent>): agent is Agent & RegisteredAgent {
  return typeof agent?.[serve] === 'function';
}

/** Types that the author made, by kind: asks of these kinds are read here, whoever asked. */
function typesByKind(types: readonly AnswerType<unknown, never>[]): Map<string, AnswerType<unknown>> {
  const known = new Map<string, AnswerType<unknown>>();
  for (const [i, type] of types.entries()) {
    const what = `AgentRegistry: answerTypes[${i}]`;
    if (typeof type?.kind !== 'string' || typeof type.parse !== 'function')
      throw badOption(`${what} is no answer type: it needs a kind and a parse function.`);
    if (typeByKind(type.kind) !== undefined || known.has(type.kind))
      throw badOption(
        `${what}: the kind ${JSON.stringify(type.kind)} is ${known.has(type.kind) ? 'given twice' : 'built in'}. Give it another kind.`,
      );
    known.set(type.kind, type as AnswerType<unknown>); // it is given only data that it made
  }
  return known;
}

function namedChannels(channels: readonly Channel[]): ReadonlyMap<string, Channel> {
  const named = new Map<string, Channel>();
  for (const [i, channel] of channels.entries()) {
    if (typeof channel === 'string' || channel === null || channel === undefined)
      throw wrongOption(`AgentRegistry: channels[${i}]`, 'a channel', channel, {
        hint: 'Make one and pass it: new TerminalChannel() of askback, new SlackChannel({ … }) of askback/channels/slack, or your own.',
      });
    const name: unknown = channel.name;
    if (typeof name !== 'string' || name === '')
      throw new AgentError(
        'unknown-channel',
        `AgentRegistry: channels[${i}] has no name. Give it one: answers find their way back by it.`,
      );
    if (name === handleChannel || name === forwardChannel)
      throw badOption(`AgentRegistry: the channel name ${JSON.stringify(name)} is reserved. Use another.`);
    if (typeof channel.start !== 'function' || typeof channel.send !== 'function')
      throw badOption(
        `AgentRegistry: channels[${i}] (${name}) is no channel: it needs the methods start and send.${typeof channel === 'function' ? ` It is a class or a function: pass new ${name}(…).` : ''}`,
      );
    if (named.has(name))
      throw badOption(`AgentRegistry: two channels are named ${JSON.stringify(name)}. Give each its own name.`);
    named.set(name, channel);
  }
  return named;
}
