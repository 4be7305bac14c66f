/** People who want a refund, as the tests let them talk: one after the other, several at once, with strangers between. */
import { expect } from 'vitest';
import { fresh } from '../../support/replica/world.js';
import type { Run } from './run.js';

export const question = 'What is your order number?';
export const goodbye = 'I can refund an order.';

export interface Story {
  /** How the conversation goes, see test/support/replica/agents.mjs. */
  readonly how?: string;
  /** How many insufficient replies come before the answer. */
  readonly nonsense?: number;
  /** Somebody who may not answer tries to. */
  readonly stranger?: boolean;
  /** The answer and the thanks are handed over at once: the answer is read as one, and the thanks as thanks. */
  readonly hasty?: boolean;
}

let orders = 10_000;

/** Asks for a refund; resolves when the question has come. */
export async function asks(run: Run, how = 'class', words = 'refund') {
  const conversationId = fresh(how);
  await run.says(conversationId, words);
  const { askId = '' } = await run.world.next('deliver', conversationId, (call) => call.key?.endsWith(':0') === true);
  return { conversationId, askId };
}

/** Gives the answer; resolves with the order when the refund was told, or that a person must look at it. */
export async function answers(run: Run, conversationId: string): Promise<string> {
  const order = String(++orders);
  await run.says(conversationId, order);
  const parks = conversationId.split('-').includes('park');
  if (parks) await run.world.next('deliver', conversationId, (call) => call.askId === undefined);
  else await run.world.hears(conversationId, `Refunded ${order}.`);
  return order;
}

/** A whole conversation, from the wish to the thanks. */
export async function refund(run: Run, story: Story = {}): Promise<string> {
  const { how = 'class', nonsense = 1, stranger = true, hasty = false } = story;
  const { conversationId, askId } = await asks(run, how);
  const other = { participant: { id: 'phone:stranger' } };
  if (stranger) await run.says(conversationId, '66666', { ...other, askId });
  for (let k = 1; k <= nonsense; k += 1) {
    await run.says(conversationId, '?');
    await run.world.next('deliver', conversationId, (call) => call.key === `ask:${askId}:${k}`);
  }
  if (hasty) {
    const order = String(++orders);
    const inOrder = await run.saysAtOnce(conversationId, [order, 'thank you!']);
    await run.world.hears(conversationId, `Refunded ${order}.`);
    if (!inOrder) await run.says(conversationId, 'thank you!'); // the first one may have been read as a reply
  } else {
    await answers(run, conversationId);
    await run.says(conversationId, 'thank you!');
  }
  await run.world.hears(conversationId, goodbye);
  return conversationId;
}

const usual: readonly Story[] = [
  { how: 'class' },
  { how: 'declared', nonsense: 2 },
  { how: 'class-once', nonsense: 0 },
  { how: 'declared', nonsense: 0, stranger: false },
  { how: 'declared-once', nonsense: 1, stranger: false },
  { how: 'declared', nonsense: 0, stranger: false, hasty: true },
  { how: 'class', nonsense: 1, hasty: true },
];

/** Something that goes on beside people who talk, until they are done. */
export type Mischief = (done: () => boolean) => Promise<void>;

/** So many people, some at a time. */
export async function crowd(run: Run, count: number, lanes = 6, mischief?: Mischief, ways = usual): Promise<void> {
  let left = count;
  let done = false;
  const lane = async () => {
    for (; left > 0; ) {
      left -= 1;
      await refund(run, ways[left % ways.length]);
    }
  };
  const talking = Promise.all(Array.from({ length: lanes }, lane)).finally(() => {
    done = true;
  });
  await Promise.all([talking, mischief?.(() => done)]);
  expect(left).toBe(0);
}
