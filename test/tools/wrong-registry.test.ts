/** What makes a tool of something that is no registry says so at once. */
import { expect, test } from 'vitest';
import { agent } from '../../src/index.js';
import { humanTool } from '../../src/tools/ai/index.js';
import { approve, askHuman, requireApproval } from '../../src/tools/index.js';
import { mcpServer } from '../../src/tools/mcp/index.js';
import { agentError, thrownBy } from '../support/agents.js';
import { anna } from './kit.js';

// biome-ignore lint/suspicious/noExplicitAny: what no type allows
type Wrong = any;

const tool = { name: 'refund', inputSchema: {}, execute: () => 'paid' };
const approving = { where: anna, answerableBy: 'anyone' } as const;
const makers: readonly (readonly [string, (registry: Wrong) => unknown])[] = [
  ['askHuman()', (registry) => askHuman(registry, { where: anna })],
  ['approve()', (registry) => approve(registry, approving)],
  ['requireApproval()', (registry) => requireApproval(tool, { registry, ...approving })],
  ['humanTool()', (registry) => humanTool(registry, { where: anna })],
  ['mcpServer()', (registry) => mcpServer(registry, { participant: { id: 'mcp:me' }, channel: 'phone' })],
];

test.each(makers)('%s without a registry says what it needs', async (name, make) => {
  for (const [wrong, got] of [
    [undefined, 'nothing'],
    [{}, 'an object'],
    [agent('support'), 'an object'],
  ] as const) {
    const error = agentError(await thrownBy(async () => make(wrong)));
    expect([error.code, error.message]).toEqual([
      'bad-option',
      `${name}: the registry must be what new AgentRegistry() gives, got ${got}.`,
    ]);
  }
});

test('a function that gives no registry is told when it is called', async () => {
  const refund = requireApproval(tool, { registry: () => ({}) as Wrong, ...approving });
  const error = agentError(await thrownBy(() => refund.execute({})));
  expect(error.message).toBe('requireApproval(): the registry must be what new AgentRegistry() gives, got an object.');
});

test('humanTool() without options says what they look like', async () => {
  const error = agentError(await thrownBy(() => humanTool(registryLike, undefined as Wrong)));
  expect(error.message).toMatch(/^humanTool\(\): the options must be an object such as \{ where: /);
});

const registryLike = new Proxy({}, { get: () => () => {}, has: () => true }) as Wrong;
