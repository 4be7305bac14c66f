/**
 * Adapts the AI SDK to `Model`: one request becomes one generateText(). Tools are only described to the SDK, never
 * run here, and answers are not judged here.
 */
import type { LanguageModel, ModelMessage as SdkMessage, ToolSet } from 'ai';
import type { Model, ModelCall, ModelMessage, ModelTool } from '../core/agent.js';
import { checkOptions, expecting, type OptionRules, optional, wrongOption } from '../core/check-options.js';
import { AgentError, failureOf } from '../core/errors.js';
import type { Json } from '../core/json.js';
import { imported } from '../core/optional-package.js';
import { ai } from './packages.js';

/** The options of `aiModel()`. */
export interface AiModelOptions {
  /** How much the replies vary; the provider's default. */
  readonly temperature?: number;
  /** The most tokens of a reply; the provider's default. */
  readonly maxOutputTokens?: number;
  /**
   * How often the SDK retries a failed call.
   *
   * @default 2, the SDK's own
   */
  readonly maxRetries?: number;
}

const amount = expecting<number>(
  'a number of at least 0',
  (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
);
const rules = {
  temperature: optional(amount),
  maxOutputTokens: optional(amount),
  maxRetries: optional(amount),
} satisfies OptionRules<AiModelOptions>;

/**
 * Adapts a language model of the AI SDK (`ai`, versions 5 to 7) to the `Model` of an agent or a registry. A request that
 * the provider will always refuse is an AgentError `model-refused`, so its turn is parked at once. Other errors of the
 * SDK, including aborts, are passed on unchanged.
 *
 * @example
 * import type { LanguageModel } from 'ai'; // such as openai('gpt-5-mini') of @ai-sdk/openai
 * import { AgentRegistry } from 'askback';
 * import { aiModel } from 'askback/models/ai';
 *
 * export const registryWith = (model: LanguageModel) => new AgentRegistry({ model: aiModel(model, { temperature: 0 }) });
 */
export function aiModel(model: LanguageModel, options: AiModelOptions = {}): Model {
  if (typeof model !== 'string' && (typeof model !== 'object' || model === null))
    throw wrongOption('aiModel(): model', 'a language model of the AI SDK or its id', model);
  const settings = checkOptions('aiModel()', options, rules, '{ temperature: 0 }');
  return async ({ system, messages, tools, signal }) => {
    const sdk = await imported(ai, () => import('ai'));
    const request = {
      model,
      ...settings,
      ...(system === undefined ? {} : { system }),
      messages: messages.map(sdkMessage),
      ...(tools === undefined || tools.length === 0 ? {} : { tools: described(tools, sdk) }),
      abortSignal: signal,
    };
    const { text, toolCalls } = await sdk.generateText(request).catch((error: unknown) => {
      throw permanentFailure(error, sdk) ?? error;
    });
    // calls that the provider executed itself are part of its text, and not ours to run
    const calls = toolCalls
      .filter((call) => call.providerExecuted !== true)
      .map((call): ModelCall => {
        const about = { id: call.toolCallId, name: call.toolName };
        if (call.invalid !== true) return { ...about, input: (call.input ?? null) as Json };
        const isRecord = typeof call.input === 'object' && call.input !== null;
        return { ...about, input: isRecord ? (call.input as Json) : {}, problem: failureOf(call.error).message };
      });
    return { ...(text === '' ? {} : { text }), ...(calls.length === 0 ? {} : { calls }) };
  };
}

/**
 * The error for a request that fails however often it is tried: a wrong key, an unknown model, a context that is too long.
 * Undefined for what may pass: a limit of requests, an overloaded or unreachable provider.
 */
function permanentFailure(error: unknown, sdk: ModelSdk): AgentError | undefined {
  const last = sdk.RetryError.isInstance(error) ? error.lastError : error;
  const isPermanent =
    (sdk.APICallError.isInstance(last) && !last.isRetryable && isRefusal(last.statusCode)) ||
    sdk.LoadAPIKeyError.isInstance(last) ||
    sdk.NoSuchModelError.isInstance(last);
  if (!isPermanent) return undefined;
  const status = sdk.APICallError.isInstance(last) ? ` (status ${last.statusCode})` : '';
  const message = `The model refused the request${status}: ${failureOf(last).message} Correct it, then retry the parked work.`;
  return new AgentError('model-refused', message, { cause: error });
}

/** 408, 409 and 429 may pass; the other statuses of the 400s say that the request itself is wrong. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
}

/** Tool calls and results as message parts of the SDK. */
function sdkMessage(message: ModelMessage): SdkMessage {
  if (message.role === 'tool') {
    const { callId: toolCallId, name: toolName, content: value } = message;
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }],
    };
  }
  const { role, content } = message;
  if (role === 'user' || message.calls === undefined) return { role, content };
  const calls = message.calls.map(({ id, name, input }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input,
  }));
  return { role, content: content === '' ? calls : [{ type: 'text', text: content }, ...calls] };
}

type ModelSdk = typeof import('ai');

/** Tools without `execute`, so that the SDK returns the calls instead of running them. */
function described(tools: readonly ModelTool[], { tool, jsonSchema }: ModelSdk): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({
        ...(description === undefined ? {} : { description }),
        inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
      }),
    ]),
  );
}
