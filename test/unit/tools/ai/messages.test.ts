/** Which calls in the AI SDK's messages are without a result, and where the results go. */
import type { ModelMessage } from 'ai';
import { expect, test } from 'vitest';
import { pendingCalls, withResults } from '../../../../src/tools/ai/messages.js';

const call = (toolCallId: string, toolName = 'ask_human') =>
  ({ type: 'tool-call', toolCallId, toolName, input: {} }) as const;
const result = (toolCallId: string, value: string) =>
  ({ type: 'tool-result', toolCallId, toolName: 'ask_human', output: { type: 'text', value } }) as const;

test("other tools' calls, calls with a result, and what a provider runs itself are not ours to answer", () => {
  const messages: ModelMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'assistant', content: 'ask_human' },
    {
      role: 'assistant',
      content: [call('a'), call('b', 'search'), { ...call('c'), providerExecuted: true }, call('d')],
    },
    { role: 'tool', content: [result('a', 'yes')] },
  ];
  expect(pendingCalls(messages, 'ask_human')).toEqual([{ callId: 'd', input: {} }]);
  expect(withResults(messages, 'ask_human', new Map([['d', 'no']])).at(-1)).toEqual({
    role: 'tool',
    content: [result('a', 'yes'), result('d', 'no')],
  });
});

test('each result stands behind its own call, in the order of the calls', () => {
  const messages: ModelMessage[] = [
    { role: 'assistant', content: [call('a'), call('b')] },
    { role: 'user', content: 'Hello?' },
    { role: 'assistant', content: [call('c')] },
  ];
  const results = new Map([
    ['c', '3'],
    ['b', '2'],
    ['a', '1'],
  ]);
  expect(withResults(messages, 'ask_human', results)).toEqual([
    messages[0],
    { role: 'tool', content: [result('a', '1'), result('b', '2')] },
    messages[1],
    messages[2],
    { role: 'tool', content: [result('c', '3')] },
  ]);
});
