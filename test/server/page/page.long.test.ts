/** The page in a real browser: two people at once, expiry, no scripts, a phone, many questions, the keyboard, every state. */
import { expect, test } from 'vitest';
import { AgentError, AgentRegistry, agent, confirm } from '../../../src/index.js';
import { inboxPort } from '../../../src/registry/inbox/inbox-port.js';
import { createInbox } from '../../../src/server/index.js';
import { accessibilityProblems, browserForFile, serveForBrowser } from '../../support/browser.js';
import { byHeader } from '../page-kit.js';
import { asAnna, asOtto, browserShop, staff } from './browser-kit.js';

const { visit } = await browserForFile();

test('an ask that needs two: the first vote shows in the other window, the second decides, and both see it', async () => {
  const { asked, url, told, close } = await browserShop();
  const id = await asked('both');
  const [anna, otto] = [await visit(asAnna), await visit(asOtto)];
  await anna.page.goto(`${url}/asks/${id}`);
  await otto.page.goto(`${url}/asks/${id}`);
  await otto.page.getByText('0 of 2 have said yes').waitFor();
  await anna.page.getByRole('button', { name: /^Yes/ }).click();
  await anna.page.getByText('You said yes').waitFor();
  await otto.page.getByText('1 of 2 have said yes').waitFor();
  expect(await otto.page.getByText('Cancel the question').count(), 'only operators cancel').toBe(0);
  await otto.page.getByRole('button', { name: /^Yes/ }).click();
  await otto.page.getByRole('heading', { name: 'Answered: Yes' }).waitFor();
  await anna.page.getByRole('heading', { name: 'Answered: Yes' }).waitFor();
  expect(told).toEqual([true]);
  expect([...anna.problems, ...otto.problems]).toEqual([]);
  await close();
});

test('a new question waits behind a pill, and a decided one says by whom and leaves, without moving the list', async () => {
  const { asked, registry, url, close } = await browserShop();
  const first = await asked('refund', 'c-1');
  await asked('refund', 'c-2');
  const { page, problems } = await visit(asAnna);
  await page.goto(url);
  const place = () => page.locator('#rows li').last().boundingBox();
  const before = await place();
  await asked('refund', 'c-3');
  const pill = page.getByRole('button', { name: '1 new' });
  await pill.waitFor();
  await page.waitForFunction('document.title.startsWith("(3)")');
  await pill.click();
  expect(await page.locator('#rows li').count()).toBe(3);
  await page.locator(`#rows li[data-id="${first}"] a`).hover();
  const held = await page.locator('#rows li').last().boundingBox();
  await registry.answer(first, { value: true }, { by: { id: 'staff:otto', name: 'Otto', roles: ['manager'] } });
  await page.getByText('Answered: Yes · Otto').waitFor();
  expect(await page.locator('#rows li').last().boundingBox()).toEqual(held);
  await page.mouse.move(900, 700);
  await expect.poll(() => page.locator('#rows li').count()).toBe(2);
  expect(before?.x).toBe((await place())?.x);
  expect(problems).toEqual([]);
  await close();
});

test('what expires while somebody writes stays readable and cannot be sent', async () => {
  const { asked, url, told, close } = await browserShop();
  const id = await asked('brief');
  const { page } = await visit(asAnna);
  await page.goto(`${url}/asks/${id}`);
  await page.locator('textarea[name=answer]').fill('half a sent');
  await page.getByText('The time is over. What you wrote is still here').waitFor();
  expect(await page.locator('textarea[name=answer]').inputValue()).toBe('half a sent');
  expect(await page.getByRole('button', { name: 'Send this answer' }).isDisabled()).toBe(true);
  expect(told).toEqual([]);
  await close();
});

test('whoever decides without a connection stays on the page, keeps what they wrote, and it counts once they are back', async () => {
  const { asked, url, told, close } = await browserShop();
  const id = await asked('note');
  const { page, context } = await visit(asAnna);
  await page.goto(`${url}/asks/${id}`);
  await page.locator('textarea[name=answer]').fill('the blue one');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Send this answer' }).click();
  await page.getByRole('alert').getByText('There is no connection').waitFor();
  await page.locator('.brand').click(); // a link is not followed to the browser's own page of errors
  expect(page.url()).toBe(`${url}/asks/${id}`);
  expect(await page.locator('textarea[name=answer]').inputValue()).toBe('the blue one');
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Send this answer' }).click();
  await page.getByRole('heading', { name: 'Answered: the blue one' }).waitFor();
  expect(told).toEqual(['the blue one']);
  expect(await page.evaluate('document.activeElement.textContent')).toContain('Answered: the blue one');
  await close();
});

test('a server that fails is told beside the form, which keeps what was written', async () => {
  const { asked, registry, url, told, close } = await browserShop();
  const id = await asked('parcel');
  const { page } = await visit(asAnna);
  await page.goto(`${url}/asks/${id}`);
  await page.getByLabel('Weight in kg').fill('2.5');
  await page.getByLabel('Yes', { exact: true }).check();
  const port = registry[inboxPort];
  const { answer } = port;
  port.answer = () => Promise.reject(new AgentError('store-unavailable', 'The database is away.'));
  await page.getByRole('button', { name: 'Send this answer' }).click();
  await page.getByRole('alert').getByText('Not available right now').waitFor();
  expect(await page.getByLabel('Weight in kg').inputValue()).toBe('2.5');
  port.answer = answer;
  await page.getByRole('button', { name: 'Send this answer' }).click();
  await page.getByRole('heading', { name: 'Answered' }).waitFor();
  expect(told).toEqual([{ weight: 2.5, fast: true }]);
  await close();
});

test('without scripts a form is filled in, corrected and sent', async () => {
  const { asked, url, told, close } = await browserShop();
  const id = await asked('parcel');
  const { page } = await visit({ ...asAnna, javaScript: false });
  await page.goto(url);
  await page.getByText('Parcel').click();
  await page.getByLabel('Weight in kg').fill('2.5');
  await page.getByRole('button', { name: 'Send this answer' }).click();
  await page.getByRole('link', { name: 'Express?: Please answer this.' }).waitFor();
  expect(await page.getByLabel('Weight in kg').inputValue()).toBe('2.5');
  await page.getByLabel('No', { exact: true }).check();
  await page.getByRole('button', { name: 'Send this answer' }).click();
  await page.getByText('Answered').first().waitFor();
  expect(told).toEqual([{ weight: 2.5, fast: false }]);
  expect(id).not.toBe('');
  await close();
});

test.each([
  { width: 390, dark: false },
  { width: 320, dark: true },
])(
  'at $width px nothing scrolls sideways, and every page and state is accessible (dark: $dark)',
  async ({ width, dark }) => {
    const { asked, registry, url, inbox, close } = await browserShop();
    const { page, problems } = await visit({ ...asAnna, phone: true, dark });
    await page.setViewportSize({ width, height: 664 });
    const look = async (path: string) => {
      await page.goto(url + path);
      const [scrolled, seen] = (await page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )) as [number, number];
      expect(scrolled, path).toBeLessThanOrEqual(seen);
      expect(await accessibilityProblems(page), path).toEqual([]);
    };
    await look(''); // nothing waits
    const ids = [await asked('refund'), await asked('both'), await asked('plan'), await asked('parcel')];
    await look('');
    await look('?agent=nobody');
    for (const id of ids) await look(`/asks/${id}`);
    await registry.answer(
      ids[0] ?? '',
      { value: true },
      { by: { id: 'staff:otto', name: 'Otto', roles: ['manager'] } },
    );
    const link = await inbox.link(ids[2] ?? '', { id: 'staff:anna', name: 'Anna', roles: ['manager'] });
    for (const path of [
      `/asks/${ids[0]}`,
      '/log',
      '/parked',
      '/health',
      '/nothing',
      '/sign-in',
      link.slice('/inbox'.length),
      '/link/none',
    ])
      await look(path);
    expect(problems.filter((each) => !each.includes('404'))).toEqual([]);
    await close();
  },
);

test('the first eight pages of 5 000 waiting questions show each once', async () => {
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('Sure?'), {
    answerableBy: { roles: ['manager'] },
    onAnswer: () => undefined,
  });
  shop.onMessage(({ ask }) => ask(sure));
  const registry = new AgentRegistry({ agents: [shop] });
  await registry.start();
  for (let from = 0; from < 5_000; from += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        registry.handle({ id: `m${from + i}`, conversationId: `c${from + i}`, text: 'go' }),
      ),
    );
  const server = await serveForBrowser(createInbox(registry, { authenticate: byHeader(staff) }).fetch);
  const { page } = await visit(asAnna);
  await page.goto(`${server.url}/inbox`);
  const seen = new Set<string>();
  for (let i = 0; i < 8; i += 1) {
    const ids = (await page.evaluate(
      '[...document.querySelectorAll("#rows li")].map((row) => row.dataset.id)',
    )) as string[];
    expect(ids).toHaveLength(25);
    for (const id of ids) seen.add(id);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.waitForLoadState();
  }
  expect(seen.size).toBe(200);
  await server.close();
  await registry.stop();
});

test('ten questions are worked off by keyboard alone', async () => {
  const { asked, url, told, close } = await browserShop();
  for (let i = 0; i < 10; i += 1) await asked(i % 2 === 0 ? 'refund' : 'plan', `c-${i}`);
  const { page, problems } = await visit(asAnna);
  await page.goto(url);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  for (let i = 0; i < 10; i += 1) {
    await page.locator('#decision').waitFor();
    await page.keyboard.press('1');
    const isRadio = (await page.locator('#decision input[type=radio]').count()) > 0;
    await page.keyboard.press(isRadio ? 'Control+Enter' : 'Enter');
    await page.locator('#outcome section').waitFor();
    expect(told).toHaveLength(i + 1);
    await page.keyboard.press('n');
  }
  await page.goto(url);
  await page.getByText('Nothing is waiting').waitFor();
  await asked('refund', 'c-last');
  await page.getByText('Refund 48 EUR?').waitFor();
  await page.keyboard.press('?');
  await page.getByLabel('Single keys are on').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  expect(await page.evaluate('document.activeElement.closest("#rows") === null')).toBe(true);
  expect(problems).toEqual([]);
  await close();
});
