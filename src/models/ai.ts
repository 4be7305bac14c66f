/**
 * The AI SDK as a model: one request becomes one generateText().
 * Tools are only described, never run here, and no answer is judged here.
 */
import type { LanguageModel, ModelMessage as SdkMessage, ToolSet } from 'ai';
import type { Model, ModelMessage, ModelTool } from '../core/agent.js';
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';

export interface AiModelOptions {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  /** How often the SDK repeats a failed call by itself. Its default is 2. */
  readonly maxRetries?: number;
}

const known = ['temperature', 'maxOutputTokens', 'maxRetries'] as const;

/**
 * Adapts a language model of the AI SDK (`ai`, versions 5 to 7) to the `Model` of an agent or a registry.
 * What the SDK throws, an aborted call included, is passed on as it is.
 *
 * @example
 * import { openai } from '@ai-sdk/openai';
 * const registry = new AgentRegistry({ agents, model: aiModel(openai('gpt-5-mini'), { temperature: 0 }) });
 */
export function aiModel(model: LanguageModel, options: AiModelOptions = {}): Model {
  if (typeof model !== 'string' && (typeof model !== 'object' || model === null)) {
    throw new AgentError(
      'bad-option',
      `aiModel(): model must be a language model of the AI SDK or its id, got ${describe(model)}.`,
    );
  }
  const settings = checkedOptions(options);
  return async ({ system, messages, tools, signal }) => {
    const sdk = await loadedSdk();
    const { text, toolCalls } = await sdk.generateText({
      model,
      ...settings,
      ...(system === undefined ? {} : { system }),
      messages: messages.map(sdkMessage),
      ...(tools === undefined || tools.length === 0 ? {} : { tools: described(tools, sdk) }),
      abortSignal: signal,
    });
    // what a provider has run itself is part of its text and not for us to run
    const calls = toolCalls
      .filter((call) => call.providerExecuted !== true)
      .map((call) => ({ id: call.toolCallId, name: call.toolName, input: (call.input ?? null) as Json }));
    return { ...(text === '' ? {} : { text }), ...(calls.length === 0 ? {} : { calls }) };
  };
}

/** Calls and results as the SDK has them: parts of a message. */
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

async function loadedSdk(): Promise<ModelSdk> {
  try {
    return await import('ai');
  } catch (cause) {
    const message = 'aiModel() needs the package ai, which could not be loaded. Install it:\n  npm install ai';
    throw new AgentError('missing-package', message, { cause });
  }
}

/** Without execute, so that the SDK hands the calls back instead of running them. */
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

function checkedOptions(options: AiModelOptions): AiModelOptions {
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name as keyof AiModelOptions)) {
      throw new AgentError('bad-option', `aiModel(): the option ${name} is unknown. Known are ${known.join(', ')}.`);
    }
    if (value !== undefined && !(typeof value === 'number' && Number.isFinite(value) && value >= 0)) {
      throw new AgentError('bad-option', `aiModel(): ${name} must be a number of at least 0, got ${describe(value)}.`);
    }
  }
  return options;
}
