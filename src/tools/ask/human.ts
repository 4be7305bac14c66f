/**
 * "Ask a human" as a tool for a model loop that is yours. It asks as everybody does, through the registry, and gives the
 * model text. It never throws for what a model sends, and never runs a loop or a model itself.
 */

import type { Outcome } from '../../core/ask/outcome.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import { folded } from '../../core/text.js';
import type { AgentRegistry } from '../../registry/registry.js';
import { answerWords } from '../answer-text.js';
import type { AskPlace, Attendance, ToolCall, Unattended, Where } from '../ask-place.js';
import { checkedAttendance, placeOf } from '../ask-place.js';
import type { Interrupt } from '../interrupt.js';
import { askedAndWaited, callContext, callKeyOf, endedAsk, openedAsk } from '../interrupt.js';
import { interrupted, nobodyThere, notAsked, unanswered } from '../model-texts.js';
import type { ToolAskOptions } from '../options.js';
import { askingOptions, checkedCount, checkedSpan } from '../options.js';
import type { HumanToolName } from '../tool-name.js';
import { providerName } from '../tool-name.js';
import type { HumanRequest, RequestLimits } from './request.js';
import { readRequest } from './request.js';
import { AskRun } from './run.js';
import { humanDescription, humanSchema } from './schema.js';

export interface AskHumanOptions extends ToolAskOptions {
  readonly where: Where;
  /** What happens where nobody is there to be asked. Default `'reject'`. */
  readonly unattended?: Unattended;
  /** Default `ask_human`. What providers do not take in a name, such as a dot, becomes `_`. */
  readonly name?: HumanToolName;
  readonly description?: string;
  /** How long `execute` waits, in ms. Default 600 000. Then the ask is cancelled. */
  readonly timeout?: number;
  /** In ms; after it an ask that nobody answered is over. Default for `execute`: a little after the timeout. */
  readonly expiresIn?: number;
  /** Default 4. */
  readonly mostChoices?: number;
  /** People may also answer in their own words where options are given; a text is the label for it. Default false. */
  readonly other?: boolean | string;
  /** So many different questions in one run; several in one call count as one. Default: no limit. */
  readonly limit?: number;
}

/** A tool as every provider knows it, with what a loop of your own needs around it. */
export interface HumanTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, as plain data. */
  readonly inputSchema: Json;
  /** Asks and waits. The text is the result for the model. Rejects only if it is aborted or the registry fails. */
  execute(input: unknown, call?: ToolCall): Promise<string>;
  /** Asks and does not wait. The same call again gives the same interrupt. */
  open(input: unknown, call?: ToolCall): Promise<Interrupt>;
  /** The result of an interrupted call. An ask that nobody has answered by now is cancelled. */
  resume(interrupt: Interrupt): Promise<string>;
  /** An outcome as text for the model. */
  result(outcome: Outcome<unknown>): string;
  /** The same tool for another run; interrupts of a run that goes on here count as asked. */
  run(earlier?: readonly Interrupt[]): HumanTool;
}

const own = ['where', 'unattended', 'name', 'description', 'timeout', 'expiresIn', 'mostChoices', 'other', 'limit'];
const what = 'askHuman()';

/**
 * A tool with which a model asks a person. The tool object is one run: the same question is asked once in it, and
 * `limit` counts in it. Make one per run, or keep one and call `run()` for each.
 *
 * @example
 * const human = askHuman(registry, { where: { channel: 'slack', to: 'C1' }, limit: 3 });
 * const result = await human.execute(call.input, { callId: call.id, signal }); // text for the model
 */
export function askHuman(registry: AgentRegistry, options: AskHumanOptions): HumanTool {
  const asking = askingOptions(options, own, what);
  const { other = false, limit, description = humanDescription } = options;
  if (typeof other !== 'boolean' && typeof other !== 'string')
    throw new AgentError('bad-option', `${what}: other must be true, false or a label.`);
  const checked: HumanToolConfig = {
    registry,
    asking,
    description,
    name: providerName(options.name ?? 'ask_human', what),
    attendance: checkedAttendance(options.where, options.unattended, what),
    timeout: checkedSpan(options.timeout ?? 600_000, `${what}: timeout`),
    expiry: options.expiresIn === undefined ? {} : { expiresIn: checkedSpan(options.expiresIn, `${what}: expiresIn`) },
    limit:
      limit === undefined ? Number.POSITIVE_INFINITY : checkedCount(limit, Number.MAX_SAFE_INTEGER, `${what}: limit`),
    reading: {
      mostChoices: checkedCount(options.mostChoices ?? 4, 100, `${what}: mostChoices`),
      other: other === false ? undefined : other,
    },
  };
  return new Asking(checked);
}

interface HumanToolConfig {
  readonly registry: AgentRegistry;
  readonly asking: ToolAskOptions;
  readonly name: string;
  readonly description: string;
  readonly attendance: Attendance;
  readonly timeout: number;
  readonly expiry: { readonly expiresIn?: number };
  readonly limit: number;
  readonly reading: RequestLimits;
}

/** A request that may be asked now, with everything that asking needs. */
interface Ready extends HumanRequest {
  readonly key: string;
  readonly place: AskPlace;
}

class Asking implements HumanTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Json;
  readonly #checked: HumanToolConfig;
  readonly #run: AskRun;

  constructor(checked: HumanToolConfig, earlier: readonly Interrupt[] = []) {
    this.name = checked.name;
    this.description = checked.description;
    this.inputSchema = humanSchema(checked.reading.mostChoices);
    this.#checked = checked;
    this.#run = new AskRun(checked.limit);
    for (const interrupt of earlier) this.#run.note(interrupt);
  }

  run(earlier: readonly Interrupt[] = []): HumanTool {
    return new Asking(this.#checked, earlier);
  }

  async execute(input: unknown, call: ToolCall = {}): Promise<string> {
    const ready = await this.#ready(input, call);
    if (typeof ready === 'string') return ready;
    const { registry, timeout } = this.#checked;
    const wait = definedFields({ timeout, signal: call.signal });
    return this.#counted(ready, async () => {
      const options = { ...this.#options(ready, call, { waits: true }), ...wait };
      const outcome = await askedAndWaited(registry, ready.question, options);
      const result = outcome === undefined ? unanswered('cancelled') : this.result(outcome);
      this.#run.end(ready.key, result);
      return result;
    });
  }

  open(input: unknown, call: ToolCall = {}): Promise<Interrupt> {
    return this.#run.opened(call.callId, () => this.#open(input, call));
  }

  async #open(input: unknown, call: ToolCall): Promise<Interrupt> {
    const { callId } = call;
    const about = { tool: this.name, ...definedFields({ callId }) };
    const ready = await this.#ready(input, call);
    if (typeof ready === 'string') return { kind: 'closed', ...about, text: ready };
    return this.#counted(ready, async () => {
      const { registry } = this.#checked;
      const { payload, key, place, question } = ready;
      const found = await openedAsk(registry, place, this.name, callId, (ask) => callKeyOf(ask) === key);
      const { id, conversationId } = found ?? (await registry.ask(question, this.#options(ready, call, { key })));
      return { kind: 'question', id, ...about, conversationId, payload, key };
    });
  }

  async resume(interrupt: Interrupt): Promise<string> {
    if (interrupt.kind === 'closed') return interrupt.text;
    this.#run.note(interrupt);
    const ask = await endedAsk(this.#checked.registry, this.name, interrupt);
    if (ask === null || ask.status === 'pending') return interrupted;
    const result = ask.status === 'answered' ? answerWords(ask.value, ask.kind) : unanswered(ask.status);
    this.#run.end(interrupt.key, result);
    return result;
  }

  result(outcome: Outcome<unknown>): string {
    return outcome.status === 'answered' ? answerWords(outcome.value, outcome.ask.kind) : unanswered(outcome.status);
  }

  /** What is to be asked, or the text that the model gets instead. */
  async #ready(input: unknown, call: ToolCall): Promise<Ready | string> {
    const request = readRequest(input, this.#checked.reading);
    if ('problem' in request) return notAsked(request.problem);
    const place = await placeOf(this.#checked.attendance, input, call);
    if (typeof place === 'string') return nobodyThere[place];
    // of another conversation it is another question
    const where = [place.channel, place.to ?? null, place.conversationId ?? null];
    const { text, data } = request.question; // with other details it is still the same
    const key = digest(canonical([where, folded(text), data]));
    return this.#run.begin(key) ?? { ...request, place, key };
  }

  async #counted<T>({ key }: Ready, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#run.forget(key);
      throw error;
    }
  }

  #options({ details, place }: Ready, { callId }: ToolCall, how: Parameters<typeof callContext>[2]) {
    const { asking, expiry } = this.#checked;
    const shown = { ...details, ...asking.details }; // the author's own word counts
    const context = { ...asking.context, call: callContext(this.name, callId, how) };
    return { ...asking, ...expiry, ...place, context, ...(Object.keys(shown).length > 0 ? { details: shown } : {}) };
  }
}
