/**
 * A tool that runs only after a person's approval. It runs the stored request, never what a client sent back.
 * approval.ts decides who may approve and what counts as approval.
 */
import { inputProblem } from '../../agent/tool-input.js';
import { checkOptions, expecting, func, type OptionRules, optional, string } from '../../core/check-options.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import type { AgentRegistry } from '../../registry/registry.js';
import type { AskPlace, ToolCall } from '../ask-place.js';
import { checkedCall } from '../ask-place.js';
import type { Interrupt } from '../interrupt.js';
import { checkedInterrupt, closedInterrupt } from '../interrupt.js';
import { notStorable } from '../model-texts.js';
import { registryGetter } from '../options.js';
import { SharedCalls } from '../shared-calls.js';
import { providerName } from '../tool-name.js';
import type { Action } from './action.js';
import { actionOf } from './action.js';
import type { ApprovalOptions, Approvals } from './approval.js';
import { Approving, approvalExample, approvalRules } from './approval.js';
import type { Grant } from './grants.js';

/** A tool of yours. After an approval it gets `effectKey`: pass it to your provider as the idempotency key. */
export interface GatedTool<I, R> {
  /** The name by which the model calls it. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** The arguments, as JSON Schema. */
  readonly inputSchema: Json;
  /** Does it, once it is approved. */
  execute(input: I, call: ToolCall): R | Promise<R>;
}

/** The options of `requireApproval()`. */
export interface RequireApprovalOptions<I> extends ApprovalOptions {
  /** The registry, or a function that returns it, for tools of an agent that belongs to it. */
  readonly registry: AgentRegistry | (() => AgentRegistry);
  /**
   * The name that approvals are bound to, even after a restart.
   *
   * @default the tool's
   */
  readonly name?: string;
  /** Returns false if this input needs no approval. Anything else, including an error, means that it does. */
  readonly when?: (input: I) => boolean | Promise<boolean>;
  /** The question to the person. Default: "Allow <name>?" The arguments are shown beside it. */
  readonly question?: string | ((input: I) => string);
}

/** A tool that runs only after a person has approved the call. */
export interface ApprovedTool<R> {
  /** The name by which the model calls it. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** The arguments, as JSON Schema. */
  readonly inputSchema: Json;
  /** The tool's own result, or a string that tells the model why it was not executed. */
  execute(input: unknown, call?: ToolCall): Promise<R | string>;
  /** Asks without waiting; undefined if no approval is needed: then call `execute`. */
  open(input: unknown, call?: ToolCall): Promise<Interrupt | undefined>;
  /** Executes what was approved under an interrupt, even after a restart. An undecided one is cancelled. */
  resume(interrupt: Interrupt, call?: ToolCall): Promise<R | string>;
  /** The grants of this tool that are valid now at this place. Default: where it asks, unless `where` is a function. */
  grants(place?: AskPlace): Promise<readonly Grant[]>;
  /** Revokes a grant by its id, for every process; false if there is none. */
  revoke(id: string): Promise<boolean>;
}

const rulesFor = <I>() =>
  ({
    ...approvalRules,
    registry: (value: unknown) => registryGetter(value, 'requireApproval()'),
    name: optional(string()),
    when: optional(func<(input: I) => boolean | Promise<boolean>>()),
    question: optional(
      expecting(
        'a string, or a function that gives it',
        (value) => typeof value === 'string' || typeof value === 'function',
      ),
    ),
  }) satisfies OptionRules<RequireApprovalOptions<I>>;

/**
 * Wraps a tool so that it needs a person's approval: deny, once, or for this session (this conversation, this tool,
 * exactly these arguments). It runs with the stored arguments and the ask's `effectKey`.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { requireApproval } from 'askback/tools';
 *
 * const refundTool = {
 *   name: 'refund',
 *   inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
 *   execute: ({ amount }: { amount: number }) => `Refunded ${amount} EUR.`,
 * };
 * const registry = new AgentRegistry();
 * const where = { channel: 'handle', conversationId: 'managers' };
 * const options = { registry, where, answerableBy: { roles: ['manager'] }, when: ({ amount }: { amount: number }) => amount > 100 };
 * const result = await requireApproval(refundTool, options).execute({ amount: 48 }, { callId: 'call_1' });
 */
export function requireApproval<I, R>(tool: GatedTool<I, R>, options: RequireApprovalOptions<I>): ApprovedTool<R> {
  const what = 'requireApproval()';
  if (typeof tool?.execute !== 'function')
    throw new AgentError('bad-option', `${what} needs a tool with execute(), got ${describe(tool)}.`);
  const checked = checkOptions(what, options, rulesFor<I>(), `{ registry, ${approvalExample.slice(2)}`);
  const { registry, name = tool.name, when, question, ...rest } = checked;
  providerName(name, `${what}: name`);
  const gate: Gate<I, R> = { tool, name, when, question, approvals: new Approving(registry, rest) };
  return new Gated(gate);
}

interface Gate<I, R> {
  readonly tool: GatedTool<I, R>;
  readonly name: string;
  readonly when: RequireApprovalOptions<I>['when'];
  readonly question: RequireApprovalOptions<I>['question'];
  readonly approvals: Approvals;
}

class Gated<I, R> implements ApprovedTool<R> {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Json;
  readonly #gate: Gate<I, R>;
  /** What runs now, by effect key: a repeat of the call gets its result. */
  readonly #executing = new SharedCalls<R>();

  constructor(gate: Gate<I, R>) {
    this.name = gate.tool.name;
    if (gate.tool.description !== undefined) this.description = gate.tool.description;
    this.inputSchema = gate.tool.inputSchema;
    this.#gate = gate;
  }

  async execute(input: unknown, given: ToolCall = {}): Promise<R | string> {
    const call = checkedCall(given, this.#gate.name);
    const action = await this.#action(input);
    if ('problem' in action) return notStorable(action.problem);
    if (!(await this.#needsApproval(action.input))) return this.#run(action.input, call);
    const approval = await this.#gate.approvals.request(this.#request(input, action.input), call);
    if (!approval.approved) return approval.text;
    const { input: approved, effectKey } = approval;
    return this.#executing.share(effectKey, call.signal, (signal) =>
      this.#run(approved, { ...call, signal }, effectKey),
    );
  }

  async open(input: unknown, given: ToolCall = {}): Promise<Interrupt | undefined> {
    const call = checkedCall(given, this.#gate.name);
    const action = await this.#action(input);
    if ('problem' in action) return closedInterrupt(this.#gate.name, call.callId, notStorable(action.problem));
    if (!(await this.#needsApproval(action.input))) return undefined;
    return this.#gate.approvals.open(this.#request(input, action.input), call);
  }

  async resume(interrupted: Interrupt, given: ToolCall = {}): Promise<R | string> {
    const { name, approvals } = this.#gate;
    const interrupt = checkedInterrupt(interrupted, `${name}: the interrupt`);
    const call = checkedCall(given, name);
    const approval = await approvals.resume(name, interrupt);
    if (!approval.approved) return approval.text;
    const { callId = call.callId } = interrupt;
    return this.#run(approval.input, { ...call, ...(callId === undefined ? {} : { callId }) }, approval.effectKey);
  }

  async grants(place?: AskPlace): Promise<readonly Grant[]> {
    const { approvals, name } = this.#gate;
    return (await approvals.grants(place)).filter(({ tool }) => tool === name);
  }

  revoke(id: string): Promise<boolean> {
    return this.#gate.approvals.revoke(id);
  }

  /** The action, or what is wrong with it: nobody is asked about arguments that do not fit, and nothing runs with them. */
  async #action(input: unknown): Promise<Action | { readonly problem: string }> {
    const { name, tool } = this.#gate;
    const action = actionOf(name, input);
    const problem = 'problem' in action ? undefined : await inputProblem(tool.inputSchema, action.input);
    return problem === undefined ? action : { problem };
  }

  async #needsApproval(input: Json): Promise<boolean> {
    try {
      return (await this.#gate.when?.(copied<I>(input))) !== false;
    } catch {
      return true; // if `when` fails, ask
    }
  }

  #request(live: unknown, input: Json) {
    const { name, question } = this.#gate;
    const words = typeof question === 'function' ? question(copied<I>(input)) : question;
    return { tool: name, input: live, ...(words === undefined ? {} : { question: words }) };
  }

  async #run(input: Json, call: ToolCall, effectKey?: string): Promise<R> {
    const more = effectKey === undefined ? {} : { effectKey };
    return this.#gate.tool.execute(copied<I>(input), { ...call, ...more });
  }
}

/** A copy, so that no function of the author can change what was approved. */
function copied<I>(input: Json): I {
  return structuredClone(input) as I; // the input that the model sent for the tool's schema
}
