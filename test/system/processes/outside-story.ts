/**
 * What the stories about asks from outside share: every question type with every outcome, asked by a process that is killed and
 * decided by others. Which deaths are played on which store is said by the test files.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { PendingAsk } from '../../../src/index.js';
import { type Caller, callerOf, type NodeProcess, patience, spawnNode } from '../../support/processes.js';
import { fresh, soon, type World } from '../../support/replica/world.js';

const child = fileURLToPath(new URL('outside.mjs', import.meta.url));

/** What a person replies to each question of outside.mjs, and what that is. */
const answers: Record<string, { readonly says: readonly string[]; readonly value: unknown }> = {
  text: { says: ['12345'], value: '12345' },
  choice: { says: ['large'], value: 'large' },
  choices: { says: ['red, green'], value: ['red', 'green'] },
  confirm: { says: ['yes'], value: true },
  number: { says: ['4'], value: 4 },
  date: { says: ['2026-12-24'], value: '2026-12-24' },
  email: { says: ['ann@example.com'], value: 'ann@example.com' },
  form: { says: ['12345', 'yes'], value: { order: '12345', sure: true } },
  own: { says: ['****'], value: 4 },
  declared: { says: ['4'], value: 4 },
};
const outcomes = ['answered', 'declined', 'exhausted', 'expired', 'cancelled'] as const;

/** When the asker is killed: before anybody here learns that its asks are recorded or open, or when ask() has returned. */
export type AskerDeath = 'recorded' | 'opened' | 'returned';
export type Place = { readonly redis: string; readonly prefix: string } | { readonly sqlite: string };

interface Config {
  readonly agents: boolean;
  readonly dies?: { readonly at: 'recorded' | 'opened' | 'paid'; readonly count: number };
}

/** A place in a file of its own, for one test. */
export async function inFile(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'askback-outside-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { sqlite: join(folder, 'asks.db') };
}

export class Outsider {
  readonly process: NodeProcess;
  readonly call: Caller;

  private constructor(process: NodeProcess) {
    this.process = process;
    this.call = callerOf(process);
  }

  static async begin(world: World, place: Place, config: Config): Promise<Outsider> {
    const all = { world: world.url, name: fresh('outsider'), settings: soon, ...place, ...config };
    const outsider = new Outsider(spawnNode(child, [JSON.stringify(all)]));
    onTestFinished(() => outsider.kill());
    await outsider.process.next((message) => message['ready'] === true);
    return outsider;
  }

  getAsk(askId: string): Promise<PendingAsk<unknown> | null> {
    return this.call('getAsk', askId);
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.process.exited;
  }
}

interface Story {
  readonly kind: string;
  readonly outcome: (typeof outcomes)[number];
  readonly conversationId: string;
}

function storiesOf(kinds: readonly string[]): readonly Story[] {
  return kinds.flatMap((kind) =>
    outcomes.map((outcome) => ({ kind, outcome, conversationId: fresh(`${kind}-${outcome}`) })),
  );
}

type Opened = Story & { readonly askId: string };

/** Asks all, each under a key, in a process that dies of it. Whoever starts again asks once more, and it is the same ask. */
async function askedBy(world: World, place: Place, agents: boolean, death: AskerDeath, stories: readonly Story[]) {
  const dies = death === 'returned' ? {} : { dies: { at: death, count: stories.length } };
  const asker = await Outsider.begin(world, place, { agents, ...dies });
  const ask = (by: Outsider, { kind, outcome, conversationId }: Story) =>
    by.call<{ askId: string }>('ask', kind, conversationId, outcome === 'expired' ? { expiresIn: 3_000 } : {});
  const first = stories.map((story) => ask(asker, story).catch(() => undefined));
  if (death === 'returned') {
    await Promise.all(first);
    await asker.kill();
  } else expect(await asker.process.exited).toMatchObject({ signal: 'SIGKILL' });
  const again = await Outsider.begin(world, place, { agents });
  const opened = await Promise.all(stories.map(async (story) => ({ ...story, ...(await ask(again, story)) })));
  if (death === 'returned') expect((await Promise.all(first)).map((each) => each?.askId)).toEqual(idsOf(opened));
  await again.kill();
  return opened;
}

const idsOf = (asks: readonly Opened[]) => asks.map((each) => each.askId);

/** What somebody does about an ask, to whichever process is there: a message is sent again until it is acknowledged. */
async function acts({ kind, outcome, conversationId, askId }: Opened, somebody: () => Outsider): Promise<void> {
  const again = async (act: (by: Outsider) => Promise<unknown>): Promise<void> => {
    for (const end = Date.now() + patience; ; await sleep(20)) {
      try {
        await act(somebody());
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  };
  if (outcome === 'cancelled') return again((by) => by.call('cancel', askId));
  const replies = {
    answered: answers[kind]?.says ?? [],
    declined: ['never mind'],
    exhausted: ['purple', 'purple'],
    expired: [],
  };
  for (const text of replies[outcome]) {
    const participant = { id: 'line:ann' };
    const message = { id: fresh('m'), conversationId, text, participant, address: conversationId, askId };
    await again((by) => by.call('says', message));
  }
}

const valueIn = ({ kind, outcome }: Story) => (outcome === 'answered' ? { value: answers[kind]?.value } : {});

/**
 * The asker is killed; the handlers run in other processes, the first of which may be killed when it has paid. Each outcome is
 * told with its value, and reaches the ledger once.
 */
export async function toldElsewhere(world: World, place: Place, death: AskerDeath, workerDies: boolean): Promise<void> {
  const stories = storiesOf(Object.keys(answers));
  const opened = await askedBy(world, place, true, death, stories);
  const count = Math.floor(stories.length / 3);
  const dies = workerDies ? { dies: { at: 'paid' as const, count } } : {};
  const first = await Outsider.begin(world, place, { agents: true, ...dies });
  const second = await Outsider.begin(world, place, { agents: true });
  let somebody = first;
  void first.process.exited.then(() => {
    somebody = second;
  });
  await Promise.all(opened.map((story) => acts(story, () => somebody)));
  await Promise.all(opened.map(({ conversationId }) => world.next('pay', conversationId)));
  if (workerDies) expect(await first.process.exited).toMatchObject({ signal: 'SIGKILL' });
  await decided(second, opened);
  // what had paid and was decided when its process died is paid again once its lease is over
  const repeats = async () => (await world.calls()).filter(({ repeat }) => repeat).length;
  if (workerDies) await expect.poll(repeats, { timeout: patience }).toBeGreaterThanOrEqual(count);
  for (const story of opened) {
    const { conversationId, askId, outcome } = story;
    const said = JSON.stringify({ status: outcome, ...valueIn(story) });
    const calls = (await world.calls(conversationId)).filter(({ what }) => what === 'pay');
    expect(new Set(calls.map((call) => `${call.key} ${call.order}`))).toEqual(new Set([`${askId} ${said}`]));
    expect(await world.ledger(conversationId)).toMatchObject({ payments: 1, keys: [askId] });
  }
  expect(await second.call('parked')).toEqual([]);
}

/** The same without agents: whichever process is there decides, and tells of it. What is for agents waits for one, as if nobody had looked. */
export async function decidedElsewhere(world: World, place: Place, death: AskerDeath): Promise<void> {
  const stories = storiesOf(Object.keys(answers).filter((kind) => kind !== 'declared'));
  const opened = await askedBy(world, place, false, death, stories);
  const [first, second] = await Promise.all([0, 1].map(() => Outsider.begin(world, place, { agents: false })));
  if (first === undefined || second === undefined) throw new Error('Two processes were begun.');
  const forAgents = fresh('for-agents');
  await first.call('says', { id: fresh('m'), conversationId: forAgents, text: 'hello', address: forAgents });
  await Promise.all(opened.map((story, i) => acts(story, () => (i % 2 === 0 ? first : second))));
  await decided(second, opened);
  for (const { conversationId } of opened) {
    const { items } = await second.call<{ items: { type: string }[] }>('history', conversationId);
    expect(items.filter(({ type }) => type === 'decision')).toHaveLength(1);
  }
  expect(await second.call('parked')).toEqual([]);
  await Outsider.begin(world, place, { agents: true });
  expect(await world.next('note', forAgents)).toMatchObject({ text: 'hello', attempt: 1 });
}

/** Each ask has ended as it should, with its value, and no second one was asked. */
async function decided(by: Outsider, opened: readonly Opened[]): Promise<void> {
  for (const story of opened) {
    const ask = () => by.getAsk(story.askId);
    await expect.poll(ask, { timeout: patience }).toMatchObject({ status: story.outcome, ...valueIn(story) });
  }
  expect(await by.call('listAsks')).toMatchObject({ asks: [] });
}
