/**
 * The browser helper that the page and the web chat are tested with.
 */
import { expect, test } from 'vitest';
import { accessibilityProblems, browserForFile, serveForBrowser } from '../../support/browser.js';

const { visit } = await browserForFile();

test('a page is visited, its refusals are told, and axe sees through its content security policy', async () => {
  const site = await serveForBrowser(
    () =>
      new Response('<!doctype html><title>A</title><main><img src="data:,"><script>alert(1)</script></main>', {
        headers: { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'" },
      }),
  );
  const { page, problems } = await visit({ phone: true, dark: true });
  await page.goto(site.url);
  expect(await accessibilityProblems(page)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^image-alt/), expect.stringMatching(/^html-has-lang/)]),
  );
  expect(problems.join()).toContain('Content Security Policy');
  await site.close();
});
