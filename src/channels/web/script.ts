/**
 * The script of the web chat, as a page loads it: plain JavaScript for browsers, without a build step, joined from the parts in browser/,
 * which share one scope. What people wrote is only ever text, never markup. It keeps nothing but the visitor, the draft and what is not
 * sent yet.
 */
import { chatDrawing } from './browser/drawing.js';
import { chatPanel } from './browser/panel.js';
import { chatReading } from './browser/reading.js';
import { chatSending } from './browser/sending.js';
import { chatSettings } from './browser/settings.js';
import { chatSignIn } from './browser/sign-in.js';
import { chatStyle } from './style.js';

const begin = `
function mount() {
  let parent = document.body;
  if (mode === 'inline') try { parent = document.querySelector(option('target')); } catch { parent = null; }
  if (!parent) return report('data-target is ' + JSON.stringify(option('target')) + ', and the page has no such element. Give a selector of one.');
  parent.append(host);
  render();
  let known = false;
  try { known = Boolean(localStorage.getItem(issuedKey)); } catch { /* as above */ }
  if (mode !== 'float' || known) start();
}
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', mount);
else mount();
`;

const parts = [chatSettings, chatSignIn, chatReading, chatSending, chatPanel, chatDrawing, begin];
const source = `(() => {\n'use strict';\n${parts.join('')}})();\n`;

/** As it is sent: without what only its readers here need. */
function sent(text: string): string {
  return text
    .replace(/ \/\/ .*$| \/\* .* \*\//gm, '') // comments; a string has none of these with the spaces around it
    .replace(/^ *(\/\/.*)?\n/gm, '')
    .replace(/^ +/gm, '');
}

function sentStyle(text: string): string {
  return text
    .replace(/\s*([{};,])\s*/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim();
}

/** With its look in it: one tag is all that a page needs. */
export const chatScript = sent(source).replace('"%STYLE%"', () => JSON.stringify(sentStyle(chatStyle)));
