import { defineConfig } from 'vitest/config';

/** Tests with processes, servers that die, and real time: one file after the other, so that none is late by another's work. */
const alone = ['processes', 'faults', 'examples', 'bench'].map((room) => `test/${room}/**/*.test.ts`);

export default defineConfig({
  test: {
    globalSetup: ['test/setup/redis.ts'],
    setupFiles: ['test/setup/seed.ts'],
    pool: 'forks', // tests kill processes and servers: a file that goes down takes no other with it
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // on a shared machine a test with real processes and real time may come late once; a broken promise fails every time
    retry: process.env['CI'] ? 2 : 0,
    silent: 'passed-only', // what a failing test printed is shown; warnings that a test provokes on purpose are not
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
