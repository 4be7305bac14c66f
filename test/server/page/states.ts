/**
 * Every state of the inbox page: one list, for the test that looks for accessibility problems and for the pictures of
 * `npm run screenshots:inbox`. A state opens the page and waits until it is there.
 */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { AgentError } from '../../../src/index.js';
import { gate, minute } from '../../support/engine.js';
import { otto, type Said, type StateShop } from './states-kit.js';

export interface PageState {
  readonly name: string;
  /** Who looks; null for somebody who is not signed in. By default Anna, who may do everything. */
  readonly by?: 'staff:rita' | 'staff:otto' | null;
  readonly open: (page: Page, shop: StateShop) => Promise<unknown>;
}

const waiting: readonly Said[] = ['refund', 'deploy', 'invoice', 'plan', 'labels', 'parcel', 'odd'];

/** Opens one question of a shop in which some wait. */
async function question(page: Page, shop: StateShop, what: Said = 'refund'): Promise<string> {
  for (const each of ['deploy', 'plan'] as const) if (each !== what) await shop.asked(each);
  const id = await shop.asked(what);
  await page.goto(`${shop.url}/asks/${id}`);
  return id;
}

const answerField = (page: Page) => page.locator('textarea[name=answer]');
const send = (page: Page) => page.locator('[data-send]').click();
const shown = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const handOver = async (page: Page, to: string) => {
  await page.getByText('Hand over to somebody else').click();
  await page.locator('#hand-over-to').fill(to);
  await page.getByRole('button', { name: 'Hand over' }).click();
};
const silence = (page: Page) => page.route('**/live*', (route) => route.abort());
const never = () => new Promise<never>(() => {});

/** The page takes over what happened by itself; the shop's clock moves on as long as it does not. */
async function live(page: Page, { advance }: StateShop, text: string): Promise<void> {
  const there = page.getByText(text).first();
  for (let tries = 0; tries < 100 && !(await there.isVisible()); tries += 1) {
    await advance(200);
    await page.waitForTimeout(50);
  }
  await there.waitFor();
}

async function link(shop: StateShop, what: Said, expiresIn = 10 * minute): Promise<string> {
  const address = await shop.inbox.link(await shop.asked(what), otto, { expiresIn });
  return new URL(address, shop.url).href;
}

const list: readonly PageState[] = [
  { name: 'nothing-waiting', open: (page, { url }) => page.goto(url) },
  {
    name: 'list',
    open: async (page, { asked, url, advance }) => {
      for (const each of waiting) {
        await asked(each);
        await advance(1.5 * minute);
      }
      await page.goto(url);
    },
  },
  {
    name: 'nothing-matches',
    open: async (page, { asked, url }) => {
      await asked('refund');
      await page.goto(`${url}?agent=nobody`);
    },
  },
  {
    name: 'new-and-decided-rows',
    open: async (page, shop) => {
      const { asked, answer, url } = shop;
      const id = await asked('refund');
      await asked('plan');
      await page.goto(url);
      await page.locator('#rows li a').first().hover(); // the list stays as it is under the pointer
      await asked('labels');
      await answer(id, true);
      await live(page, shop, 'Answered: Refund · Otto');
      await live(page, shop, '1 new');
    },
  },
  {
    name: 'loading',
    open: async (page, { asked, url }) => {
      await asked('refund');
      await page.goto(url);
      // a browser that waits for a page answers no test: the page to come is held back before it is asked for
      await page.evaluate('addEventListener("click", (event) => event.preventDefault())');
      await page.locator('#rows a').first().click();
      await shown(page, 'Loading …');
    },
  },
  {
    name: 'offline',
    open: async (page, shop) => {
      await question(page, shop);
      await page.context().setOffline(true);
      await shown(page, 'Offline. What you see may be old.');
    },
  },
  {
    name: 'reconnecting',
    open: async (page, shop) => {
      await silence(page);
      await question(page, shop);
      await shown(page, 'Reconnecting …');
    },
  },
  {
    name: 'signed-out-while-looking',
    open: async (page, shop) => {
      const connection = gate();
      await page.route('**/live*', async (route) => {
        await connection.passed;
        await route.abort();
      });
      await question(page, shop);
      shop.people.length = 0;
      await page.evaluate('dispatchEvent(new Event("online"))');
      await shown(page, 'You are signed out. Sign in again to go on.');
      const failed = page.waitForEvent('requestfailed');
      connection.open();
      await failed;
      await page.clock.runFor(1_000);
      expect(await page.locator('#status').textContent()).toContain('You are signed out.'); // losing the connection says less
    },
  },
];

const questions: readonly PageState[] = [
  { name: 'question', open: question },
  ...(['invoice', 'plan', 'labels', 'parcel'] as const).map((what) => ({
    name: `question-${what}`,
    open: (page: Page, shop: StateShop) => question(page, shop, what),
  })),
  { name: 'unusual-characters', open: (page, shop) => question(page, shop, 'odd') },
  {
    name: 'approval-with-long-arguments',
    open: async (page, { approval, url }) => {
      await page.goto(`${url}/asks/${await approval()}`);
      await shown(page, 'runs send_letter');
    },
  },
  { name: 'look-only', by: 'staff:rita', open: question },
  {
    name: 'votes-1-of-2',
    open: async (page, shop) => {
      const id = await shop.asked('deploy');
      await shop.answer(id, true);
      await page.goto(`${shop.url}/asks/${id}`);
      await shown(page, '1 of 2 have said yes');
    },
  },
  {
    name: 'voted',
    by: 'staff:otto',
    open: async (page, shop) => {
      const id = await shop.asked('deploy');
      await shop.answer(id, true);
      await page.goto(`${shop.url}/asks/${id}`);
      await shown(page, 'You said yes');
    },
  },
  {
    name: 'decline-open',
    open: async (page, shop) => {
      await question(page, shop);
      await page.getByText('Decline to answer').click();
      await page.locator('#decline-reason').fill('This is for the bank to decide.');
    },
  },
  {
    name: 'escalated-and-handed-over',
    open: async (page, shop) => {
      const id = await shop.asked('return');
      await shop.advance(11 * minute);
      const reason = 'You know the rule for old lamps.';
      await shop.registry.handOver(id, { by: otto, to: { id: 'staff:emil', name: 'Emil' }, reason });
      await page.goto(`${shop.url}/asks/${id}`);
      await shown(page, 'Escalated to');
      await shown(page, reason);
    },
  },
  {
    name: 'hand-over-open',
    open: async (page, shop) => {
      await question(page, shop);
      await page.getByText('Hand over to somebody else').click();
      await page.locator('#hand-over-reason').fill('You know the customer.');
      await page.getByRole('button', { name: 'Hand over' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'keys-open',
    open: async (page, shop) => {
      await question(page, shop);
      await page.keyboard.press('?');
      await page.locator('#keys[open]').waitFor();
    },
  },
  {
    name: 'menu-open',
    open: async (page, shop) => {
      await question(page, shop);
      await page.locator('.menu summary').click();
    },
  },
];

const sending: readonly PageState[] = [
  {
    name: 'errors',
    open: async (page, shop) => {
      await question(page, shop, 'parcel');
      await page.locator('[name=field-weight]').fill('heavy');
      await send(page);
      await shown(page, 'The answer was not accepted');
    },
  },
  {
    name: 'sending',
    open: async (page, shop) => {
      await question(page, shop, 'invoice');
      await page.route('**/answer', never);
      await answerField(page).fill('Invoice 2026-117');
      await send(page);
      await shown(page, 'Sending …');
    },
  },
  {
    name: 'sent-while-offline',
    open: async (page, shop) => {
      await question(page, shop, 'invoice');
      await answerField(page).fill('Invoice 2026-117');
      await page.context().setOffline(true);
      await send(page);
      await shown(page, 'There is no connection');
    },
  },
  {
    name: 'sent-while-store-is-down',
    open: async (page, shop) => {
      await question(page, shop);
      shop.port.answer = () => Promise.reject(new AgentError('store-unavailable', 'The store is down.'));
      await page.locator('.approve').click();
      await shown(page, 'Not available right now');
    },
  },
  {
    name: 'decided-while-looking',
    open: async (page, shop) => {
      const id = await question(page, shop, 'invoice');
      await answerField(page).fill('Invoice 2026-117, I think');
      await shop.answer(id, '2026-118');
      await live(page, shop, 'This was decided while you looked');
    },
  },
  {
    name: 'erased-while-typing',
    open: async (page, shop) => {
      await question(page, shop, 'invoice');
      await answerField(page).fill('Invoice 2026-117, I think');
      await shop.registry.erase({ conversationId: 'web-invoice' });
      await live(page, shop, 'This question was erased');
      expect(await answerField(page).inputValue()).toBe('Invoice 2026-117, I think');
      expect(await page.locator('[data-send]').isDisabled()).toBe(true);
    },
  },
  {
    name: 'expired-while-typing',
    open: async (page, shop) => {
      await question(page, shop, 'invoice');
      await answerField(page).fill('Invoice 2026-117, I thi');
      await page.clock.fastForward(21 * minute);
      await shown(page, 'The time is over. What you wrote is still here');
    },
  },
  {
    name: 'somebody-was-faster',
    open: async (page, shop) => {
      await silence(page);
      const id = await question(page, shop, 'invoice');
      await answerField(page).fill('Invoice 2026-117, I think');
      await shop.answer(id, '2026-118');
      await send(page);
      await shown(page, 'Somebody was faster');
    },
  },
  {
    name: 'too-late',
    open: async (page, shop) => {
      await silence(page);
      await question(page, shop, 'invoice');
      await answerField(page).fill('Invoice 2026-117, I think');
      await shop.advance(21 * minute);
      await send(page);
      await shown(page, 'This expired before your answer arrived.');
    },
  },
  {
    name: 'changed-meanwhile',
    open: async (page, shop) => {
      await silence(page);
      const id = await question(page, shop, 'parcel');
      await page.locator('[name=field-weight]').fill('3');
      await page.locator('[name=field-day]').fill('2027-01-15');
      await page.locator('[name=field-mail]').fill('eve@example.com');
      await page.locator('[name=field-express]').first().check();
      await page.locator('[name=field-note]').fill('Ring twice');
      await shop.registry.answer(id, { text: '2.5' }, { by: otto });
      await send(page);
      await shown(page, 'This has changed');
      await shown(page, 'Ring twice');
    },
  },
  {
    name: 'received-behind-other-work',
    open: async (page, shop) => {
      await question(page, shop);
      shop.port.answer = async () => ({ type: 'received' });
      await page.locator('.approve').click();
      await shown(page, 'It waits behind work that is under way.');
    },
  },
  {
    name: 'done',
    open: async (page, shop) => {
      await question(page, shop);
      await page.locator('.approve').click();
      await shown(page, 'Answered: Refund');
    },
  },
  {
    name: 'declined',
    open: async (page, shop) => {
      await question(page, shop);
      await page.getByText('Decline to answer').click();
      await page.locator('#decline-reason').fill('This is for the bank to decide.');
      await page.getByRole('button', { name: 'Decline' }).click();
      await shown(page, 'Nobody answers this question.');
    },
  },
  {
    name: 'hand-over-not-possible',
    open: async (page, shop) => {
      await question(page, shop);
      await handOver(page, 'staff:anna');
      await shown(page, 'You cannot hand a question over to yourself.');
      const focused = page.locator('#hand-over-to:focus');
      expect(await focused.inputValue()).toBe('staff:anna');
      expect(await focused.getAttribute('tabindex')).toBe(null);
    },
  },
  {
    name: 'handed-over',
    by: 'staff:otto',
    open: async (page, shop) => {
      await question(page, shop);
      await handOver(page, 'staff:anna');
      await shown(page, 'You handed this to staff:anna.');
      expect(await page.locator('#rows').count()).toBe(1);
    },
  },
  {
    name: 'handed-over-and-still-seen',
    open: async (page, shop) => {
      await question(page, shop);
      await handOver(page, 'staff:otto');
      await shown(page, 'You handed this to staff:otto.');
      await shown(page, 'You may look, but not answer');
    },
  },
  {
    name: 'done-and-parked',
    open: async (page, shop) => {
      const id = await question(page, shop, 'transfer');
      await shop.answer(id, true);
      await page.reload();
      await shown(page, 'The agent could not go on');
    },
  },
];

const visitors: readonly PageState[] = [
  { name: 'link-shows', by: null, open: async (page, shop) => page.goto(await link(shop, 'refund')) },
  { name: 'link-decides', by: null, open: async (page, shop) => page.goto(await link(shop, 'invoice')) },
  {
    name: 'link-has-decided',
    by: null,
    open: async (page, shop) => {
      await page.goto(await link(shop, 'invoice'));
      await answerField(page).fill('Invoice 2026-117');
      await send(page);
      await shown(page, 'Your decision is recorded');
    },
  },
  {
    name: 'link-used',
    by: null,
    open: async (page, shop) => {
      const address = await link(shop, 'invoice');
      await page.goto(address);
      await answerField(page).fill('Invoice 2026-117');
      await send(page);
      await page.goto(address);
      await shown(page, 'This link has been used');
    },
  },
  {
    name: 'link-expired',
    by: null,
    open: async (page, shop) => {
      const address = await link(shop, 'invoice', minute);
      await shop.advance(2 * minute);
      await page.goto(address);
      await shown(page, 'This link is not valid any more');
    },
  },
  {
    name: 'link-revoked',
    by: null,
    open: async (page, shop) => {
      const address = await link(shop, 'invoice');
      await shop.inbox.revokeLink(address);
      await page.goto(address);
      await shown(page, 'This link is not valid any more');
    },
  },
  { name: 'sign-in', by: null, open: (page, { local }) => page.goto(`${local}/sign-in`) },
  {
    name: 'sign-in-failed',
    by: null,
    open: async (page, { local }) => {
      await page.goto(`${local}/log`);
      await page.locator('#token').fill('not-a-token');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await shown(page, 'This token is not known');
    },
  },
  { name: 'signed-out', by: null, open: (page, { url }) => page.goto(`${url}/log`) },
];

/** A page in place of one that the server refuses by its host, with everything that the server sends. */
async function underAnotherHost(page: Page, { inbox }: StateShop): Promise<void> {
  await page.route('http://rebound.example/**', async (route) => {
    const headers = { accept: 'text/html' };
    const response = await inbox.fetch(new Request(route.request().url(), { headers }));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    });
  });
  await page.goto('http://rebound.example/inbox');
}

const failures: readonly PageState[] = [
  { name: 'not-found', open: (page, { url }) => page.goto(`${url}/asks/nothing`) },
  { name: 'wrong-path', open: (page, { url }) => page.goto(url.replace('/inbox', '/staff/inbox')) },
  { name: 'wrong-host', open: underAnotherHost },
  {
    name: 'wrong-form',
    open: async (page, shop) => {
      await question(page, shop, 'invoice');
      // as a browser without scripts sends it
      await page.evaluate(
        'const form = document.querySelector("#decision form"); form.elements.token.value = "old"; form.submit()',
      );
      await shown(page, 'The form is too old');
    },
  },
  {
    name: 'server-error',
    open: async (page, shop) => {
      shop.registry.history = () => Promise.reject(new Error('A mistake of ours.'));
      await question(page, shop);
      await shown(page, 'Tell your operator this reference');
    },
  },
  {
    name: 'store-down',
    open: async (page, { port, url }) => {
      port.list = () => Promise.reject(new AgentError('store-unavailable', 'The store is down.'));
      await page.goto(url);
      await shown(page, 'Not available right now');
    },
  },
];

/** Two days of questions, most of them decided. */
async function history({ asked, answer, advance, registry }: StateShop): Promise<void> {
  for (let hour = 0; hour < 30; hour += 1) {
    const id = await asked(hour % 3 === 0 ? 'refund' : 'plan', `c-${hour}`);
    await advance((1 + ((hour * 7) % 10)) * minute);
    if (hour % 8 === 7) await registry.decline(id, { by: otto, reason: 'Not for us to decide.' });
    else await answer(id, hour % 3 === 0 ? true : 'Team');
    await advance(45 * minute);
  }
  for (const each of ['deploy', 'labels'] as const) await asked(each);
  await advance(10 * minute);
}

const operators: readonly PageState[] = [
  { name: 'log-empty', open: (page, { url }) => page.goto(`${url}/log`) },
  {
    name: 'log',
    open: async (page, shop) => {
      await history(shop);
      await page.goto(`${shop.url}/log`);
    },
  },
  { name: 'parked-empty', open: (page, { url }) => page.goto(`${url}/parked`) },
  {
    name: 'parked',
    open: async (page, { asked, answer, url }) => {
      for (const place of ['a', 'b']) await answer(await asked('transfer', place), true);
      await page.goto(`${url}/parked`);
      await page.locator('.other summary').first().click();
      await shown(page, 'Why it is closed');
    },
  },
  { name: 'health-empty', open: (page, { url }) => page.goto(`${url}/health`) },
  {
    name: 'health',
    open: async (page, shop) => {
      await history(shop);
      await page.goto(`${shop.url}/health`);
    },
  },
];

export const pageStates: readonly PageState[] = [
  ...list,
  ...questions,
  ...sending,
  ...visitors,
  ...failures,
  ...operators,
];
