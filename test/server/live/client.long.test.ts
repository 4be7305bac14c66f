/** The client of live events in a real browser: many tabs, one connection. */
import { expect, test, vi } from 'vitest';
import { bundled } from '../../../scripts/browser.mjs';
import { AgentRegistry, agent, text } from '../../../src/index.js';
import { createInbox } from '../../../src/server/index.js';
import { browserForFile, serveForBrowser } from '../../support/browser.js';
import { TestChannel } from '../../support/engine.js';
import { boss } from '../kit.js';

const { visit } = await browserForFile();

const tab = `<!doctype html><title>tab</title><script>
${await bundled('page/live-events.ts', 'client')}
window.asks = []; window.resets = 0; window.is = '';
client.openLive({ url: '/inbox/live', key: 'boss', after: document.currentScript.dataset.after,
  received: (type, data) => type === 'ask' ? asks.push(data.conversationId) : resets++, changed: (state) => { is = state; } });
</script>`;

test('eight tabs share one connection; when its tab is closed another one goes on, and nothing is missed', async () => {
  const phone = new TestChannel();
  const refunds = agent('refunds');
  const order = refunds.question('order', text('Which order?'), { onAnswer: () => 'Thanks.' });
  refunds.onMessage(({ ask }) => ask(order));
  const registry = new AgentRegistry({ agents: [refunds], channels: [phone] });
  await registry.start();
  const inbox = createInbox(registry, { authenticate: () => boss });
  let [open, most] = [0, 0];
  const site = await serveForBrowser(async (request) => {
    if (!new URL(request.url).pathname.startsWith('/inbox/live'))
      return new Response(tab, { headers: { 'content-type': 'text/html' } });
    [open, most] = [open + 1, Math.max(most, open + 1)];
    request.signal.addEventListener('abort', () => (open -= 1));
    return inbox.fetch(request);
  });
  const ask = (id: string) => phone.receive({ id, conversationId: id, text: 'hello', participant: { id: 'web:ada' } });
  const { page: first, context, problems } = await visit();
  const tabs = [first];
  await first.goto(site.url);
  await vi.waitFor(async () => expect(await first.evaluate('is')).toBe('live'), { timeout: 20_000 });
  for (let i = 1; i < 8; i += 1) {
    const page = await context.newPage();
    await page.goto(site.url);
    tabs.push(page);
  }
  const haveHeard = (...ids: string[]) =>
    vi.waitFor(
      async () => {
        for (const each of tabs) expect(await each.evaluate('[...new Set(asks)].sort()')).toEqual(ids);
      },
      { timeout: 20_000 },
    );
  await ask('c1');
  await haveHeard('c1');
  expect(most).toBe(1);
  await tabs.shift()?.close();
  await ask('c2'); // while nobody is connected, perhaps
  await haveHeard('c1', 'c2');
  for (const each of tabs) expect(await each.evaluate('is')).toBe('live');
  // the server may hear of the new connection before it hears that the old one was closed
  await vi.waitFor(() => expect(open).toBe(1), { timeout: 20_000 });
  expect(problems).toEqual([]);
  inbox.close();
  await registry.stop();
  await site.close();
});
