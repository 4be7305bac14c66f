/** Every state of the inbox page: nothing that axe finds, in light and dark; nothing that scrolls sideways on a small screen. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessibilityProblems, browserForFile, screenshot } from '../../support/browser.js';
import { pageStates } from './states.js';
import { stateShop } from './states-kit.js';

const { visit } = await browserForFile();
const isPictured = process.env.SCREENSHOTS !== undefined;

/** Light: all of them. Dark is the same markup in other colours. */
const axeRules = { light: undefined, dark: ['color-contrast'] } as const;

test.each(pageStates)('$name', async ({ name, by = 'staff:anna', open }) => {
  const shop = await stateShop();
  const { page, context } = await visit(by === null ? {} : { headers: { 'x-user': by } });
  await page.clock.install({ time: shop.clock.now() });
  await open(page, shop);
  for (const look of ['light', 'dark', 'phone'] as const) {
    await page.emulateMedia({ colorScheme: look === 'dark' ? 'dark' : 'light' });
    await page.setViewportSize(look === 'phone' ? { width: 390, height: 844 } : { width: 1180, height: 720 });
    if (look !== 'phone') expect(await accessibilityProblems(page, axeRules[look]), look).toEqual([]);
    if (isPictured) await screenshot(page, `${name}-${look}`);
  }
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 664 });
    expect(await tooWide(page), `${width} px`).toEqual([]);
  }
  await context.close();
  await shop.close();
});

/** What makes the page scroll sideways. */
async function tooWide(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.body.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > clientWidth);
    return wide.map((each) => each.outerHTML.slice(0, 120));
  })()`);
}
