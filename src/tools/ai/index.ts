/**
 * askback/tools/ai: asking a person from a loop of the AI SDK, blocking or interrupting. The loop stays yours: no
 * model is called here, and the SDK is loaded only when a tool is made.
 */
import type { ModelMessage, Tool } from 'ai';
import { assertObject, boolean, optional } from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { imported } from '../../core/optional-package.js';
import { ai } from '../../models/packages.js';
import type { AgentRegistry } from '../../registry/registry.js';
import type { AskHumanOptions, HumanTool } from '../ask/human.js';
import { askHuman } from '../ask/human.js';
import type { Interrupt } from '../interrupt.js';
import { interrupted } from '../model-texts.js';
import { checkedRegistry } from '../options.js';
import type { MessageSource, PendingCall } from './messages.js';
import { messagesOf, pendingCalls, withResults } from './messages.js';

export type { Interrupt } from '../interrupt.js';
export type { MessageSource, PendingCall } from './messages.js';

/** The options of `humanTool()`. */
export interface HumanToolOptions extends AskHumanOptions {
  /**
   * True: the tool has no `execute`, so the SDK stops at its call and nobody waits.
   *
   * @default false
   */
  readonly interrupt?: boolean;
}

/** A tool of the AI SDK that asks a person. */
export interface AiHumanTool {
  /** The name by which the model calls it. */
  readonly name: string;
  /** The tool under its name, for the `tools` of generateText() or streamText(). */
  readonly tools: Readonly<Record<string, Tool<unknown, string>>>;
  /** The calls of this tool that have no result yet. */
  pending(source: MessageSource): readonly PendingCall[];
  /** Asks a person about every pending call, under the model's call id. Store the result beside your messages. */
  open(source: MessageSource): Promise<readonly Interrupt[]>;
  /**
   * The messages to continue with: every call of this tool has exactly one result. A call without an answer gets a
   * neutral result, and its ask is cancelled. Calls of other tools are yours.
   */
  resume(messages: readonly ModelMessage[], asks: readonly Interrupt[]): Promise<ModelMessage[]>;
  /** The same tool for another run. The interrupts of a continued run count as asked. */
  run(earlier?: readonly Interrupt[]): AiHumanTool;
}

/**
 * A tool of the AI SDK (`ai`, versions 5 to 7) with which a model asks a person. With `interrupt: true` the SDK stops
 * at the call: `open` asks, and days later, in any process, `resume` returns the messages to continue with.
 *
 * The tool remembers nothing, so one serves all requests; `run()` gives the tool of one run, to which `limit` applies.
 *
 * @example
 * import { generateText, type LanguageModel, stepCountIs } from 'ai';
 * import { AgentRegistry } from 'askback';
 * import { humanTool } from 'askback/tools/ai';
 *
 * const where = { channel: 'handle', conversationId: 'web-anna' };
 * const asking = await humanTool(new AgentRegistry(), { where, limit: 3 }); // once
 * export const answer = (model: LanguageModel, prompt: string) =>
 *   generateText({ model, tools: { ...asking.run().tools }, stopWhen: stepCountIs(5), prompt }); // for each request
 * @example
 * import { generateText, type LanguageModel, type ModelMessage } from 'ai';
 * import { AgentRegistry } from 'askback';
 * import { humanTool, type Interrupt } from 'askback/tools/ai';
 *
 * const where = { channel: 'handle', conversationId: 'web-anna' };
 * const human = await humanTool(new AgentRegistry(), { where, interrupt: true });
 * export async function begin(model: LanguageModel, messages: ModelMessage[]) {
 *   const result = await generateText({ model, tools: { ...human.tools }, messages });
 *   const said = result.response.messages; // since version 7: result.responseMessages
 *   return { messages: [...messages, ...said], asks: await human.open(result) }; // store both
 * }
 * export async function goOn(model: LanguageModel, messages: ModelMessage[], asks: readonly Interrupt[]) {
 *   return generateText({ model, tools: { ...human.tools }, messages: await human.resume(messages, asks) });
 * }
 */
export async function humanTool(registry: AgentRegistry, options: HumanToolOptions): Promise<AiHumanTool> {
  checkedRegistry(registry, 'humanTool()');
  const example = "an object such as { where: { channel: 'slack', to: 'C1' } }";
  const { interrupt: given, ...rest } = assertObject(options, 'humanTool(): the options', example);
  const interrupt = optional(boolean(), false)(given, 'humanTool(): interrupt');
  const human = askHuman(registry, rest);
  return new AiHuman(human, await imported(ai, () => import('ai'), 'humanTool()'), interrupt);
}

type ToolSdk = typeof import('ai');

class AiHuman implements AiHumanTool {
  readonly name: string;
  readonly tools: AiHumanTool['tools'];
  readonly #human: HumanTool;
  readonly #sdk: ToolSdk;
  readonly #interrupt: boolean;

  constructor(human: HumanTool, sdk: ToolSdk, interrupt: boolean) {
    this.name = human.name;
    this.#human = human;
    this.#sdk = sdk;
    this.#interrupt = interrupt;
    this.tools = { [human.name]: sdkTool(human, sdk, interrupt) };
  }

  run(earlier: readonly Interrupt[] = []): AiHumanTool {
    return new AiHuman(this.#human.run(earlier), this.#sdk, this.#interrupt);
  }

  pending(source: MessageSource): readonly PendingCall[] {
    return pendingCalls(messagesOf(source), this.name);
  }

  async open(source: MessageSource): Promise<readonly Interrupt[]> {
    const opened: Interrupt[] = [];
    // in sequence, so that people see them in the order of the calls
    for (const { callId, input } of this.pending(source)) opened.push(await this.#human.open(input, { callId }));
    return opened;
  }

  async resume(messages: readonly ModelMessage[], asks: readonly Interrupt[]): Promise<ModelMessage[]> {
    const results = new Map<string, string>();
    for (const { callId } of this.pending(messages)) {
      const ask = asks.find((each) => each.callId === callId && each.tool === this.name);
      results.set(callId, ask === undefined ? interrupted : await this.#human.resume(ask));
    }
    return withResults(messages, this.name, results);
  }
}

function sdkTool(human: HumanTool, { tool, jsonSchema }: ToolSdk, interrupt: boolean): Tool<unknown, string> {
  const { description, inputSchema } = human;
  // without the SDK's validation: wrong arguments get our own message, which says what to correct
  const schema = jsonSchema<unknown>(inputSchema as Parameters<typeof jsonSchema>[0]);
  if (interrupt)
    return tool({ description, inputSchema: schema, outputSchema: jsonSchema<string>({ type: 'string' }) });
  return tool({
    description,
    inputSchema: schema,
    execute: (input, { toolCallId, abortSignal }) =>
      human.execute(input, { callId: toolCallId, ...definedFields({ signal: abortSignal }) }),
  });
}
