/**
 * What an operator can listen to. No answers, no contexts: ids, names, times, and what a canceller gave as the reason.
 * A time of day is the store's, in ms; a length of time is in ms too.
 */
import type { AskStatus } from './ask/ask.js';
import type { Disposition } from './conversation/entry.js';
import type { Failure } from './errors.js';
import { badOption } from './errors.js';
import { describe } from './ids.js';
import { ignoreRejection } from './promise.js';

/** What every event of a conversation has. */
export interface ConversationEvent {
  /** The conversation it happened in. */
  readonly conversationId: string;
}
/** What every event of an ask has. */
export interface AskEvent extends ConversationEvent {
  /** The ask it is about. */
  readonly askId: string;
  /** The agent that asked; `@wait` for an ask of the registry. */
  readonly agentName: string;
  /** When it was asked. */
  readonly askedAt: number;
  /** When it was saved. */
  readonly at: number;
}
/** What every event of the end of an ask has. */
export interface DecidedAskEvent extends AskEvent {
  /** When it was decided. */
  readonly decidedAt: number;
  /** How often the question was asked again. */
  readonly retries: number;
}

/**
 * What a registry tells of its work, by the name of the event: what each listener is given.
 *
 * @example
 * import { AgentRegistry, type RegistryEvents } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const tell = ({ agentName, askId }: RegistryEvents['answered']) => console.log(agentName, askId);
 * const off = registry.on('answered', tell);
 */
export interface RegistryEvents {
  /** An ask was opened. */
  readonly asked: AskEvent & { readonly channel: string };
  /** The question was shown again because nobody had answered. */
  readonly reminded: AskEvent;
  /** A step of an escalation was taken: the question is shown on this channel, too. `level` counts from 1. */
  readonly escalated: AskEvent & { readonly channel: string; readonly level: number };
  /** Somebody who may answer has handed the ask to somebody else. */
  readonly handedOver: AskEvent & { readonly participantId: string; readonly toParticipantId: string };
  /** One of the votes that an ask needs. */
  readonly voted: AskEvent & { readonly participantId: string };
  /** An ask was answered. */
  readonly answered: DecidedAskEvent;
  /** Somebody did not want to answer. */
  readonly declined: DecidedAskEvent;
  /** The last attempt to get an answer failed. */
  readonly exhausted: DecidedAskEvent;
  /** The deadline of an ask has passed. */
  readonly expired: DecidedAskEvent;
  /** An ask was cancelled by a program, or by whoever waited for it. */
  readonly cancelled: DecidedAskEvent & {
    /** Who cancelled it, if known. */
    readonly participantId?: string;
    /** What the canceller said, or `'timeout'` where whoever waited for it gave up. */
    readonly reason?: string;
  };
  /** A question could not be sent, and its ask is over. */
  readonly undeliverable: DecidedAskEvent & { readonly failure: Failure };
  /** Somebody who may not answer tried to, or somebody who may from where it does not count. */
  readonly refused: ConversationEvent & {
    readonly askId: string;
    readonly participantId?: string;
    readonly channel?: string;
  };
  /** Emitted after the asks and decisions of the same turn. */
  readonly handled: ConversationEvent & {
    readonly entryId: string;
    readonly disposition: Disposition;
    /** Absent where no agent had to run. */
    readonly agentName?: string;
    readonly attempt: number;
    /** From the entry's recording, or an ask's deadline, to the begin of this attempt. */
    readonly waited: number;
    /** This attempt, with its save. */
    readonly took: number;
  };
  /** A turn failed and will be tried again. */
  readonly failed: ConversationEvent & {
    readonly entryId: string;
    readonly attempt: number;
    readonly failure: Failure;
  };
  /** Work failed too often, or by a mistake that a retry cannot fix. It waits for `retry()`. */
  readonly parked: ConversationEvent & {
    readonly id: string;
    readonly entryId: string;
    readonly attempts: number;
    readonly failure: Failure;
  };
  /** A save was refused because another process holds the conversation. */
  readonly fenced: ConversationEvent & { readonly entryId: string };
  /** A message that could not be recorded, for example for want of a conversation id. */
  readonly rejected: { readonly channel: string; readonly failure: Failure };
  /** A channel has sent a message. */
  readonly delivered: ConversationEvent & {
    readonly key: string;
    readonly channel: string;
    /** The ask whose question, or what became of it, was sent. */
    readonly askId?: string;
    readonly took: number;
  };
  /** A channel could not send a message. It is tried again by `settings.deliveryBackOff`. */
  readonly deliveryFailed: ConversationEvent & {
    readonly key: string;
    readonly channel: string;
    readonly tries: number;
    readonly failure: Failure;
  };
  /** Work given back untouched: an agent this process has not, or a record of a newer release. */
  readonly handedBack: ConversationEvent & { readonly entryId: string; readonly why: string };
  /** Leases were renewed: of so many conversations, in which so many entries wait, those being worked on included. */
  readonly renewed: { readonly held: number; readonly queued: number };
  /** The store did not answer. */
  readonly storeFailed: { readonly step: string; readonly failure: Failure };
}

/** The names of all events. The compiler finds one that is missing here. */
export const eventNames: readonly string[] = Object.keys({
  asked: true,
  reminded: true,
  escalated: true,
  handedOver: true,
  voted: true,
  answered: true,
  declined: true,
  exhausted: true,
  expired: true,
  cancelled: true,
  undeliverable: true,
  refused: true,
  handled: true,
  failed: true,
  parked: true,
  fenced: true,
  rejected: true,
  delivered: true,
  deliveryFailed: true,
  handedBack: true,
  renewed: true,
  storeFailed: true,
} satisfies Record<keyof RegistryEvents, true>);

export type DecisionEvent = Exclude<AskStatus, 'pending'>;

/**
 * Four methods that console and pino have. Never given answers, contexts or secrets.
 *
 * @example
 * import { AgentRegistry, type Logger } from 'askback';
 *
 * const quiet: Logger = { ...console, debug: () => {}, info: () => {} };
 * const registry = new AgentRegistry({ logger: quiet });
 */
export interface Logger {
  /** What helps to find out what happened. */
  debug(message: string, more?: object): void;
  /** What happens in the ordinary course of things. */
  info(message: string, more?: object): void;
  /** What goes wrong and is corrected by itself, and mistakes that would otherwise be silent. */
  warn(message: string, more?: object): void;
  /** What goes wrong and needs a person. */
  error(message: string, more?: object): void;
}

/** The same logger; where it throws or rejects, nobody else comes to harm. */
export function safeLogger(logger: Logger): Logger {
  const level = (name: keyof Logger) => {
    const method: unknown = (logger as Partial<Logger> | null)?.[name];
    if (typeof method !== 'function')
      throw badOption(`The logger must have the methods debug, info, warn and error; ${name} is ${describe(method)}.`);
    return (message: string, more?: object): void => {
      try {
        ignoreRejection<unknown>(more === undefined ? logger[name](message) : logger[name](message, more));
      } catch {
        // a logger that fails cannot be logged
      }
    };
  };
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}

/** The logger of a registry that was given none: what goes wrong must not go unseen. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (message, more) => console.warn(`askback: ${message}`, more ?? ''),
  error: (message, more) => console.error(`askback: ${message}`, more ?? ''),
};

export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
