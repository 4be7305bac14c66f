/** kill -9 at every point of a turn: another replica finishes by itself, and no money moves twice. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Settings } from '../../../src/core/settings.js';
import { Keys } from '../../../src/stores/redis/keys.js';
import { decodeValue } from '../../../src/stores/redis/plan.js';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica } from '../../support/replica/replica.js';
import { fresh, safe, soon } from '../../support/replica/world.js';

const question = 'What is your order number?';
const refunded = 'Refunded 12345.';

const { server, world } = await redisAndWorld();
const client = new Redis(server.url);
/** Two replicas that see the others die. */
let others: readonly Replica[];
let other: Replica;
beforeAll(async () => {
  other = await Replica.begin(config('together', safe));
  others = [other, await Replica.begin(config('together', safe))];
});
afterAll(async () => {
  await Promise.all(others.map((each) => each.end()));
  client.disconnect();
});

const config = (prefix = 'together', settings: Partial<Settings> = soon) => ({
  world,
  redis: server.url,
  settings,
  prefix,
});

/** Somebody has asked, everything of that is over, and the others look on. */
async function asked(how = 'class', prefix = 'together') {
  const victim = await Replica.here(config(prefix));
  const conversationId = fresh(how);
  await victim.says(conversationId, 'refund');
  const { askId = '' } = await world.hears(conversationId, question);
  await victim.call('idle');
  return { victim, conversationId, askId };
}

/** Dies by its own hand right after a step of the store, before anybody in it learns that the step was done. */
async function diesAfter(step: string, victim: Replica, conversationId: string): Promise<void> {
  await victim.call('dieAfter', step);
  victim.saysWithout(conversationId, '12345');
  expect(await victim.process.exited).toMatchObject({ signal: 'SIGKILL' });
}

/** How long its holder has the conversation, by the time of Redis. */
async function leaseOf(conversationId: string): Promise<number> {
  const record = decodeValue((await client.get(new Keys('together').conversation(conversationId))) ?? '');
  const [seconds, micros] = await client.time();
  return record.leasedUntil - Number(seconds) * 1_000 - Number(micros) / 1_000;
}

/** Killed by us when it has called the ledger, which does not answer it. */
async function diesInContinuation(victim: Replica, conversationId: string): Promise<void> {
  world.keep('pay');
  await victim.says(conversationId, '12345');
  await world.next('pay', conversationId);
  await victim.end('SIGKILL');
  world.release();
}

async function expectOneRefund(replica: Replica, conversationId: string, askId: string, calls: number) {
  expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls, keys: [askId] });
  expect(await world.heard(conversationId)).toEqual([question, refunded]);
  const items = await replica.history(conversationId);
  expect(items.filter((item) => item.type === 'decision')).toHaveLength(1);
  const fates = items.flatMap((item) => (item.type === 'in' ? [item.disposition.type] : []));
  expect(fates).toEqual(['ordinary', 'accepted']);
  expect(await replica.call('getAsk', askId)).toMatchObject({ status: 'answered', answer: '12345' });
  expect(await replica.call('listAsks', { conversationId })).toEqual({ asks: [] });
}

interface Death {
  readonly name: string;
  /** How the conversation goes. */
  readonly how?: string;
  /** How often the ledger is called, which by key pays once. */
  readonly calls: number;
  die(victim: Replica, conversationId: string): Promise<void>;
}

const after = (step: string) => (victim: Replica, conversationId: string) => diesAfter(step, victim, conversationId);
const deaths: readonly Death[] = [
  { name: 'after the take', calls: 1, die: after('take') },
  { name: 'after the decision was written', calls: 1, die: after('decision') },
  { name: 'inside the continuation', calls: 2, die: diesInContinuation },
  { name: 'after an effect was remembered', how: 'once', calls: 1, die: after('effect') },
  { name: 'after the save, before sending', calls: 1, die: after('save') },
];

test('a holder that dies keeps others out for no longer than its lease', async () => {
  const { victim, conversationId } = await asked();
  world.keep('pay');
  await victim.says(conversationId, '12345');
  await world.next('pay', conversationId);
  expect(await leaseOf(conversationId)).toBeLessThanOrEqual(soon.lease);
  world.release();
  await world.hears(conversationId, refunded);
});

describe.each(deaths)('killed $name', ({ how = 'again', calls, die }) => {
  test.each(['class', 'declared'])('another replica finishes (written as: %s)', async (way) => {
    const { victim, conversationId, askId } = await asked(`${way}-${how}`);
    await die(victim, conversationId);
    const { by } = await world.hears(conversationId, refunded);
    expect(others.map(({ name }) => name)).toContain(by);
    await Promise.all(others.map((each) => each.call('idle')));
    await expectOneRefund(other, conversationId, askId, calls);
  });

  test('it was alone: it finishes when it is started again', async () => {
    const prefix = fresh('alone');
    const { victim, conversationId, askId } = await asked(`class-${how}`, prefix);
    await die(victim, conversationId);
    const again = await Replica.here(config(prefix));
    await world.hears(conversationId, refunded);
    await again.call('idle');
    await expectOneRefund(again, conversationId, askId, calls);
  });
});

test('killed after the take: the sender, who was told nothing, sends again and is recognised', async () => {
  const { victim, conversationId, askId } = await asked();
  await victim.call('dieAfter', 'take');
  await expect(victim.says(conversationId, '12345', { id: 'event-1' })).rejects.toThrow('SIGKILL');
  expect(await other.says(conversationId, '12345', { id: 'event-1' })).toBe('repeat');
  await world.hears(conversationId, refunded);
  await expectOneRefund(other, conversationId, askId, 1);
});

test('killed while the agent ran: the turn runs again, and its question is asked once', async () => {
  const victim = await Replica.here(config());
  const conversationId = fresh('class');
  world.keep('note');
  await victim.says(conversationId, 'refund slowly');
  await world.next('note', conversationId);
  await victim.end('SIGKILL');
  world.release();
  await world.hears(conversationId, question);
  await Promise.all(others.map((each) => each.call('idle')));
  const notes = (await world.calls(conversationId)).filter((call) => call.what === 'note');
  expect(notes.map((note) => note.attempt)).toEqual([1, 2]);
  expect(await world.heard(conversationId)).toEqual([question]);
});

test('killed after a question was sent and before it was marked: it may come twice, and is the same ask', async () => {
  const victim = await Replica.here(config());
  const conversationId = fresh('class');
  world.keep('deliver');
  await victim.says(conversationId, 'refund');
  const first = await world.hears(conversationId, question);
  await victim.end('SIGKILL');
  world.release();
  const second = await world.hears(conversationId, question);
  expect(second).toMatchObject({ key: first.key, askId: first.askId, repeat: true });
  await other.says(conversationId, '12345');
  await world.hears(conversationId, refunded);
  expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [first.askId] });
});

describe("where a repeat is worse than a stop (onCrash: 'park')", () => {
  /** What waits for a person in one conversation. */
  const parkedIn = async (conversationId: string) => {
    const all = await other.call<{ id: string; conversationId: string }[]>('parked');
    return all.filter((each) => each.conversationId === conversationId);
  };

  test('killed inside the continuation: the case is parked for a person, and the ledger was called once', async () => {
    const { victim, conversationId, askId } = await asked('class-park');
    await diesInContinuation(victim, conversationId);
    const told = await world.next('deliver', conversationId);
    expect(told.text).not.toBe(refunded);
    expect(await parkedIn(conversationId)).toMatchObject([{ askId, failure: { code: 'may-have-happened' } }]);
    expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
    expect(await other.call('getAsk', askId)).toMatchObject({ status: 'answered', answer: '12345' });

    // the next message is an ordinary one: nobody's words are swallowed by the parked case
    await other.says(conversationId, 'hello?');
    await world.hears(conversationId, 'I can refund an order.');
    expect(await world.heard(conversationId)).toEqual([question, told.text, 'I can refund an order.']);
  });

  test('killed before the continuation: parked all the same, and a person lets it go on', async () => {
    const { victim, conversationId, askId } = await asked('class-park');
    await diesAfter('decision', victim, conversationId);
    await world.next('deliver', conversationId);
    expect(await world.ledger(conversationId)).toMatchObject({ calls: 0 });
    const [parked] = await parkedIn(conversationId);
    expect(await other.call('retry', parked?.id)).toEqual({ type: 'accepted', askId });
    await world.hears(conversationId, refunded);
    expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
    expect(await parkedIn(conversationId)).toEqual([]);
  });
});
