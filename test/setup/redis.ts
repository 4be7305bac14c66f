/**
 * Finds or fetches redis-server once, before any test needs it.
 * A machine without one still runs the other tests; those that start a server fail and say what to install.
 */
import type { TestProject } from 'vitest/node';
import { findRedis } from '../support/redis-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of the redis-server that startRedis() runs; empty when there is none. */
    redisServer: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  try {
    project.provide('redisServer', (await findRedis()).server);
  } catch (error) {
    console.error(`\nNO REDIS: every test that needs one will fail.\n${(error as Error).message}\n`);
    project.provide('redisServer', '');
  }
}
