/**
 * `npm run screenshots:mail`: the pictures of docs/email.md. They show the HTML part of a mail as a browser draws it; mail programs
 * differ. With a folder as its argument it writes all of them there: light and dark, at 390 and 800 pixels. It needs Chromium, by CHROMIUM
 * or on PATH.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';
import { smallerPng } from './smaller-png.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder] = process.argv.slice(2);
const { drawnMail, english } = await drawing();
const at = new Date(Date.UTC(2030, 0, 7, 9, 30));
const link = 'https://agents.example.com/inbox/asks/018f3a52?t=b3f0c2';

const choices = [
  { id: 'yes', label: 'Refund 48 EUR' },
  { id: 'no', label: 'Not now' },
];
const text = 'Refund 48 EUR for order 12345?';
const ask = {
  ...{ id: 'a1', conversationId: 'c1', agentName: 'refunds', question: text, status: 'pending', kind: 'confirm' },
  ...{ retries: 0, maxRetries: 3, askedAt: at, channelName: 'email', answerableBy: 'asker', effectKey: 'e' },
  details: { Customer: 'Ada', Reason: 'The lamp came broken, and the second one, too', Order: '12345' },
  expiresAt: new Date(at.getTime() + 3_600_000),
};
const message = {
  ...{ key: 'ask:a1:0', conversationId: 'c1', address: 'anna@example.com', text, locale: 'en', ask },
  ...{ shape: { type: 'choices', choices, many: false }, hint: english.wording.pickHint() },
};
const mails = {
  reply: drawnMail(message, { wording: english.wording, link, canReply: true }),
  page: drawnMail(message, { wording: english.wording, link, canReply: false }),
};

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
try {
  if (folder === undefined) {
    await taken(join(root, 'docs/email.png'), mails.reply, 'light', 800);
    await taken(join(root, 'docs/email-dark.png'), mails.page, 'dark', 390);
  } else {
    mkdirSync(resolve(folder), { recursive: true });
    for (const [name, mail] of Object.entries(mails))
      for (const scheme of ['light', 'dark'])
        for (const width of [390, 800])
          await taken(resolve(folder, `${name}-${scheme}-${width}.png`), mail, scheme, width);
  }
} finally {
  await browser.close();
}

/** The function of the channel that draws. The package does not export it. */
async function drawing() {
  const files = ['channels/email/drawing/mail', 'core/wording/english'].map(
    (name) => `export * from './src/${name}.ts';`,
  );
  const stdin = { contents: files.join('\n'), resolveDir: root };
  const options = { bundle: true, platform: 'node', format: 'esm', write: false };
  const { outputFiles } = await build({ stdin, ...options });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

async function taken(file, { html }, colorScheme, width) {
  const page = await browser.newPage({ viewport: { width, height: 100 }, colorScheme });
  await page.setContent(html);
  const picture = smallerPng(await page.screenshot({ fullPage: true }));
  writeFileSync(file, picture);
  console.log(`${file}, ${Math.ceil(picture.length / 1000)} KB`);
  await page.close();
}
