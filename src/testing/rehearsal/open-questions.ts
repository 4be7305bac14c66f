/**
 * The open questions of a rehearsal, and waiting for the next one. Waits in real time, because what asks may be code of the
 * test that is not done; the rehearsal's own clock does not move.
 */

import type { PendingAsk } from '../../core/ask/ask.js';
import { type CheckedOptions, milliseconds, type OptionRules, optional } from '../../core/check-options.js';
import { keepAlive, systemClock } from '../../machine/clock.js';
import { rehearsalChannel } from './process.js';
import type { RehearsalRecord } from './record.js';

/** How long a rehearsal waits for a question. */
export interface WaitForAsk {
  /** How long to wait for a question, in ms of real time. @default 1000 */
  readonly timeout?: number;
}

export const waitRules = { timeout: optional(milliseconds(), 1_000) } satisfies OptionRules<WaitForAsk>;

interface QuestionsParts {
  readonly record: RehearsalRecord;
  readonly asks: () => Promise<readonly PendingAsk<unknown>[]>;
  readonly settled: () => Promise<void>;
}

export class OpenQuestions {
  readonly #record: RehearsalRecord;
  readonly #asks: QuestionsParts['asks'];
  readonly #settled: QuestionsParts['settled'];
  /** Where the record was when a question was last found. */
  #position = 0;

  constructor({ record, asks, settled }: QuestionsParts) {
    this.#record = record;
    this.#asks = asks;
    this.#settled = settled;
  }

  /** The oldest open question that `fits`. Rejects if none comes in time, and says what happened instead. */
  async next(
    what: string,
    { timeout }: CheckedOptions<typeof waitRules>,
    fits: (ask: PendingAsk<unknown>) => boolean,
  ): Promise<PendingAsk<unknown>> {
    const letGo = keepAlive();
    let isOver = false;
    const cancel = systemClock.after(timeout, () => {
      isOver = true;
      this.#record.changed.notify();
    });
    try {
      for (;;) {
        const changed = this.#record.changed.next();
        await this.#settled();
        const found = (await this.#asks()).find((ask) => this.#isShown(ask) && fits(ask));
        if (found !== undefined) {
          this.#position = this.#record.length;
          return found;
        }
        if (isOver) throw new Error(`${what} found no question within ${timeout} ms. ${this.#instead()}`);
        await changed;
      }
    } finally {
      cancel();
      letGo();
    }
  }

  /** A question that waits behind another one of its conversation is not put to anybody yet. Other channels show when they like. */
  #isShown({ id, channelName, conversationId }: PendingAsk<unknown>): boolean {
    if (channelName !== rehearsalChannel) return true;
    return this.#record.shownSince(0, conversationId).some((message) => message.ask?.id === id);
  }

  #instead(): string {
    const lines = this.#record.lines(this.#position);
    return lines.length === 0
      ? 'Nothing else happened since the last question.'
      : `What happened since the last question:\n${lines.join('\n')}`;
  }
}
