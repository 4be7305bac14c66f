/** What the inbox reads of a conversation to know whose it is. */
import { expect, test } from 'vitest';
import { agent, type Store } from '../../src/index.js';
import { inboxPort } from '../../src/registry/inbox/inbox-port.js';
import { InboxCalls } from '../../src/server/calls.js';
import { TestChannel, world } from '../support/engine.js';
import { person } from './kit.js';

const reader = person('staff:r', ['read', 'conversations'], { tenant: 'acme' });

/** A conversation in which people write, and how many items of its history were read. */
async function talk() {
  const here = world();
  let items = 0;
  const read = ['history', 'historyFrom'] as const;
  const store = new Proxy<Store>(here.store, {
    get: (target, name) => {
      const member = target[name as keyof Store];
      if (typeof member !== 'function') return member;
      const method = member.bind(target) as (...given: unknown[]) => unknown;
      if (!read.some((each) => each === name)) return method;
      return async (...given: unknown[]) => {
        const found = (await method(...given)) as { items: readonly string[] };
        items += found.items.length;
        return found;
      };
    },
  });
  const phone = new TestChannel();
  const registry = await here.replica({
    store,
    agents: [agent('echo').onMessage(({ message }) => message)],
    channels: [phone],
  });
  const says = (tenant: string, text: string) =>
    here.says(phone, text, { conversationId: 'c', participant: { id: `web:${tenant}`, tenant } });
  const calls = new InboxCalls(registry, registry[inboxPort]);
  const readBy = async (look: () => Promise<unknown>) => {
    items = 0;
    await look();
    return items;
  };
  return { registry, calls, says, readBy };
}

test('a page of a conversation that was looked at before reads its page and what was said since', async () => {
  const { calls, says, readBy } = await talk();
  for (let i = 0; i < 30; i += 1) await says('acme', `message ${i}`);
  const page = () => calls.history(reader, 'c', { limit: 2 });
  expect(await readBy(page)).toBe(60 + 2); // what was said and what was answered, once
  expect(await readBy(page)).toBe(2);
  await says('acme', 'one more');
  expect(await readBy(page)).toBe(2 + 2);
  await says('other', 'from elsewhere');
  expect(await page()).toBeNull();
});

test('what was read of a conversation counts for nothing once it was erased and lives again', async () => {
  const { registry, calls, says } = await talk();
  await says('acme', 'hello');
  expect(await calls.history(reader, 'c')).not.toBeNull();
  await registry.erase({ conversationId: 'c' });
  expect(await calls.history(reader, 'c')).toBeNull();
  await says('other', 'mine now');
  for (let i = 0; i < 3; i += 1) await says('acme', 'hello again');
  expect(await calls.history(reader, 'c')).toBeNull();
});
