/**
 * Every error of the library: one class, one table of codes. A misuse can only be fixed by the author, so a turn that
 * meets one is parked at once instead of being retried.
 */

interface CodeMeaning {
  readonly meaning: string;
  readonly misuse: boolean;
}

export const errorCodes = {
  'not-registered': { meaning: 'The agent belongs to no registry.', misuse: true },
  'no-turn': { meaning: 'Called outside a turn, so there is no conversation to ask in.', misuse: true },
  'in-turn': { meaning: 'Called inside a turn, which it would wait for.', misuse: true },
  'turn-ended': { meaning: 'Called after its turn was over; nothing was done.', misuse: true },
  'trigger-channel': { meaning: 'ask() in a turn that no human started and no channel can answer.', misuse: true },
  'unknown-channel': { meaning: 'The channel has no name, or none of that name is registered here.', misuse: true },
  'unknown-agent': { meaning: 'No process that has this agent has taken its work.', misuse: false },
  'unknown-question': { meaning: 'The agent has no declared question of that name.', misuse: true },
  'unknown-policy': { meaning: 'The registry has no policy of the name that the ask was made with.', misuse: false },
  'unknown-ask': { meaning: 'No ask with that id.', misuse: true },
  'not-opened': { meaning: 'The conversation was busy for too long, and the question was not asked.', misuse: false },
  already: { meaning: 'The ask has its final decision; `details.ask` carries it.', misuse: true },
  'not-shown': { meaning: 'The question waits behind another one of its conversation.', misuse: false },
  'bad-option': { meaning: 'An option has a value that cannot work.', misuse: true },
  'bad-data': { meaning: 'A value is not plain JSON data, or is too large or too deep to store.', misuse: true },
  'bad-message': { meaning: 'A message came without what is needed to handle it.', misuse: true },
  'too-many-asks': { meaning: 'The conversation has as many open asks as it may have.', misuse: true },
  'not-continued': { meaning: 'An ask was decided, but nothing continued with the answer.', misuse: true },
  'no-model': {
    meaning: 'A model is needed: for run(), or for a message to an agent without a handler.',
    misuse: true,
  },
  'too-many-steps': { meaning: 'A model called tools again and again in one run() without an end.', misuse: true },
  'pattern-limit': { meaning: 'A pattern took longer than it may to read a reply.', misuse: false },
  'model-refused': {
    meaning: 'A model refuses this request however often it is sent: wrong key, unknown model, context too long.',
    misuse: true,
  },
  'bad-verdict': { meaning: 'A model gave no answer, or no verdict, that can be read.', misuse: false },
  'turn-limit': { meaning: 'The turn ran longer than it may and was stopped.', misuse: false },
  crashed: { meaning: 'The process handling the turn died, as often as is allowed.', misuse: false },
  'may-have-happened': { meaning: 'An effect that must not repeat may have happened before a crash.', misuse: false },
  'lease-lost': {
    meaning: 'Another process took the conversation over; nothing of this turn was saved.',
    misuse: false,
  },
  'store-unavailable': { meaning: 'The store could not be reached, or did not answer in time.', misuse: false },
  'store-full': { meaning: 'The store refused to take more: it is out of memory or disk.', misuse: false },
  'store-unfit': { meaning: 'The store is set up so that it would lose or mix up data.', misuse: false },
  'queue-full': { meaning: 'The conversation has too many messages waiting.', misuse: false },
  'bad-record': { meaning: 'A stored record is damaged or not ours.', misuse: false },
  'newer-record': { meaning: 'A stored record was written by a newer release.', misuse: false },
  'unfinished-effect': {
    meaning: 'The conversation has a decided ask whose continuation is not finished.',
    misuse: true,
  },
  undeliverable: { meaning: 'A channel says that a message can never reach its address.', misuse: false },
  unauthenticated: { meaning: 'A request does not prove who sent it.', misuse: false },
  'missing-package': { meaning: 'An optional package is not installed.', misuse: true },
  stopped: { meaning: 'The registry has been stopped.', misuse: false },
} as const satisfies Record<string, CodeMeaning>;

/**
 * An error code that programs can compare. docs/errors.md explains every code.
 *
 * @example
 * import type { AgentErrorCode } from 'askback';
 *
 * const passing: readonly AgentErrorCode[] = ['store-unavailable', 'store-full'];
 */
export type AgentErrorCode = keyof typeof errorCodes;

/** On every AgentError, of whichever copy of the package: two may be installed side by side. */
const isAgentError: unique symbol = Symbol.for('askback.AgentError') as never;

/**
 * The one error class of askback. `code` says what went wrong, the message ends with what to do.
 *
 * @example
 * import { AgentError, AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry();
 * await registry.show('nobody-knows').catch((error: unknown) => {
 *   if (!(error instanceof AgentError && error.code === 'unknown-ask')) throw error;
 * });
 */
export class AgentError extends Error {
  /** Always `'AgentError'`. */
  override readonly name = 'AgentError';
  /** What went wrong, as a word of the table in docs/errors.md. */
  readonly code: AgentErrorCode;
  /** More about it, for programs. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: AgentErrorCode,
    message: string,
    more: { readonly cause?: unknown; readonly details?: Record<string, unknown> } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.details = more.details ?? {};
  }

  /** @internal */
  get [isAgentError](): true {
    return true;
  }
}

/** By the mark instead of the prototype, so that an error of another copy is one, too. A subclass is told by its prototype. */
function hasInstance(this: unknown, value: unknown): boolean {
  if (this !== AgentError) return Function.prototype[Symbol.hasInstance].call(this as typeof AgentError, value);
  return typeof value === 'object' && value !== null && isAgentError in value;
}
Object.defineProperty(AgentError, Symbol.hasInstance, { value: hasInstance });

/** The error for an option or an argument that cannot work. */
export function badOption(message: string): AgentError {
  return new AgentError('bad-option', message);
}

/** Whether the error is about one stored record, damaged or of a newer release: others can be read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof AgentError && (error.code === 'bad-record' || error.code === 'newer-record');
}

/** The error for a stored question that this process cannot read. Another release may: its work is left to others for a while. */
export function unreadableQuestion(message: string): AgentError {
  return new AgentError('unknown-question', message, { details: { isLeftToOthers: true } });
}

/** True if another process may be able to do what failed here. */
export function isLeftToOthers(error: unknown): boolean {
  return error instanceof AgentError && error.details['isLeftToOthers'] === true;
}

/** The error of an ask that another conversation has refused: whoever asked there did nothing wrong, and it may have room later. */
export function refusedElsewhere({ code, message }: Failure): AgentError {
  const known = code in errorCodes ? (code as AgentErrorCode) : 'not-opened';
  return new AgentError(known, message, { details: { isElsewhere: true } });
}

/** True for mistakes that a retry cannot fix. */
export function isMisuse(error: unknown): boolean {
  return error instanceof AgentError && errorCodes[error.code].misuse && error.details['isElsewhere'] !== true;
}

/** With `onCrash: 'park'`: what followed a decision is not run again unless a person says so. */
export function mayHaveHappened(askId: string): AgentError {
  return new AgentError(
    'may-have-happened',
    `The process stopped after ask ${askId} was decided; its effect may have happened. Check, then retry or erase.`,
  );
}

/** What is stored of an error: never its stack, which may quote what people wrote. */
export interface Failure {
  /** The code of an `AgentError`; else the name of the error that was thrown, such as `TypeError`. */
  readonly code: string;
  /** What went wrong, in words. */
  readonly message: string;
}

/** What was thrown, by its failure, for as long as that failure lives in this process. */
const thrownAs = new WeakMap<Failure, unknown>();

function noted(failure: Failure, thrown: unknown): Failure {
  thrownAs.set(failure, thrown);
  return failure;
}

/** What was thrown in this process for a failure: for tests, never for logs. Undefined for a failure that nothing was thrown for. */
export function thrownFor(failure: Failure): { readonly thrown: unknown } | undefined {
  return thrownAs.has(failure) ? { thrown: thrownAs.get(failure) } : undefined;
}

/** The failure for anything that was thrown. Never throws itself, because then the failed turn would never end. */
export function failureOf(error: unknown): Failure {
  return noted(describedFailure(error), error);
}

function describedFailure(error: unknown): Failure {
  if (error instanceof AgentError) return { code: error.code, message: error.message };
  try {
    const { name, message }: { name?: unknown; message?: unknown } = Object(error);
    const code = error instanceof Error && typeof name === 'string' ? name : 'Error';
    return { code, message: worded(message ?? error).slice(0, 500) };
  } catch {
    return { code: 'Error', message: 'Something was thrown that cannot be read.' };
  }
}

const builtInErrors: ReadonlySet<string> = new Set([
  ...[
    'Error',
    'TypeError',
    'RangeError',
    'SyntaxError',
    'ReferenceError',
    'AggregateError',
    'AbortError',
    'TimeoutError',
  ],
]);

/** The failure of work that had a sensitive answer: the message of an error may quote it. */
export function failureWithoutMessage(error: unknown): Failure {
  const { code } = describedFailure(error);
  const isKnown = code in errorCodes || builtInErrors.has(code);
  const failure = {
    code: isKnown ? code : 'Error', // an author's own code may quote the answer, too
    message:
      'The message is not kept, because the turn had a sensitive answer. Catch the error in your own code to see it.',
  };
  return noted(failure, error);
}

/** How many characters of a text are looked for: an error may cut off what it quotes, and a failure cuts off a long message. */
const quotedLength = 40;

/** The same failure, without a message that quotes the text from its beginning: a person may have written it. */
export function withoutQuote(failure: Failure, text: string): Failure {
  const start = text.slice(0, quotedLength);
  const isQuoted = [start, JSON.stringify(start).slice(1, -1)].some((each) => failure.message.includes(each));
  if (text === '' || !isQuoted) return failure;
  return { code: failure.code, message: 'The message is not logged, because it quotes the output.' };
}

/** Some libraries set a list of strings as the message of an error. */
const worded = (said: unknown): string => (Array.isArray(said) ? said.map(String).join(' ') : String(said));
