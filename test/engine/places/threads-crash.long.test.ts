/** A process dies after each step of a question in a thread of its own: one question, one refund, and the other threads go on. */
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, agent, confirm, MemoryStore, type Store } from '../../../src/index.js';
import { crashableStore } from '../../../src/testing/crashable-store.js';
import { type CrashPoint, FakeClock } from '../../../src/testing/index.js';
import { leaseAndSweep, ledger, settle } from '../../support/engine.js';
import { Letters } from '../../support/letters.js';
import { Mail } from '../../support/places.js';
import { opened } from '../../support/sqlite-store.js';

const dora = 'dora@example.com';
const stores: Record<string, (clock: FakeClock) => Promise<Store>> = {
  memory: async (clock) => new MemoryStore({ clock }),
  SQLite: async (clock) => (await opened({ clock })).raw,
};
const points = ['take', 'decision', 'save', 'sent'] as const satisfies readonly CrashPoint[];

for (const [name, open] of Object.entries(stores))
  for (const when of ['it is asked', 'it is answered'] as const)
    test.each(points)(
      `${name}: killed after a %s while ${when}: each order is asked and refunded once`,
      async (point) => {
        const clock = new FakeClock();
        const store = await open(clock);
        const book = ledger();
        const begin = async () => {
          const made = agent('shop');
          const sure = made.question('sure', confirm('Refund it?'), {
            via: { channel: 'letters', to: dora },
            answerableBy: 'anyone',
            onAnswer: (_, { pending, effectKey, attempt }) =>
              book.pay(effectKey, String(pending.context['order']), attempt),
          });
          made.onMessage(({ message, ask }) => ask(sure, { context: { order: message } }));
          const line = crashableStore(store);
          const [web, letters] = [new Mail('web'), new Letters()];
          const registry = new AgentRegistry({ agents: [made], channels: [web, letters], store: line.store, clock });
          await registry.start();
          return { ...line, web, letters, registry };
        };
        const wants = ({ web }: Awaited<ReturnType<typeof begin>>, order: string) => {
          const message = {
            id: order,
            conversationId: `web:${order}`,
            text: order,
            participant: { id: `web:${order}` },
          };
          void web.desk?.receive(message).catch(() => {});
          return settle(40);
        };
        const first = await begin();
        await wants(first, '1');
        if (when === 'it is asked') first.crashAfter(point);
        await wants(first, '2');
        const known = (letters: Letters) => letters.questions(dora);
        if (when === 'it is answered') {
          first.crashAfter(point);
          void first.letters.replies(known(first.letters)[1], 'yes').catch(() => {});
          await settle(40);
        }
        first.crash();
        const second = await begin();
        onTestFinished(() => second.registry.stop());
        await clock.advance(60_000 + 2 * leaseAndSweep, () => settle(20));
        await wants(second, '2'); // sent again by who had no answer: recognised
        const asks = (await second.registry.listAsks()).asks;
        expect(asks.map(({ context }) => context['order']).sort()).toEqual(when === 'it is asked' ? ['1', '2'] : ['1']);
        const sent = [...known(first.letters), ...known(second.letters)];
        expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
        for (const order of asks.map(({ id }) => sent.find(({ ask }) => ask?.id === id)).reverse())
          await second.letters.replies(order, 'yes');
        await settle(40);
        expect([...book.paid.values()].sort()).toEqual(['1', '2']);
        expect((await second.registry.listAsks()).asks).toEqual([]);
      },
    );
