/** The AI SDK's own mock model with a script: what it says or calls, step by step, and what it was shown. */
import { MockLanguageModelV3 } from 'ai/test';

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;
type Call = Extract<Generated['content'][number], { type: 'tool-call' }>;

const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export const called = (toolCallId: string, toolName: string, input: object): Call => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

/** One step each: a text, or calls. A step more than there are is an error. */
function scripted(...steps: (string | readonly Call[])[]): MockLanguageModelV3 {
  const left = [...steps];
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const step = left.shift();
      if (step === undefined) throw new Error('The scripted model has nothing more to say.');
      const calls = typeof step !== 'string';
      const reason = calls ? 'tool-calls' : 'stop';
      const said: Generated['content'] = calls ? [...step] : [{ type: 'text', text: step }];
      return { content: said, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
    },
  });
}

export const saying = Object.assign(scripted, { usage });

/** What the model was shown last. */
export function lastPrompt(model: MockLanguageModelV3) {
  const call = model.doGenerateCalls.at(-1);
  if (call === undefined) throw new Error('The model was never called.');
  return call.prompt;
}

/** The tool results in messages of a prompt. */
export function content(messages: ReturnType<typeof lastPrompt>) {
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return [];
    return message.content.flatMap((part) => (part.type === 'tool-result' ? [part] : []));
  });
}
