/** The operator's view in a real browser: light, dark and on a phone, without accessibility problems. */
import { expect, test } from 'vitest';
import { healthView } from '../../src/server/charts/health.js';
import { statsOf, windowOf } from '../../src/server/charts/stats.js';
import { assets } from '../../src/server/page/assets/assets.js';
import { page, pageHeaders } from '../../src/server/page/layout.js';
import { accessibilityProblems, browserForFile, screenshot, serveForBrowser } from '../support/browser.js';

const { visit } = await browserForFile();

const hour = 60 * 60_000;
const now = Date.UTC(2030, 0, 2, 12, 30);
const endings = ['answered', 'answered', 'answered', 'declined', 'expired'] as const;

/** A day of a busy desk: slow at night, an outlier at noon. */
const decided = Array.from({ length: 400 }, (_, i) => {
  const decidedAt = now - ((i * 7919) % 1_440) * 60_000;
  const took = i === 7 ? 20 * 24 * hour : 30_000 + ((i * 104_729) % 5_400) * 1_000;
  return { status: endings[i % 5] ?? 'answered', decidedAt, askedAt: decidedAt - took };
});
const open = Array.from({ length: 12 }, (_, i) => ({ status: 'pending' as const, askedAt: now - i * 17 * 60_000 }));
const parkedAt = [now - 5 * hour, now - 2 * hour];
const window = windowOf('hour', now, 30 * 24 * hour);
const views = {
  busy: statsOf(window, { decided, open, parkedAt }),
  cut: statsOf(window, { decided, open, parkedAt, coveredFrom: now - 6 * hour }),
  nothing: statsOf(window, { decided: [], open: [], parkedAt: [] }),
};

test.each([{}, { dark: true }, { phone: true }])('the charts can be read by everybody, %o', async (options) => {
  const site = await serveForBrowser(async ({ url }) => {
    const name = new URL(url).pathname.slice(1) as keyof typeof views;
    if (name.includes('assets/')) return new Response(assets.style.text, { headers: { 'content-type': 'text/css' } });
    const frame = { base: '', styles: undefined, now, person: undefined };
    const body = { title: 'Health', current: 'health' as const, content: healthView('', views[name]) };
    return new Response(String(await page(frame, body)), { headers: pageHeaders });
  });
  const { page: tab, problems } = await visit(options);
  if ('phone' in options) await tab.setViewportSize({ width: 320, height: 640 });
  for (const name of Object.keys(views)) {
    await tab.goto(`${site.url}/${name}`);
    expect(await accessibilityProblems(tab)).toEqual([]);
    expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await screenshot(tab, `health-${name}-${Object.keys(options)[0] ?? 'light'}`);
  }
  expect(problems).toEqual([]);
  await site.close();
});
