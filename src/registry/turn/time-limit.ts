/**
 * The time a turn may take, and the other reasons to stop it. What a stopped turn still does counts for nothing.
 */
import { AgentError } from '../../core/errors.js';
import type { Deadline } from '../../machine/deadlines.js';
import type { RegistryContext } from '../context.js';
import { StopSignal } from '../lease/stop-signal.js';
import type { Turn } from './turn.js';

/**
 * The result of the work. Rejects as soon as its time is over, its lease is lost, or this process wants to stop, whether or
 * not the work listens to the signal.
 */
export function withTimeLimit<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
  const { context, lease } = turn;
  const limit = new TimeLimit(context);
  turn.stop = limit;
  return new Promise((resolve, reject) => {
    const end = (): void => {
      limit.end();
      lease.ended(limit);
    };
    const fail = (reason: unknown): void => {
      end();
      reject(reason);
    };
    limit.onStop = fail;
    lease.began(limit); // stops it at once where there was a reason before
    if (limit.isStopped) return;
    work().then((result) => {
      end();
      resolve(result);
    }, fail);
  });
}

class TimeLimit extends StopSignal {
  readonly #context: RegistryContext;
  /** One timer for all turns, until this one waits for a person for the first time. */
  readonly #deadline: Deadline;
  /** A turn may wait for several people at once. */
  #waits = 0;
  #left: number;
  #since: number;
  #cancelTimer: (() => void) | undefined;
  #isOver = false;
  onStop: (reason: AgentError) => void = () => {};

  constructor(context: RegistryContext) {
    super();
    this.#context = context;
    this.#left = context.settings.turnLimit;
    this.#deadline = context.turnLimits.set(() => this.#late());
    this.#since = this.#deadline.at - this.#left;
  }

  /** The turn is over, and nothing it left running is timed any more. */
  end(): void {
    this.#isOver = true;
    this.#callOff();
  }

  override waits(waiting: boolean): void {
    const now = this.#context.clock.elapsed();
    this.#waits += waiting ? 1 : -1;
    if (this.#isOver || this.#waits !== (waiting ? 1 : 0)) return;
    if (waiting) {
      this.#callOff();
      this.#left -= now - this.#since;
    } else {
      this.#since = now;
      this.#cancelTimer = this.#context.clock.after(Math.max(1, this.#left), () => this.#late());
    }
  }

  override get isWaiting(): boolean {
    return this.#waits > 0;
  }

  protected override told(reason: AgentError): void {
    this.onStop(reason);
  }

  #callOff(): void {
    this.#deadline.cancel();
    this.#cancelTimer?.();
  }

  #late(): void {
    const { turnLimit } = this.#context.settings;
    this.because(
      new AgentError(
        'turn-limit',
        `The turn ran longer than ${turnLimit} ms (settings.turnLimit) and was stopped. Pass input.signal on to what you await.`,
      ),
    );
  }
}
