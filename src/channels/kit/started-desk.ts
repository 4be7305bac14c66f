/**
 * The desk of a started channel: one desk at a time, with the methods that the channel needs, and an error for what comes while there is
 * none. It calls nothing on the desk.
 */
import { AgentError } from '../../core/errors.js';
import { assertSameDesk } from '../one-registry.js';
import type { Desk } from '../port.js';

/** A desk that has these methods, as the desk of a registry has. */
type DeskWith<Needs extends keyof Desk> = Desk & Required<Pick<Desk, Needs>>;

export class StartedDesk<Needs extends keyof Desk = 'receive'> {
  readonly #type: string;
  readonly #name: string;
  readonly #needs: readonly Needs[];
  #desk: DeskWith<Needs> | undefined;

  /** `type` is the class of the channel and `name` its name, for errors. */
  constructor(type: string, name: string, needs: readonly Needs[] = []) {
    [this.#type, this.#name, this.#needs] = [type, name, needs];
  }

  /** Throws if the channel is started with another desk: what comes in goes to one registry. */
  assertFree(desk: Desk): void {
    assertSameDesk(this.#desk, desk, this.#type, this.#name);
  }

  /** Keeps the desk from now on. Throws if the channel is started with another one, or if the desk lacks a method. */
  begin(desk: Desk): void {
    this.assertFree(desk);
    const missing = this.#needs.find((method) => desk[method] === undefined);
    if (missing !== undefined)
      throw new AgentError(
        'bad-option',
        `${this.#type}: its desk must have ${missing}(), which the one of a registry has.`,
      );
    this.#desk = desk as DeskWith<Needs>;
  }

  end(): void {
    this.#desk = undefined;
  }

  /** The desk, or undefined while the channel is not started. */
  get known(): Desk | undefined {
    return this.#desk;
  }

  /** The desk. Throws `stopped` while the channel is not started: the platform sends it again later. */
  get current(): DeskWith<Needs> {
    if (this.#desk !== undefined) return this.#desk;
    throw new AgentError(
      'stopped',
      'The channel is not started, or it was stopped. It takes requests after await registry.start(): send it again later.',
    );
  }
}
