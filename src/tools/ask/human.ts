/**
 * "Ask a human" as a tool for your own model loop. It asks through the registry like any other caller, and returns
 * strings for the model. It never throws for wrong arguments, and runs no loop and no model itself.
 */

import type { PendingAsk } from '../../core/ask/ask.js';
import type { Outcome } from '../../core/ask/outcome.js';
import {
  type CheckedOptions,
  checkOptions,
  milliseconds,
  type OptionRules,
  optional,
} from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { describe, digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { folded } from '../../core/text.js';
import { english } from '../../core/wording/english.js';
import { uses } from '../../registry/calls/single-use.js';
import type { AgentRegistry } from '../../registry/registry.js';
import { currentTurn } from '../../registry/turn/current-turn.js';
import type { Turn } from '../../registry/turn/turn.js';
import { askResult } from '../answer-text.js';
import type { AskPlace, AskPlaceOption, ToolCall, Unattended } from '../ask-place.js';
import { askerFor, checkedCall, placeOf, whereRule } from '../ask-place.js';
import type { Interrupt, OpenInterrupt } from '../interrupt.js';
import {
  askedAndWaited,
  callContext,
  callKeyOf,
  checkedInterrupt,
  closedInterrupt,
  endedAsk,
  openedInterrupt,
} from '../interrupt.js';
import { interrupted, nobodyThere, notAsked, unanswered } from '../model-texts.js';
import type { ToolAskOptions } from '../options.js';
import { askingRules, askOptionsOf, checkedRegistry, humanToolRules, timeoutRule } from '../options.js';
import { SharedCalls } from '../shared-calls.js';
import type { HumanToolName } from '../tool-name.js';
import type { HumanRequest } from './request.js';
import { readRequest } from './request.js';
import { AskRun } from './run.js';
import { humanSchema } from './schema.js';

/** The options of `askHuman()`. */
export interface AskHumanOptions extends ToolAskOptions {
  /** Where to ask: a place, `'here'`, or a function of the call. */
  readonly where: AskPlaceOption;
  /**
   * What happens if nobody can be asked.
   *
   * @default 'reject'
   */
  readonly unattended?: Unattended;
  /**
   * The name by which the model calls it. Characters that providers refuse, such as a dot, become `_`.
   *
   * @default 'ask_human'
   */
  readonly name?: HumanToolName;
  /** What the model is told of the tool. The default says when to ask. */
  readonly description?: string;
  /**
   * How long `execute` waits, in ms. Then the ask is cancelled.
   *
   * @default 600_000
   */
  readonly timeout?: number;
  /** In ms; then an unanswered ask expires. Default for `execute`: a little after the timeout. */
  readonly expiresIn?: number;
  /**
   * The most options of one question.
   *
   * @default 4
   */
  readonly mostChoices?: number;
  /**
   * True or a label: people may also give a free answer where there are options.
   *
   * @default false
   */
  readonly other?: boolean | string;
  /**
   * The most different questions in one run; several in one call count as one.
   *
   * @default no limit
   */
  readonly limit?: number;
}

/** A tool as providers know it, with what your own loop needs around it. */
export interface HumanTool {
  /** The name by which the model calls it. */
  readonly name: string;
  /** What the model is told of it. */
  readonly description: string;
  /** JSON Schema, as plain data. */
  readonly inputSchema: Json;
  /** Asks and waits. Resolves to the result for the model. Rejects only if it is aborted or the registry fails. */
  execute(input: unknown, call?: ToolCall): Promise<string>;
  /** Asks without waiting. The same call again returns the same interrupt. */
  open(input: unknown, call?: ToolCall): Promise<Interrupt>;
  /** The result of an interrupted call. An ask that nobody has answered by now is cancelled. */
  resume(interrupt: Interrupt): Promise<string>;
  /** An outcome as a string for the model. */
  result(outcome: Outcome<unknown>): string;
  /**
   * The tool for one run, such as one request: it asks the same question only once, and `limit` applies to it. The
   * interrupts of a continued run count as asked.
   */
  run(earlier?: readonly Interrupt[]): HumanTool;
}

const rules = {
  ...humanToolRules,
  where: whereRule,
  timeout: timeoutRule,
  expiresIn: optional(milliseconds()),
  ...askingRules,
} satisfies OptionRules<AskHumanOptions>;

/**
 * A tool with which a model asks a person. It remembers nothing, so it can serve all requests; `run()` gives the tool of
 * one run, which recognises repeats and counts up to `limit`. Inside a turn of an agent, the turn is the run.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { askHuman } from 'askback/tools';
 *
 * const registry = new AgentRegistry();
 * const asking = askHuman(registry, { where: { channel: 'handle', conversationId: 'web-anna' }, limit: 3 }); // once
 * const human = asking.run(); // for each request
 * const result = await human.execute({ question: 'Which size?' }, { callId: 'call_1' }); // text for the model
 */
export function askHuman(registry: AgentRegistry, options: AskHumanOptions): HumanTool {
  checkedRegistry(registry, 'askHuman()');
  return new Asking(registry, checkOptions('askHuman()', options, rules, "{ where: { channel: 'slack', to: 'C1' } }"));
}

/** A request that can be asked now. */
interface Ready extends HumanRequest {
  readonly key: string;
  readonly place: AskPlace;
  readonly asker: Participant | undefined;
}

class Asking implements HumanTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Json;
  readonly #registry: AgentRegistry;
  readonly #checked: CheckedOptions<typeof rules>;
  /** The run that this tool was made for; none for a tool that serves all. */
  readonly #own: AskRun | undefined;
  readonly #inTurns = new WeakMap<Turn, AskRun>();
  /** Calls that run now: the same call again must not ask twice. */
  readonly #executing = new SharedCalls<string>();
  readonly #opening = new SharedCalls<OpenInterrupt>();

  constructor(registry: AgentRegistry, checked: CheckedOptions<typeof rules>, own?: AskRun) {
    this.name = checked.name;
    this.description = checked.description;
    this.inputSchema = humanSchema(checked.mostChoices);
    this.#registry = registry;
    this.#checked = checked;
    this.#own = own;
  }

  run(earlier: readonly Interrupt[] = []): HumanTool {
    const run = this.#newRun();
    if (!Array.isArray(earlier))
      throw new AgentError(
        'bad-option',
        `${this.name}: run() must be given a list of interrupts, got ${describe(earlier)}.`,
      );
    for (const [i, interrupt] of earlier.entries()) run.note(checkedInterrupt(interrupt, `${this.name}: run()[${i}]`));
    return new Asking(this.#registry, this.#checked, run);
  }

  async execute(input: unknown, given: ToolCall = {}): Promise<string> {
    const call = checkedCall(given, this.name);
    const run = this.#limitedRun();
    const ready = await this.#ready(input, call);
    if (typeof ready === 'string') return ready;
    return this.#executing.share(sharedKey(ready, call), call.signal, (signal) =>
      this.#execute(ready, { ...call, signal }, run),
    );
  }

  async #execute(ready: Ready, call: ToolCall, run: AskRun): Promise<string> {
    const refused = run.begin(ready.key);
    if (refused !== undefined) return refused;
    const wait = definedFields({ timeout: this.#checked.timeout, signal: call.signal });
    return counted(ready, run, async () => {
      const options = { ...this.#options(ready, call, { waits: true }), ...wait };
      const outcome = await askedAndWaited(this.#registry, ready.question, options, []);
      const result = outcome === undefined ? unanswered('cancelled') : this.result(outcome);
      run.end(ready.key, result);
      return result;
    });
  }

  async open(input: unknown, given: ToolCall = {}): Promise<Interrupt> {
    const call = checkedCall(given, this.name);
    const run = this.#limitedRun();
    return run.opened(call.callId, () => this.#open(input, call, run));
  }

  async #open(input: unknown, call: ToolCall, run: AskRun): Promise<Interrupt> {
    const ready = await this.#ready(input, call);
    if (typeof ready === 'string') return closedInterrupt(this.name, call.callId, ready);
    const refused = run.begin(ready.key);
    if (refused !== undefined) return closedInterrupt(this.name, call.callId, refused);
    return counted(ready, run, () =>
      this.#opening.share(sharedKey(ready, call), undefined, () => this.#opened(ready, call)),
    );
  }

  #opened(ready: Ready, { callId }: ToolCall): Promise<OpenInterrupt> {
    const { payload, key, question } = ready;
    const options = this.#options(ready, { callId }, { key });
    const isSame = (ask: PendingAsk<unknown>) => callKeyOf(ask) === key;
    const call = { kind: 'question', tool: this.name, callId, question, options, payload, key, isSame } as const;
    return openedInterrupt(this.#registry, call);
  }

  async resume(given: Interrupt): Promise<string> {
    const interrupt = checkedInterrupt(given, `${this.name}: the interrupt`);
    if (interrupt.kind === 'closed') return interrupt.text;
    const run = this.#run();
    run.note(interrupt);
    const ask = await endedAsk(this.#registry, this.name, interrupt);
    if (ask === null || ask.status === 'pending') return interrupted;
    const result = askResult(ask);
    run.end(interrupt.key, result);
    return result;
  }

  result({ ask }: Outcome<unknown>): string {
    return askResult(ask);
  }

  #newRun(): AskRun {
    return new AskRun(this.#checked.limit ?? Number.POSITIVE_INFINITY);
  }

  /** The run of this call: the tool's own, the current turn's, or one that is only this call. */
  #run(): AskRun {
    if (this.#own !== undefined) return this.#own;
    const turn = currentTurn();
    const run = (turn && this.#inTurns.get(turn)) ?? this.#newRun();
    if (turn !== undefined) this.#inTurns.set(turn, run);
    return run;
  }

  /** The run of a call that asks. Outside of a run a limit would never be reached. */
  #limitedRun(): AskRun {
    if (this.#own !== undefined || this.#checked.limit === undefined || currentTurn() !== undefined) return this.#run();
    throw new AgentError(
      'bad-option',
      `The tool ${this.name} has a limit, which is for one run, and was called outside of one. Call run() for each run and use the tool that it gives.`,
    );
  }

  /** The request, or the string that the model gets instead. */
  async #ready(input: unknown, call: ToolCall): Promise<Ready | string> {
    const checked = this.#checked;
    const unworded = readRequest(input, { ...checked, wording: english.wording });
    if ('problem' in unworded) return notAsked(unworded.problem);
    const place = await placeOf(checked, input, call);
    if (typeof place === 'string') return nobodyThere[place];
    const request = readRequest(input, { ...checked, wording: this.#registry[uses].wordingAt(place) });
    if ('problem' in request) return notAsked(request.problem);
    // in another conversation, or for another asker, it is another question
    const where = [place.channel, place.to ?? null, place.conversationId ?? null];
    const { text, data } = request.question; // details do not make it another question
    const asker = askerFor(checked.asker, input, call);
    const whose = asker === undefined ? [] : [[asker.id, asker.tenant ?? null]];
    const key = digest(canonical([where, folded(text), data, ...whose]));
    return { ...request, place, asker, key };
  }

  #options({ details, place, asker }: Ready, { callId }: ToolCall, how: Parameters<typeof callContext>[2]) {
    const { expiresIn } = this.#checked;
    const asking = askOptionsOf(this.#checked);
    const shown = { ...details, ...asking.details }; // the author's details win
    const context = { ...asking.context, call: callContext(this.name, callId, how) };
    const told = Object.keys(shown).length > 0 ? { details: shown } : {};
    return { ...asking, ...place, context, ...told, ...definedFields({ asker, expiresIn }) };
  }
}

/** The same id with the same question, in the same turn, is the same call. Undefined: a call without an id has no repeat. */
function sharedKey({ key }: Ready, { callId }: ToolCall): string | undefined {
  return callId === undefined ? undefined : digest(key, callId, currentTurn()?.id ?? '');
}

/** The work of a question that counts in its run, unless it fails. */
async function counted<T>({ key }: Ready, run: AskRun, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    run.forget(key);
    throw error;
  }
}
