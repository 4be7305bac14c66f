/**
 * The channel contract: what every channel must show, as stories that it passes or fails, with any test runner. It knows the platform only
 * through the driver that the channel's author writes.
 */
import { checkOptions, func, list, milliseconds, oneOf, optional } from '../../core/check-options.js';
import { keepAlive } from '../../machine/clock.js';
import { registerStories, skipOption } from '../contract-skips.js';
import { type ChannelCapability, capabilities, saysWhatItCan, suites } from './capabilities.js';
import type { ChannelDriver, ChannelWorld } from './driver.js';
import { messagesIn } from './messages-in.js';
import { messagesOut } from './messages-out.js';
import type { ChannelStory } from './world.js';
import { Stage } from './world.js';

export type { ChannelCapability } from './capabilities.js';
export type { Acknowledged, ChannelDriver, ChannelWorld, SeenMessage, WrittenMessage } from './driver.js';

/** What the contract of a channel is proved with. */
export interface ChannelContractOptions {
  /** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. If it has a `skip`, skipped tests are shown with it. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** A new channel with a driver for each test. */
  readonly open: (world: ChannelWorld) => Promise<ChannelDriver>;
  /**
   * What the channel can do beside taking in, drawing and sending. Each capability has tests of its own.
   *
   * @default []
   */
  readonly can?: readonly ChannelCapability[];
  /** What the platform cannot do all the same, and why. A name that is no test is an error. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[];
  /**
   * How long something that must come about may take, in ms of real time.
   *
   * @default 5_000
   */
  readonly patience?: number;
}

const rules = {
  test: func<ChannelContractOptions['test']>(),
  open: func<ChannelContractOptions['open']>(),
  can: optional(list(oneOf(...capabilities)), []),
  skip: skipOption('this channel'),
  patience: optional(milliseconds(), 5_000),
};

/**
 * Proves a channel: registers one test for each promise, against a registry in memory. `open` gives a channel and a driver that plays its
 * platform.
 *
 * @example
 * import { test } from 'node:test';
 * import type { Desk, OutgoingMessage } from 'askback';
 * import { plainText } from 'askback/channels/plain';
 * import { channelContract } from 'askback/testing';
 *
 * const open = async () => {
 *   const pages: string[] = [];
 *   let desk: Desk | undefined;
 *   const shown = new Set<string>();
 *   const channel = {
 *     name: 'pager',
 *     start: (given: Desk) => void (desk = given),
 *     send: async (message: OutgoingMessage) => {
 *       if (!shown.has(message.key)) pages.push(plainText(message));
 *       shown.add(message.key);
 *     },
 *   };
 *   const from = { conversationId: 'ann', participant: { id: 'pager:ann' } };
 *   return {
 *     channel,
 *     participantId: 'pager:ann',
 *     secrets: [],
 *     says: async (message: { id: string; text: string }) =>
 *       (await desk?.receive({ ...message, ...from }).catch(() => undefined)) ? ('received' as const) : ('refused' as const),
 *     seen: () => pages.map((text) => ({ text, controls: [] })),
 *     wire: () => pages.join(),
 *   };
 * };
 * const never = [
 *   'errors and logs carry no secrets',
 *   'nobody can write as somebody else by what a message says',
 *   'malformed input is refused, and what follows is taken',
 *   'a send that the platform did not take rejects, and it is shown when the platform is back',
 * ];
 * channelContract({ test, open, skip: [{ reason: 'This pager is a list in memory', tests: never }] });
 */
export function channelContract(options: ChannelContractOptions): void {
  const { test, open, can, skip, patience } = checkOptions('channelContract()', options, rules, '{ test, open }');
  const stories = [saysWhatItCan(can), ...messagesIn, ...messagesOut, ...can.flatMap((each) => suites[each].stories)];
  registerStories('channelContract()', stories, { test, skip }, (story) => tell(open, patience, story));
}

/** Runs one story. The library's timers keep no process alive, and `node:test` ends with its event loop: something has to. */
async function tell(open: ChannelContractOptions['open'], patience: number, story: ChannelStory[1]): Promise<void> {
  const letGo = keepAlive();
  try {
    const stage = await Stage.opened(open, patience);
    try {
      await story(stage);
    } finally {
      await stage.close();
    }
  } finally {
    letGo();
  }
}
