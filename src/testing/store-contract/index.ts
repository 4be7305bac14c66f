/**
 * The store contract: every promise of the store port as a story that a store passes or fails, with any test runner.
 * It knows a store only through the port, and never skips in silence.
 */
import { checkOptions, func } from '../../core/check-options.js';
import { registerStories, skipOption } from '../contract-skips.js';
import { endStories } from './ends.js';
import type { StoreStory, StoreWorld } from './kit.js';
import { listStories } from './lists.js';
import { outboxStories } from './outbox.js';
import { stepStories } from './steps.js';
import { stringStories } from './strings.js';
import { textStore } from './texts.js';
import { valueStories } from './values.js';

export type { StoreWorld } from './kit.js';

/** What the contract of a store is proved with. */
export interface StoreContractOptions {
  /** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. If it has a `skip`, skipped tests are shown with it. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** An empty store of its own for each test, and a way to let time pass in its world. */
  readonly open: () => Promise<StoreWorld & { close?(): Promise<void> }>;
  /** What this store cannot do, and why. A name that is no test is an error. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[];
}

const stories: readonly StoreStory[] = [
  ...stepStories,
  ...outboxStories,
  ...listStories,
  ...endStories,
  ...valueStories,
  ...stringStories,
];

const rules = {
  test: func<StoreContractOptions['test']>(),
  open: func<StoreContractOptions['open']>(),
  skip: skipOption('this store'),
};

/**
 * Proves a store: registers one test for each promise of the port.
 * `pass(ms)` lets that much time pass for the store, by a fake clock or by waiting; all its times are short.
 *
 * @example
 * import { test } from 'node:test';
 * import { MemoryStore } from 'askback';
 * import { storeContract } from 'askback/testing';
 *
 * const pass = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
 * storeContract({ test, open: async () => ({ store: new MemoryStore(), pass }) });
 */
export function storeContract(options: StoreContractOptions): void {
  const { test, open, skip } = checkOptions('storeContract()', options, rules, '{ test, open }');
  registerStories('storeContract()', stories, { test, skip }, (story) => tell(open, story));
}

async function tell(open: StoreContractOptions['open'], story: StoreStory[1]): Promise<void> {
  const world = await open();
  try {
    await world.store.open();
    await story({ store: textStore(world.store), pass: (ms) => world.pass(ms) });
  } finally {
    await (world.close ? world.close() : world.store.close());
  }
}
