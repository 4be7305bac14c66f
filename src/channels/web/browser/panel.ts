/**
 * Part of the script of the web chat, for browsers. The elements of the chat that are always there, and the composer.
 */
export const chatPanel = `
const mode = option('page') !== undefined ? 'page' : option('target') ? 'inline' : 'float';
const host = el('askback-chat', { 'data-mode': mode });
const root = host.attachShadow({ mode: 'open' });
const sheet = new CSSStyleSheet(); // no inline style: a strict content security policy allows it
sheet.replaceSync("%STYLE%");
root.adoptedStyleSheets = [sheet];

const list = el('ol');
const log = el('div', { class: 'log', role: 'log', 'aria-live': 'polite', 'aria-label': texts.log, tabindex: '0' }, list);
const state = el('p', { class: 'state', role: 'status' });
const input = el('textarea', { id: 'input', rows: '1', enterkeyhint: 'send', maxlength: '60000', autocomplete: 'off' });
const label = el('label', { class: 'hidden', for: 'input' }, texts.message);
const composer = el('form', { class: 'composer' }, label, input, el('button', { class: 'main' }, texts.send));
const close = el('button', { type: 'button', class: 'link', onclick: () => toggle(false) }, texts.close);
const heading = el('h1', {}, title);
const panel = el(mode === 'page' ? 'main' : 'section', { class: 'panel', 'aria-label': title },
  el('header', {}, heading, state, mode === 'float' && close), log, composer);
const launcher = el('button', { type: 'button', class: 'launch main', 'aria-expanded': 'false', onclick: () => toggle(panel.hidden) }, texts.open);
root.append(panel);
if (mode === 'float') {
  panel.hidden = true;
  root.append(launcher);
}

function toggle(open) {
  panel.hidden = !open;
  host.classList.toggle('open', open);
  launcher.setAttribute('aria-expanded', String(open));
  launcher.classList.remove('news');
  if (open) { start(); render(); input.focus(); log.scrollTop = log.scrollHeight; } else launcher.focus();
}
panel.addEventListener('keydown', (event) => { if (event.key === 'Escape' && mode === 'float') toggle(false); });
function noticed() { if (panel.hidden) launcher.classList.add('news'); }

function openAsk() {
  const decided = new Set(items.filter((item) => item.type === 'decided').map((item) => item.askId));
  return items.findLast((item) => item.ask && item.ask.status === 'pending' && !decided.has(item.ask.id));
}
function draft() {
  const kept = storage.get('draft');
  if (kept && !input.value) input.value = kept;
}
const isSecret = () => { const item = openAsk(); return Boolean(item && item.ask.sensitive && item.ask.mine); };
input.addEventListener('input', () => { if (!isSecret()) storage.set('draft', input.value); });
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  composer.requestSubmit();
});
composer.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = input.value;
  if (!text.trim()) return;
  const secret = isSecret();
  send({ text }, { label: secret ? texts.hidden : text, ...(secret ? { secret } : {}) });
  input.value = '';
  storage.set('draft', null);
});
`;
