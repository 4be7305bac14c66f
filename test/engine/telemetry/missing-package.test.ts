/** askback/telemetry where @opentelemetry/api is not installed. */
import { expect, test, vi } from 'vitest';

vi.mock('node:module', async (original) => ({
  ...(await original<typeof import('node:module')>()),
  createRequire: () => () => {
    throw new Error('Cannot find package @opentelemetry/api');
  },
}));

test('without its optional package, telemetry says which one to install', async () => {
  await expect(import('../../../src/telemetry/index.js')).rejects.toMatchObject({
    name: 'AgentError',
    code: 'missing-package',
    message: expect.stringContaining('npm install @opentelemetry/api'),
  });
});
