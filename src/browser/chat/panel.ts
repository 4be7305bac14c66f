/**
 * The elements of the chat that are always there, in a shadow tree that the page around does not style. They are made here; what they do
 * is elsewhere.
 */
import { el } from '../elements.js';
import { option, texts, title } from './settings.js';

/** The content of style.css, minified: scripts/browser.mjs fills it in. */
declare const CHAT_STYLE: string;

/** The chat fills the page, stands in an element of it, or floats above it. */
export const mode = option('page') !== undefined ? 'page' : option('target') ? 'inline' : 'float';

export const host = document.createElement('askback-chat');
host.dataset.mode = mode;
export const root = host.attachShadow({ mode: 'open' });
const sheet = new CSSStyleSheet(); // no inline style: a strict content security policy allows it
sheet.replaceSync(CHAT_STYLE);
root.adoptedStyleSheets = [sheet];

export const list = el('ol');
const logAttributes = { class: 'log', role: 'log', 'aria-live': 'polite', 'aria-label': texts.log, tabindex: '0' };
export const log = el('div', logAttributes, list);
export const stateLine = el('p', { class: 'state', role: 'status' });

const inputAttributes = { id: 'input', rows: '1', enterkeyhint: 'send', maxlength: '60000', autocomplete: 'off' };
export const input = el('textarea', inputAttributes);
export const inputLabel = el('label', { class: 'hidden', for: 'input' }, texts.message);
const sendButton = el('button', { class: 'main' }, texts.send);
export const composer = el('form', { class: 'composer' }, inputLabel, input, sendButton);

export const closeButton = el('button', { type: 'button', class: 'link' }, texts.close);
const header = el('header', {}, el('h1', {}, title), stateLine, mode === 'float' && closeButton);
const panelAttributes = { class: 'panel', 'aria-label': title };
export const panel = el(mode === 'page' ? 'main' : 'section', panelAttributes, header, log, composer);
export const launcher = el('button', { type: 'button', class: 'launch main', 'aria-expanded': 'false' }, texts.open);

root.append(panel);
if (mode === 'float') {
  panel.hidden = true;
  root.append(launcher);
}

/** Marks the button that opens the chat: something was said while it was closed. */
export function markNews(): void {
  if (panel.hidden) launcher.classList.add('news');
}

export function scrollToEnd(): void {
  log.scrollTop = log.scrollHeight;
}

// --- the focus ---

let isFocusParked = false;

/** Holds the focus in the composer while the control that had it is used or replaced. */
export function parkFocus(): void {
  isFocusParked = true;
  input.focus();
}

/** Moves a parked focus on to the next question: to the question if it has controls, else it stays in the composer. */
export function moveParkedFocus(question: HTMLElement): void {
  if (!isFocusParked) return;
  isFocusParked = false;
  if (question.querySelector('button, input, select')) question.focus();
  else input.focus();
}
