/** The page in a real browser: one way through it. Everything else is in page.long.test.ts. */
import { expect, test } from 'vitest';
import { accessibilityProblems, browserForFile } from '../../support/browser.js';
import { asAnna, browserShop } from './browser-kit.js';

const { visit } = await browserForFile();

test('a question is opened from the list and answered by keyboard, without accessibility problems', async () => {
  const { asked, url, told, close } = await browserShop();
  await asked('refund');
  const { page, problems } = await visit(asAnna);
  await page.goto(url);
  await page.getByText('Refund 48 EUR?').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Refund 48 EUR?' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press('Enter'); // nothing has the focus: it sends nothing
  await page.keyboard.press('1'); // chooses, and sends nothing
  expect(told).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Answered: Yes' }).waitFor();
  expect(told).toEqual([true]);
  expect(problems).toEqual([]);
  await close();
});
