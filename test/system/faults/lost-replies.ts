/**
 * A command or its reply is lost, for every script of the store: nothing is counted twice, nothing hangs, nobody is told
 * of a failure that was none. Which faults are played is said by the test files that call lostReplies().
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, FaultProxy, type Fits } from '../../support/fault-proxy.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import type { Replica } from '../../support/replica/replica.js';
import { fresh, World } from '../../support/replica/world.js';
import { answers, asks, question, refund } from './people.js';
import { Run } from './run.js';
import { type Step, step } from './steps.js';

let server: RedisServer;
let world: World;
let proxy: FaultProxy;
const commandTimeout = 1_000;
/** Longer than the store waits for an answer, so that it asks again while the first answer is still on its way. */
const hold = 1_400;
const settings = { lease: 6_000, renewal: 500, maxAttempts: 3, backOff: [20], sendLease: 5_000 };
/** `more` is where a lease to send must be over soon. */
const config = (more = {}) => ({ redis: proxy.url, commandTimeout, settings: { ...settings, ...more } });

/** How the messages of a conversation were disposed of, after the checker has had its say. */
async function fates(run: Run, conversationId: string, accepted = 1): Promise<string[]> {
  const { conversations } = await run.check({ accepted }, [conversationId]);
  const items = conversations[0]?.items ?? [];
  return items.flatMap((item) => (item.type === 'in' ? [item.disposition.type] : []));
}

/** Declares the tests of these faults. */
export function lostReplies(faults: readonly Fault[]): void {
  beforeAll(async () => {
    [server, world] = await Promise.all([startRedis(), World.begin()]);
    proxy = await FaultProxy.begin(server.port);
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all([server.stop(), world.end()]);
  });

  describe.each(faults)('%s', (fault) => {
    const lose = (fits: Fits) => proxy.once(fault, fits, { hold });
    let run: Run;
    let replica: Replica;
    beforeAll(async () => {
      run = await Run.begin(world, server.url, config());
      replica = await run.replica();
    });
    afterAll(() => run.end());

    test('take, for a message that begins a turn: it is acknowledged once, and asks once', async () => {
      const conversationId = fresh('class');
      const lost = lose(step('take', conversationId));
      await run.says(conversationId, 'refund');
      await lost;
      await world.hears(conversationId, question);
      await answers(run, conversationId);
      expect(await fates(run, conversationId)).toEqual(['ordinary', 'accepted']);
      expect(await world.heard(conversationId)).toHaveLength(2);
    });

    test('take, for an insufficient reply: it costs one attempt', async () => {
      const { conversationId, askId } = await asks(run, 'declared');
      const lost = lose(step('take', conversationId));
      await run.says(conversationId, '?');
      await lost;
      await world.next('deliver', conversationId, (call) => call.key === `ask:${askId}:1`);
      await answers(run, conversationId);
      expect(await fates(run, conversationId)).toEqual(['ordinary', 'insufficient', 'accepted']);
    });

    const turns: readonly { when: string; lost: Step; how: string }[] = [
      { when: 'the decision is written', lost: 'save hold', how: 'class' },
      { when: 'the decision is written with its reply', lost: 'take', how: 'declared' },
      { when: 'an effect is remembered', lost: 'remember', how: 'class-once' },
      { when: 'the turn is closed', lost: 'save next', how: 'declared' },
      { when: 'what was sent is marked', lost: 'sent', how: 'declared' },
    ];
    test.each(turns)('$lost, when $when: one payment by one call', async ({ lost: name, how }) => {
      const { conversationId, askId } = await asks(run, how);
      await replica.call('idle');
      const lost = lose(step(name, conversationId));
      await answers(run, conversationId);
      await lost;
      await run.check({ accepted: 1 }, [conversationId]);
      expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
      expect(await world.heard(conversationId)).toHaveLength(2);
    });

    test('save next, when it hands over the next entry: both are handled, each once', async () => {
      const conversationId = fresh('declared');
      world.keep('note');
      await run.says(conversationId, 'refund slowly');
      await world.next('note', conversationId);
      await run.says(conversationId, '?', { prepared: true }); // it answers the question that is not there yet
      const lost = lose(step('save next', conversationId));
      world.release();
      await lost;
      await world.next('deliver', conversationId, (call) => call.key?.endsWith(':1') === true);
      await replica.call('idle');
      await answers(run, conversationId);
      expect(await fates(run, conversationId)).toEqual(['ordinary', 'insufficient', 'accepted']);
    });

    test('save release, after a failed attempt: the attempts are counted right', async () => {
      const { conversationId } = await asks(run, 'odd-throws');
      const lost = lose(step('save release', conversationId));
      await run.says(conversationId, '12345');
      await lost;
      const { about } = await replica.event('parked', conversationId);
      expect(about).toMatchObject({ attempts: 3, failure: { message: 'The printer is on fire.' } });
      await run.check({ accepted: 0 }, [conversationId]);
      const { calls, payments } = await world.ledger(conversationId);
      expect({ calls, payments }).toEqual({ calls: 3, payments: 1 });
    });

    test('renew: the turn is not given up for one renewal that went wrong', async () => {
      const { conversationId, askId } = await asks(run);
      world.keep('pay');
      await run.says(conversationId, '12345');
      await world.next('pay', conversationId);
      await lose(step('renew'));
      await proxy.once('execute then hold', step('renew'), { hold: 0 }); // and the next one comes
      world.release();
      await world.hears(conversationId, 'Refunded 12345.');
      await run.check({ accepted: 1 }, [conversationId]);
      expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
      const fenced = run.events().filter((event) => event.what === 'event' && event.event === 'fenced');
      expect(fenced).not.toContainEqual(expect.objectContaining({ conversationId }));
    });

    describe('on the way to who has the channel', () => {
      let apart: Run;
      let door: Replica;
      beforeAll(async () => {
        apart = await Run.begin(world, server.url, config({ sendLease: 500 }));
        await apart.replica({ channel: false });
        door = await apart.replica({ agents: false });
      });
      afterAll(() => apart.end());

      test.each(['lend', 'publish'] as const)('%s: the question comes, once', async (name) => {
        const conversationId = fresh('class');
        const about = name === 'publish' ? undefined : conversationId;
        const lost = lose(
          (command) => step(name, about)(command) && command.some((part) => part.includes(apart.prefix)),
        );
        await apart.says(conversationId, 'refund');
        await lost;
        expect(await world.hears(conversationId, question)).toMatchObject({ by: door.name, repeat: false });
        await answers(apart, conversationId);
        await apart.check({ accepted: 1 }, [conversationId]);
      });
    });

    describe('when it is sent again after a channel had failed', () => {
      let again: Run;
      beforeAll(async () => {
        again = await Run.begin(
          world,
          server.url,
          config({ sendLease: 500, sendLimit: 1_000, deliveryBackOff: [20, 20, 20] }),
        );
        await again.replica();
      });
      afterAll(() => again.end());

      test('unsent: the question comes again, and is the same', async () => {
        const conversationId = fresh('class');
        world.keep('deliver');
        await again.says(conversationId, 'refund');
        const first = await world.hears(conversationId, question);
        await lose((command) => step('unsent')(command) && command.some((part) => part.includes(again.prefix)));
        expect(await world.hears(conversationId, question)).toMatchObject({ key: first.key, repeat: true });
        world.release();
        await answers(again, conversationId);
        await again.check({ accepted: 1 }, [conversationId]);
      });
    });

    test('due: an ask whose time is over expires all the same, once', async () => {
      const conversationId = fresh('odd');
      await run.says(conversationId, 'refund within 300'); // on a busy machine it may be over before it is put to anybody
      await lose(step('due'));
      const decisions = async () =>
        (await replica.history(conversationId)).flatMap((item) => (item.type === 'decision' ? [item.status] : []));
      await expect.poll(decisions).toEqual(['expired']);
      await run.says(conversationId, 'hello');
      await run.check({ accepted: 0 }, [conversationId]);
    });

    test('erase: it says what it did', async () => {
      const conversationId = await refund(run, { nonsense: 0 });
      await replica.call('idle');
      const lost = lose(step('erase', conversationId));
      const erased = replica.call('erase', { conversationId });
      expect(await erased).toMatchObject({ erased: 1 });
      await lost;
      expect(await replica.call('history', conversationId)).toEqual([]);
      expect(await run.client().keys(`${run.prefix}:*:c:${conversationId}*`)).toEqual([]);
    });

    test('get, by answer(), when it looks what became of it: the answer counts, and its giver is told so', async () => {
      const { conversationId, askId } = await asks(run);
      await replica.call('idle');
      let looks = 0; // the first is for the ask itself
      const lost = lose((command) => step('get')(command) && ++looks === 2);
      const by = { id: 'phone:user' };
      expect(await replica.call('answer', askId, { text: '12345' }, { by })).toMatchObject({
        type: 'accepted',
        ask: { id: askId, status: 'answered', answer: '12345' },
      });
      await lost;
      await run.check({ accepted: 1 }, [conversationId]);
    });

    test('a look of handle() at what was said: it comes back', async () => {
      const conversationId = fresh('class');
      const lost = lose(step('conversation', conversationId));
      const message = { id: 'm1', conversationId, text: 'refund', participant: { id: 'phone:user' } };
      expect(await replica.call('handle', message)).toMatchObject({
        disposition: { type: 'ordinary' },
        outputs: [{ text: question }],
      });
      await lost;
    });
  });

  test.each(faults.filter((fault) => fault !== 'execute then hold'))(
    '%s, for what is read: it comes, and is right',
    async (fault) => {
      const run = await Run.here(world, server.url, config());
      const replica = await run.replica();
      const { conversationId, askId } = await asks(run);
      await replica.call('idle');
      const reads: readonly [Step, string, ...unknown[]][] = [
        ['get', 'getAsk', askId],
        ['conversation', 'listAsks', { conversationId }],
        ['list', 'listAsks', {}],
        ['history', 'history', conversationId],
        ['list', 'parked'],
      ];
      for (const [name, call, ...args] of reads) {
        const right = await replica.call(call, ...args);
        const lost = proxy.once(fault, step(name));
        expect(await replica.call(call, ...args)).toEqual(right);
        await lost;
      }
      const lost = proxy.once(fault, step('get'));
      const answered = replica.call('answer', askId, { text: '12345' }, { by: { id: 'phone:user' } });
      expect(await answered).toMatchObject({ type: 'accepted' });
      await lost;
      await run.check({ accepted: 1 }, [conversationId]);
    },
  );
}
