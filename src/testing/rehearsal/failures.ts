/**
 * The errors that turns of a rehearsal threw. They surface in the test that caused them, unless the test expects failures.
 */

import { type AgentErrorCode, thrownFor } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { AgentRegistry } from '../../registry/registry.js';

/** What becomes of an error that a turn threw. */
export type FailureMode = 'throw' | 'collect';

/** The failures of work whose process died. A test that crashes one expects them. */
const deathCodes: readonly string[] = ['crashed', 'may-have-happened'] satisfies AgentErrorCode[];

export class Failures {
  readonly #mode: FailureMode;
  #thrown: Error[] = [];

  constructor(mode: FailureMode) {
    this.#mode = mode;
  }

  /** Notes what turns of this registry throw. Work that is parked because its process died failed by no handler. */
  watch(registry: AgentRegistry): void {
    for (const event of ['failed', 'parked'] as const)
      registry.on(event, ({ failure }) => {
        const found = deathCodes.includes(failure.code) ? undefined : thrownFor(failure);
        if (found !== undefined) this.#thrown.push(asError(found.thrown));
      });
  }

  /** What was thrown since the last call. */
  take(): readonly Error[] {
    const thrown = this.#thrown;
    this.#thrown = [];
    return thrown;
  }

  /** Throws what was thrown since the last call; of a repeated error the first one, with its own stack. */
  surface(): void {
    if (this.#mode === 'collect') return;
    const thrown = this.take();
    const different = thrown.filter((error, i) => thrown.findIndex((other) => isSame(other, error)) === i);
    if (different.length > 1)
      throw new AggregateError(different, `Several turns failed: ${different.map(String).join('; ')}`);
    if (different[0] !== undefined) throw different[0];
  }
}

/** A turn that is tried again throws the same once more. */
function isSame(one: Error, other: Error): boolean {
  return one.name === other.name && one.message === other.message;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error(`A handler threw ${describe(thrown)}, which is no Error.`, { cause: thrown });
}
