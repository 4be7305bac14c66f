/**
 * `npm run screenshots`: the pictures of the chat and the inbox in docs/, taken of what `npm start` starts. It needs Chromium, by CHROMIUM
 * or on PATH.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';
import { smallerPng } from './smaller-png.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const port = 4700 + Math.floor(Math.random() * 90);
const folder = mkdtempSync(join(tmpdir(), 'askback-screenshots-'));
const demo = spawn(process.execPath, [join(root, 'scripts/start.mjs'), '--port', `${port}`, '--folder', folder]);
try {
  const token = await new Promise((resolve, reject) => {
    demo.stdout.on('data', (text) => {
      const found = /token (\w+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
    demo.stderr.on('data', (text) => reject(new Error(`${text}`)));
  });
  await takePictures(`http://127.0.0.1:${port}`, token);
} finally {
  demo.kill();
  await new Promise((resolve) => demo.once('close', resolve));
  rmSync(folder, { recursive: true });
}

async function takePictures(url, token) {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const look = { viewport: { width: 860, height: 560 }, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' };
    const chat = await (await browser.newContext(look)).newPage();
    await chat.goto(`${url}/`);
    await say(chat, 'Hello, my lamp came broken. Can I have a refund?');
    await chat.getByLabel('Your name').fill('Ada');
    await chat.getByLabel('Order number').fill('12345');
    await chat.getByLabel('It is broken').check();
    await taken(chat, 'chat-form');
    await chat.getByRole('log').getByRole('button', { name: 'Send' }).click();
    await chat.getByText('Our manager is looking at it').waitFor();

    const wide = { ...look, viewport: { width: 1200, height: 760 } };
    const inbox = await (await browser.newContext(wide)).newPage();
    await inbox.goto(`${url}/inbox/sign-in`);
    await inbox.locator('input:not([type=hidden])').first().fill(token);
    await inbox.keyboard.press('Enter');
    await inbox.getByText('Refund 48 EUR for a lamp?').first().click();
    await inbox.getByRole('button', { name: 'Refund 48 EUR' }).or(inbox.getByLabel('Refund 48 EUR')).first().waitFor();
    await taken(inbox, 'inbox');

    await inbox.goto(`${url}/inbox`);
    const { asks } = await call(`${url}/inbox/api/v1/asks`, token);
    await call(`${url}/inbox/api/v1/asks/${asks[0].id}/answer`, token, { value: true });
    await chat.getByText('Done: 48 EUR').waitFor();
    await taken(chat, 'chat');
  } finally {
    await browser.close();
  }
}

async function say(page, text) {
  await page.getByRole('textbox', { name: 'Your message' }).fill(text);
  await page.keyboard.press('Enter');
}

async function taken(page, name) {
  const path = join(root, `docs/${name}.png`);
  const picture = smallerPng(await page.screenshot());
  writeFileSync(path, picture);
  console.log(`docs/${name}.png, ${Math.ceil(picture.length / 1000)} KB`);
}

async function call(url, token, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  return response.json();
}
