/**
 * What all parts of one registry share: its agents, channels, store, settings, words, time, events and warnings.
 */
import type { Interceptor } from '../channels/interceptors.js';
import type { Channel, IncomingMessage } from '../channels/port.js';
import type { Model } from '../core/agent.js';
import type { AnswerType } from '../core/ask/answer-type.js';
import type { PublicPendingAsk } from '../core/ask/ask.js';
import type { ReplySorting } from '../core/conversation/match-reply.js';
import { AgentError } from '../core/errors.js';
import type { Logger, RegistryEvents } from '../core/events.js';
import type { Participant } from '../core/participant.js';
import type { Settings } from '../core/settings.js';
import type { Language } from '../core/wording/language.js';
import type { Clock, ProcessHold } from '../machine/clock.js';
import type { Deadlines } from '../machine/deadlines.js';
import type { Store } from '../stores/port.js';
import type { AskedHere } from './asked-here.js';

/** How long a channel or a caller waits for the store before it is told "not now", in ms. */
export const intakeTimeout = 3_000;

/** The reserved channel name of handle(): its outputs are returned, not sent. */
export const handleChannel = 'handle';

/** The reserved name of what reads the replies to asks that somebody waits for. */
export const waitingAgent = '@wait';

/** The member that tells a registry that a tool was made for it: tools start their registry when they ask. */
export const startedByTools = Symbol('started by tools');

/** For calls that come after stop(), or waited when it came: then it names the ask that was waited for. */
export function stoppedError(askId?: string): AgentError {
  if (askId === undefined) return new AgentError('stopped', 'This registry was stopped. Make a new one.');
  return new AgentError(
    'stopped',
    `This registry was stopped while ask ${askId} was waited for. If it is open, it stays open: wait(${JSON.stringify(askId)}) in another process goes on.`,
    { details: { askId } },
  );
}

export interface RegistryContext {
  /** Tells one process from another, for those who wait. */
  readonly id: string;
  /** None: this process sees to asks that no agent owns, and leaves all else to others. */
  readonly agentNames: readonly string[];
  readonly channels: ReadonlyMap<string, Channel>;
  readonly store: Store;
  readonly askedHere: AskedHere;
  readonly settings: Settings;
  /** The language for a person's locale, in the registry's own wording. */
  readonly language: (locale: string | undefined) => Language;
  readonly clock: Clock;
  /** For calls that end by themselves: a person is not waited for with it. */
  readonly hold: ProcessHold;
  /** When turns have run for too long. */
  readonly turnLimits: Deadlines;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly model: Model | undefined;
  readonly route: ((message: IncomingMessage, agents: readonly string[]) => string | Promise<string>) | undefined;
  readonly classify: ((message: IncomingMessage) => string | undefined | Promise<string | undefined>) | undefined;
  readonly interceptors: readonly Interceptor[];
  readonly identify: ((participant: Participant) => Participant | Promise<Participant>) | undefined;
  readonly policies: Readonly<Record<string, Policy>>;
  readonly sortReply: SortReply | undefined;
  readonly quietUntil: QuietUntil | undefined;
  /** Answer types that are not built in, by kind: those that the registry was given, and those that were asked with here. */
  readonly answerTypes: Map<string, AnswerType<unknown>>;
  /** Whether anybody listens to the event. */
  hears(event: keyof RegistryEvents): boolean;
  emit<E extends keyof RegistryEvents>(event: E, about: RegistryEvents[E]): void;
}

/**
 * Whether this person may answer this ask. Asked at the moment of the answer.
 *
 * @example
 * import { AgentRegistry, type Policy } from 'askback';
 *
 * const onDuty: Policy = ({ id }) => ['web:anna', 'web:ben'].includes(id);
 * const registry = new AgentRegistry({ policies: { onDuty } });
 */
export type Policy = (participant: Participant, ask: PublicPendingAsk<unknown>) => boolean | Promise<boolean>;

/** What a plain message is to the question that is open; undefined leaves it to the built-in rules. */
export type SortReply = (
  reply: { readonly text: string; readonly participant?: Participant; readonly signal: AbortSignal },
  ask: PublicPendingAsk<unknown>,
) => ReplySorting | undefined | Promise<ReplySorting | undefined>;

/** Until when nobody is to be reminded, seen from `now`; undefined when now is a good time. */
export type QuietUntil = (now: Date, ask: PublicPendingAsk<unknown>) => Date | undefined;

const told = new WeakMap<RegistryContext, Set<string>>();
/** The most causes that are told apart. A question that is made at run time may be a new cause each time. */
const mostCauses = 200;

/** Warns about a mistake that would otherwise be silent, with what to do: once per registry and cause. */
export function warnOnce(context: RegistryContext, cause: string, message: string, about: object): void {
  const causes = told.get(context) ?? new Set();
  told.set(context, causes);
  if (causes.has(cause) || causes.size >= mostCauses) return;
  causes.add(cause);
  context.logger.warn(message, about);
}
