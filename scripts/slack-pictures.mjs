/**
 * `npm run screenshots:slack`: the pictures of docs/slack.md. They show what the channel gives to Slack, drawn by this script and not by
 * Slack: its own client looks different. It needs Chromium, by CHROMIUM or on PATH.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';
import { smallerPng } from './smaller-png.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { drawnMessage, drawnModal, readControl } = await drawing();
const at = new Date(Date.UTC(2030, 0, 7, 9, 30));

const approval = question('Refund 48 EUR for order 12345?', choices(['yes', 'Refund 48 EUR'], ['no', 'Not now']), {
  kind: 'confirm',
  details: { Customer: 'Ada', Reason: 'The lamp came broken', Order: '12345' },
  expiresAt: new Date(at.getTime() + 3_600_000),
});
const decided = { status: 'answered', answer: 'yes', decidedBy: { id: 'slack:T1/U7', name: 'Anna' }, decidedAt: at };
const settled = { ...approval, ask: { ...approval.ask, ...decided } };
const reasons = [
  'It is broken',
  'It is late',
  'It is the wrong one',
  'It is too large',
  'It is too small',
  'Something else',
];
const list = question('Why is it sent back?', choices(...reasons.map((label, i) => [`r${i}`, label])));
const form = question('Your refund', {
  type: 'fields',
  current: 'order',
  fields: [
    { name: 'order', text: 'Which order?', shape: { type: 'text' }, optional: false },
    { name: 'amount', text: 'How much, in EUR?', shape: { type: 'text', input: 'number' }, optional: false },
    { name: 'since', text: 'Since when is it broken?', shape: { type: 'text', input: 'date' }, optional: true },
  ],
});

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
try {
  await taken('slack', [approval, settled, list].map(messageHtml).join(''), 620);
  const [button] = drawnMessage(form).blocks.find(({ type }) => type === 'actions').elements;
  await taken('slack-modal', modalHtml(drawnModal(readControl(button).form)), 460);
} finally {
  await browser.close();
}

/** The functions of the channel that draw. The package does not export them. */
async function drawing() {
  const files = ['blocks', 'modal', 'action-data'].map(
    (name) => `export * from './src/channels/slack/drawing/${name}.ts';`,
  );
  const stdin = { contents: files.join('\n'), resolveDir: root };
  const { outputFiles } = await build({ stdin, bundle: true, platform: 'node', format: 'esm', write: false });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

function question(text, shape, more = {}) {
  const about = { retries: 0, maxRetries: 3, askedAt: at, channelName: 'slack', answerableBy: 'asker', effectKey: 'e' };
  const ask = {
    id: 'a1',
    conversationId: 'c1',
    agentName: 'refunds',
    question: text,
    status: 'pending',
    kind: 'choice',
  };
  return { key: 'k1', conversationId: 'c1', address: null, text, shape, ask: { ...ask, ...about, ...more } };
}

function choices(...pairs) {
  return { type: 'choices', choices: pairs.map(([id, label]) => ({ id, label })), many: false };
}

async function taken(name, body, width) {
  const page = await browser.newPage({ viewport: { width, height: 100 }, timezoneId: 'UTC' });
  await page.setContent(`<!doctype html><style>${style()}</style><main>${body}</main>`);
  const picture = smallerPng(await page.locator('main').screenshot());
  writeFileSync(join(root, `docs/${name}.png`), picture);
  console.log(`docs/${name}.png, ${Math.ceil(picture.length / 1000)} KB`);
}

// --- Block Kit as HTML ---

function messageHtml(message) {
  const blocks = drawnMessage(message).blocks.map(blockHtml).join('');
  return `<article><span class="face">a</span><div><b>askback</b> <small>APP 09:30</small>${blocks}</div></article>`;
}

function modalHtml({ title, submit, close, blocks }) {
  const buttons = `<footer><button>${close.text}</button><button class="primary">${submit.text}</button></footer>`;
  return `<article class="modal"><div><h1>${title.text}</h1>${blocks.map(blockHtml).join('')}${buttons}</div></article>`;
}

function blockHtml({ type, text, fields, elements, label, element, optional }) {
  if (type === 'section' && fields) return `<dl>${fields.map((field) => `<dd>${textHtml(field)}</dd>`).join('')}</dl>`;
  if (type === 'section') return `<p>${textHtml(text)}</p>`;
  if (type === 'context') return `<p class="note">${elements.map(textHtml).join(' · ')}</p>`;
  if (type === 'actions') return `<div class="row">${elements.map(elementHtml).join('')}</div>`;
  return `<label>${textHtml(label)}${optional ? ' <small>(optional)</small>' : ''}${elementHtml(element)}</label>`;
}

/** Texts are escaped already. A time is shown as its fallback. */
function textHtml({ type, text }) {
  return type === 'mrkdwn' ? text.replace(/<!date\^\d+\^[^|]*\|([^>]*)>/, '$1') : text.replaceAll('\n', '<br>');
}

function elementHtml({ type, text, style: kind = '', options = [] }) {
  if (type === 'button') return `<button class="${kind}">${text.text}</button>`;
  if (type === 'radio_buttons') return options.map((each) => `<i><input type="radio">${each.text.text}</i>`).join('');
  if (type === 'plain_text_input') return '<textarea rows="2"></textarea>';
  return `<input placeholder="${type === 'datepicker' ? 'Select a date' : ''}">`;
}

function style() {
  return `* { box-sizing: border-box; font: 15px/1.45 sans-serif; } body { margin: 0; } main { padding: 16px; background: #fff; color: #1d1c1d; }
    article { display: flex; gap: 10px; padding: 10px 0; } article > div { flex: 1; } b { font-weight: 700; }
    .face { width: 36px; height: 36px; border-radius: 8px; background: #2f5d50; color: #fff; text-align: center; line-height: 36px; }
    p { margin: 4px 0; } small, .note { color: #616061; font-size: 12px; }
    dl { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 16px; margin: 6px 0; } dd { margin: 0; }
    .row { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; } .row i { flex-basis: 100%; font-style: normal; }
    button { border: 1px solid #bbb; border-radius: 8px; background: #fff; padding: 5px 12px; font-weight: 700; }
    .primary { background: #007a5a; border-color: #007a5a; color: #fff; } .danger { background: #c01343; color: #fff; }
    .modal { border: 1px solid #ddd; border-radius: 10px; padding: 16px; } h1 { font-size: 20px; font-weight: 700; margin: 0 0 10px; }
    label { display: block; margin: 12px 0; font-weight: 700; } label input, textarea { display: block; width: 100%; margin-top: 6px; padding: 8px; border: 1px solid #bbb; border-radius: 6px; }
    footer { display: flex; justify-content: flex-end; gap: 8px; margin-top: 16px; }`;
}
