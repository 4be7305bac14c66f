/** Attacks on the inbox in a real browser: a form and a frame of another site, and a scanner that runs the scripts of a link's page. */
import { expect, test } from 'vitest';
import { confirm } from '../../src/index.js';
import { createInbox } from '../../src/server/index.js';
import { browserForFile, serveForBrowser } from '../support/browser.js';
import { heldBy } from '../support/store.js';
import { anna, shop } from './kit.js';

const { visit } = await browserForFile();

/** An inbox that knows its people by a header, which the browser sends with every request: nothing but our own rules is in the way. */
async function attacked() {
  const made = await shop();
  const authenticate = ({ headers }: Request) => (headers.get('x-user') === 'anna' ? anna : null);
  const inbox = createInbox(made.registry, { authenticate, secret: 'a secret of at least 32 characters' });
  const there = { channel: 'phone', to: 'ops', answerableBy: { roles: ['manager'] }, links: 'decide' } as const;
  const { askId } = await made.registry.ask(confirm('Refund 48 EUR?'), there);
  const served = await serveForBrowser(inbox.fetch);
  const status = async () => (await made.registry.getAsk(askId))?.status;
  const stored = () => heldBy(made.store);
  return { ...made, inbox, served, askId, status, stored };
}

/** A page of another site, that of the name localhost. */
async function evilSite(html: string) {
  const headers = { 'content-type': 'text/html' };
  const served = await serveForBrowser(() => new Response(`<!doctype html><title>evil</title>${html}`, { headers }));
  return { ...served, url: `http://localhost:${served.port}/` };
}

test('a form of another site that knows everything decides nothing, and our own form does', async () => {
  const { served, inbox, askId, status } = await attacked();
  const { page } = await visit({ headers: { 'x-user': 'anna' } });
  const address = `${served.url}/inbox/asks/${askId}`;
  await page.goto(address);
  const fields = await page
    .locator(`form[action$="/answer"] input[type=hidden]`)
    .evaluateAll((inputs) =>
      inputs
        .map((input) => `<input name="${input.getAttribute('name')}" value="${input.getAttribute('value')}">`)
        .join(''),
    );
  expect(fields).toContain('name="token"');
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
    const evil = await evilSite(
      `<form method="post" enctype="${type}" action="${address}/answer">${fields}<input name="answer" value="yes"></form>`,
    );
    await page.goto(evil.url);
    const refused = page.waitForNavigation();
    await page.evaluate('document.forms[0].submit()');
    expect([403, 415], type).toContain((await refused)?.status());
    await evil.close();
  }
  expect(await status()).toBe('pending');
  await page.goto(address);
  await page.locator('button[name=answer][value=yes]').click();
  await expect.poll(status).toBe('answered');
  inbox.close();
  await served.close();
});

test('a frame of another site stays empty', async () => {
  const { served, inbox, askId } = await attacked();
  const evil = await evilSite(`<iframe src="${served.url}/inbox/asks/${askId}" width="800" height="600"></iframe>`);
  const { page, problems } = await visit({ headers: { 'x-user': 'anna' } });
  await page.goto(evil.url, { waitUntil: 'load' });
  await expect.poll(() => problems.join('\n')).toMatch(/frame/i);
  for (const frame of page.frames()) expect(await frame.content()).not.toContain('Refund');
  await evil.close();
  inbox.close();
  await served.close();
});

test('a scanner that runs the scripts of a link changes nothing; the person who comes after it decides, once', async () => {
  const { served, inbox, askId, status, stored } = await attacked();
  const address = `${served.url}${await inbox.link(askId, anna)}`;
  const before = stored();
  for (const options of [{}, { phone: true }, { javaScript: false }]) {
    const { page, context } = await visit(options);
    await page.goto(address, { waitUntil: 'load' });
    expect(await page.content()).toContain('Refund 48 EUR?');
    await page.reload();
    await page.goBack().catch(() => {});
    await context.close();
  }
  expect(stored()).toBe(before);
  const { page } = await visit();
  await page.goto(address);
  await page.locator('button[name=answer][value=yes]').click();
  await expect.poll(status).toBe('answered');
  const { page: second } = await visit();
  const again = await second.goto(address);
  expect(again?.status()).toBe(410);
  inbox.close();
  await served.close();
});
