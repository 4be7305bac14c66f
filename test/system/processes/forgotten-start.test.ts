/** A program that never calls start() is told so before it ends; one that needs no start() is not. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { patience } from '../../support/processes.js';

const root = fileURLToPath(new URL('../../../', import.meta.url)); // where the package's own name is known

const begin = `
import { AgentRegistry, agent, TerminalChannel } from 'askback';
const echo = agent('echo');
echo.onMessage(({ message }) => message);
`;

/** What a program writes to the terminal, without anybody at it. */
function written(code: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', begin + code], {
    cwd: root,
    encoding: 'utf8',
    timeout: patience,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(status).toBe(0);
  return stdout + stderr;
}

test('a registry with a channel that was never started says so when the program ends', () => {
  expect(written('new AgentRegistry({ agents: [echo], channels: [new TerminalChannel()] });')).toBe(
    "askback: The program ends, and start() was never called, so no channel was listened to. Call await registry.start() { channels: [ 'terminal' ] }\n",
  );
});

const tools = `
import { askHuman, requireApproval } from 'askback/tools';
const where = { channel: 'terminal' };
`;
const server = "import { InboxChannel } from 'askback/server';";

test.each([
  ['without channels', 'new AgentRegistry({ agents: [echo] });'],
  ['that was started', 'await new AgentRegistry({ agents: [echo], channels: [new TerminalChannel()] }).start();'],
  ['that looked at the asks', 'await new AgentRegistry({ channels: [new TerminalChannel()] }).listAsks();'],
  ['whose channels keep no program alive', `${server}new AgentRegistry({ channels: [new InboxChannel()] });`],
  [
    'whose tool has asked nothing',
    `${tools}askHuman(new AgentRegistry({ channels: [new TerminalChannel()] }), { where });`,
  ],
  [
    'whose approvals nobody has needed',
    `${tools} const registry = new AgentRegistry({ channels: [new TerminalChannel()] });
    requireApproval({ name: 'pay', inputSchema: {}, execute: () => 'paid' }, { registry, where, answerableBy: 'anyone' });`,
  ],
  ['that was stopped', 'await new AgentRegistry({ agents: [echo], channels: [new TerminalChannel()] }).stop();'],
])('a registry %s says nothing', (_, code) => {
  expect(written(code)).toBe('');
});
