/**
 * A loop of the AI SDK (npm install ai) in which the model can ask you, here in the terminal:
 *   npx tsx ai-sdk-with-a-human.ts   (from Node 22.18 on: node ai-sdk-with-a-human.ts)
 *   npm run build && npm run build:examples && node dist-examples/ai-sdk-with-a-human.js   (in a clone)
 * The loop is the SDK's, the model is yours, and no agent is needed: asking is one more tool. The model below is a script,
 * so that the example runs without a key and without a network. With a real one: model: openai('gpt-5-mini').
 */
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { AgentRegistry, TerminalChannel } from 'askback';
import { humanTool } from 'askback/tools/ai';

let there = true; // until the input ends; then nobody can be asked any more
const terminal = new TerminalChannel({
  onEnd: () => {
    there = false;
    void registry.cancel({ conversationId: 'terminal' });
  },
});
const registry = new AgentRegistry({ channels: [terminal] });
const asking = await humanTool(registry, {
  where: () => (there ? { channel: 'terminal' } : undefined), // undefined: the model is told that nobody is there
  timeout: 5 * 60_000, // then the model is told that nobody answered
  limit: 3, // so many questions in a run; a fourth is not put to you
});
const human = asking.run(); // for each run: the limit and the repeats are its own

const { text } = await generateText({
  model: scriptedModel(),
  tools: { ...human.tools }, // beside your own
  stopWhen: stepCountIs(5),
  prompt: 'Plan the release of version 2.',
});
console.log(`The model says: ${text}`);
await registry.stop();

/** Stands for your model. It asks twice, the first time with wrong arguments, as models do, and then sums up. */
function scriptedModel(): MockLanguageModelV3 {
  const steps = [
    { prompt: 'How shall we deploy?', options: [] },
    { prompt: 'How shall we deploy?', options: ['Blue-green', 'Canary', 'Not today'], details: { Version: '2.0.0' } },
  ];
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const input = steps.shift();
      const answer = prompt.at(-1)?.content;
      return {
        content: input
          ? [
              {
                type: 'tool-call',
                toolCallId: `call_${2 - steps.length}`,
                toolName: human.name,
                input: JSON.stringify(input),
              },
            ]
          : [{ type: 'text', text: `Noted: ${resultIn(answer)}` }],
        finishReason: input ? { unified: 'tool-calls', raw: undefined } : { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}

/** The text of the last tool result, as a model reads it. */
function resultIn(content: unknown): string {
  const [part] = content as { output?: { value?: unknown } }[];
  return String(part?.output?.value);
}
