/**
 * The port of a turn that waits for an answer in its own conversation. Types only.
 */

import type { AnswerType } from '../../core/ask/answer-type.js';
import type { Outcome } from '../../core/ask/outcome.js';
import type { NewAsk } from './new-ask.js';
import type { Handlers } from './question-handlers.js';
import type { CheckedWait } from './wait-options.js';

/** How the replies to an ask that a turn waits for are read. */
export interface WaitHow {
  readonly type: AnswerType<unknown>;
  readonly judge: (question: string, reply: string) => Promise<boolean>;
  readonly check?: Handlers<unknown>['check'];
}

/** Waiting for answers inside a turn. */
export interface InTurn {
  wait<T>(request: NewAsk, wait: CheckedWait, how: WaitHow): Promise<Outcome<T>>;
}
