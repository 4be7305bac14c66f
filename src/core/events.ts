/**
 * What an operator can listen to. No answers, no contexts: ids, names and times only.
 */
import type { AskStatus } from './ask.js';
import type { Disposition } from './entry.js';
import type { Failure } from './errors.js';

interface About {
  readonly conversationId: string;
}
interface AboutAsk extends About {
  readonly askId: string;
  readonly agentName: string;
}

export interface RegistryEvents {
  readonly asked: AboutAsk;
  readonly answered: AboutAsk;
  readonly declined: AboutAsk;
  readonly exhausted: AboutAsk;
  readonly expired: AboutAsk;
  readonly cancelled: AboutAsk;
  readonly undeliverable: AboutAsk & { readonly failure: Failure };
  /** Somebody who may not answer tried to. */
  readonly refused: About & { readonly askId: string; readonly participantId?: string; readonly channel?: string };
  readonly handled: About & { readonly entryId: string; readonly disposition: Disposition };
  /** A turn failed and will be tried again. */
  readonly failed: About & { readonly entryId: string; readonly attempt: number; readonly failure: Failure };
  readonly parked: About & {
    readonly id: string;
    readonly entryId: string;
    readonly attempts: number;
    readonly failure: Failure;
  };
  /** A save was refused because another process holds the conversation. */
  readonly fenced: About & { readonly entryId: string };
  /** A message that could not be recorded, for example for want of a conversation id. */
  readonly rejected: { readonly channel: string; readonly failure: Failure };
  readonly delivered: About & { readonly key: string; readonly channel: string };
  readonly deliveryFailed: About & {
    readonly key: string;
    readonly channel: string;
    readonly tries: number;
    readonly failure: Failure;
  };
  /** Work given back untouched: an agent this process has not, or a record of a newer release. */
  readonly handedBack: About & { readonly entryId: string; readonly why: string };
  /** The store did not answer. */
  readonly storeFailed: { readonly step: string; readonly failure: Failure };
}

export type DecisionEvent = Exclude<AskStatus, 'pending'>;

/** Four methods that console and pino have. Never given answers, contexts or secrets. */
export interface Logger {
  debug(message: string, more?: object): void;
  info(message: string, more?: object): void;
  warn(message: string, more?: object): void;
  error(message: string, more?: object): void;
}

/** The logger of a registry that was given none: what goes wrong must not go unseen. */
export const complaining: Logger = {
  debug: () => {},
  info: () => {},
  warn: (message, more) => console.warn(`askback: ${message}`, more ?? ''),
  error: (message, more) => console.error(`askback: ${message}`, more ?? ''),
};

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
