import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/redis.ts'],
    setupFiles: ['test/setup/seed.ts'],
    pool: 'forks', // tests kill processes and servers: a file that goes down takes no other with it
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // on a shared machine a test with real processes and real time may come late once; a broken promise fails every time
    retry: process.env['CI'] ? 2 : 0,
    silent: 'passed-only', // what a failing test printed is shown; warnings that a test provokes on purpose are not
  },
});
