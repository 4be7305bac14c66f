/**
 * The script of the page: live updates, countdowns, unread marks and keys. Everything works without it. It draws nothing of its own: it
 * loads the same page again and takes over what has changed, so that rights and markup are made in one place, the server.
 */
import { liveClient } from '../../live/client.js';

export const script = `${liveClient}
const { base, texts: json } = document.body.dataset;
const texts = JSON.parse(json);
const byId = (id) => document.getElementById(id);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const kept = {
  get(name, otherwise) {
    try { return JSON.parse(localStorage.getItem('askback:' + name)) ?? otherwise; } catch { return otherwise; }
  },
  set(name, value) {
    try { localStorage.setItem('askback:' + name, JSON.stringify(value)); } catch { /* storage is switched off */ }
  },
};
document.documentElement.classList.add('js');

// --- times ---

const zone = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium', timeStyle: 'short' });
const counted = (unit, count) => unit.replace('#', Math.floor(count));
const ago = (ms) => ms < 60e3 ? texts.now : ms < 36e5 ? counted(texts.minutes, ms / 60e3) : ms < 1728e5 ? counted(texts.hours, ms / 36e5) : counted(texts.days, ms / 864e5);
const two = (count) => String(count).padStart(2, '0');
function countdown(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const rest = two(s % 60);
  return s >= 3600 ? Math.floor(s / 3600) + ':' + two(Math.floor(s / 60) % 60) + ':' + rest : Math.floor(s / 60) + ':' + rest;
}
function localTimes(from) {
  for (const time of all('time[data-exact]', from)) time.textContent = zone.format(new Date(time.dateTime));
}
function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
const said = new Set();
function tick() {
  const now = Date.now();
  for (const time of all('time[data-ago]')) set(time, ago(now - Date.parse(time.dateTime)));
  for (const time of all('time.left')) {
    const [from, end] = [Number(time.dataset.from), Date.parse(time.dateTime)];
    const soon = now >= end - (end - from) / 4;
    time.classList.toggle('soon', soon);
    set(time, now >= end ? texts.over : soon ? countdown(end - now) : ago(end - now));
  }
  const left = document.querySelector('#ask[data-open] time.left');
  if (left) deadline(Date.parse(left.dateTime) - now);
}
function deadline(ms) {
  const once = (name, text) => { if (!said.has(name)) { said.add(name); announce(text); } };
  if (ms <= 0) return over();
  if (ms <= 60e3) once('1', texts.oneMinute);
  else if (ms <= 300e3) once('5', texts.fiveMinutes);
}
/** The time is over while somebody writes: what they wrote stays, and cannot be sent. */
function over() {
  const ask = byId('ask');
  if (!ask || !('open' in ask.dataset)) return;
  close(texts.timeIsOver);
  const prefix = ask.querySelector('[data-prefix]');
  if (prefix) prefix.textContent = '';
  later(1500);
}
function close(text) {
  const ask = byId('ask');
  delete ask.dataset.open;
  for (const button of all('#decision button, .other button', ask)) button.disabled = true;
  for (const field of all('#decision textarea, #decision input:not([type=hidden])', ask)) field.readOnly = true;
  notice(text);
}

// --- telling ---

function announce(text) { set(byId('announce'), ''); set(byId('announce'), text); }
function status(text) {
  const line = byId('status');
  line.hidden = text === '';
  set(line, text);
}
function notice(text, href) {
  let box = byId('live-notice');
  if (!box) {
    box = document.createElement('div');
    box.id = 'live-notice';
    box.className = 'notice bad';
    box.setAttribute('role', 'status');
    byId('outcome').before(box);
  }
  box.textContent = text;
  if (href) {
    const link = document.createElement('a');
    link.href = href;
    link.textContent = texts.look;
    box.append(' ', link);
  }
}

// --- unread ---

const seen = new Set(kept.get('seen', []));
const opened = byId('ask')?.dataset.id;
if (opened) {
  seen.delete(opened);
  seen.add(opened);
  kept.set('seen', [...seen].slice(-500));
}
function unread() {
  for (const row of all('#rows > li')) row.classList.toggle('unread', !seen.has(row.dataset.id));
}

// --- live ---

let waiting = new Map();
let timer = 0;
let loading = false;
let again = false;
let pointed = false;
byId('rows')?.addEventListener('pointerenter', () => { pointed = true; });
byId('rows')?.addEventListener('pointerleave', () => { pointed = false; });

function later(ms = 300) {
  if (timer === 0) timer = setTimeout(() => { timer = 0; refresh(); }, ms + Math.random() * 200);
}
let isGone = false;
async function refresh() {
  if (loading) { again = true; return; }
  loading = true;
  try {
    const response = await fetch(isGone ? (base || '/') + location.search : location.href, { headers: { accept: 'text/html' }, redirect: 'error' });
    if (response.status === 401) return signedOut();
    if (response.status === 404 && byId('ask') && !isGone) return gone();
    if (!response.ok) return;
    if (isOut) { isOut = false; status(''); }
    take(new DOMParser().parseFromString(await response.text(), 'text/html'));
  } catch {
    if (!isOut) status(texts.reconnecting);
  } finally {
    loading = false;
    if (again) { again = false; later(1000); }
  }
}
/** The open question does not exist any more: what was typed stays, and from now on only the list is read. */
function gone() {
  isGone = again = true;
  close('open' in byId('ask').dataset ? texts.gone + ' ' + texts.goneWritten : texts.gone);
  announce(texts.gone);
}
/** Elsewhere, because what was typed here is lost by leaving. It stays until a request is answered: a lost connection says less. */
let isOut = false;
function signedOut() {
  isOut = true;
  const link = document.createElement('a');
  link.href = location.href;
  link.target = '_blank';
  link.textContent = texts.signIn;
  status(texts.signedOut);
  byId('status').append(' ', link);
}
function take(next) {
  document.title = next.title;
  const [count, nextCount] = [document.querySelector('[data-count]'), next.querySelector('[data-count]')];
  if (count && nextCount) set(count, nextCount.textContent);
  if (byId('rows') && next.getElementById('rows')) takeRows(next);
  if (byId('ask') && next.getElementById('ask')) takeAsk(next.getElementById('ask'));
  localTimes(document);
  tick();
  unread();
}
/** Rows that are gone are struck out, and leave when nothing points at the list. New ones wait behind the pill. */
function takeRows(next) {
  const rows = new Map(all('#rows > li').map((row) => [row.dataset.id, row]));
  const incoming = new Map(all('#rows > li', next).map((row) => [row.dataset.id, row]));
  for (const [id, row] of rows) {
    const now = incoming.get(id);
    if (now) {
      row.classList.remove('settled');
      const [meta, nextMeta] = [row.querySelector('.meta'), now.querySelector('.meta')];
      set(meta, nextMeta.textContent);
    } else if (!row.classList.contains('settled')) {
      row.classList.add('settled');
      announce(row.querySelector('.q').textContent + ' ' + texts.left);
      settledBy(row);
      setTimeout(() => leave(row), 4000);
    }
  }
  waiting = new Map([...incoming].filter(([id]) => !rows.has(id)));
  const empty = document.querySelector('.list .empty');
  if (rows.size === 0 && waiting.size > 0) showNew();
  else if (waiting.size > 0) announce(waiting.size + ' ' + texts.arrived);
  if (empty && byId('rows').children.length > 0) empty.remove();
  pill();
}
async function settledBy(row) {
  try {
    const response = await fetch(row.querySelector('a').href);
    const outcome = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('#outcome h2, #outcome p b');
    if (!outcome) return;
    const by = outcome.closest('#outcome').querySelector('p b');
    set(row.querySelector('.meta'), outcome.closest('#outcome').querySelector('h2').textContent + (by ? ' · ' + by.textContent : ''));
  } catch { /* the row leaves without words */ }
}
function leave(row) {
  if (!row.isConnected || !row.classList.contains('settled')) return;
  if (pointed) { setTimeout(() => leave(row), 2000); return; }
  if (row.contains(document.activeElement)) (row.nextElementSibling ?? row.previousElementSibling)?.querySelector('a').focus();
  row.remove();
  if (byId('rows').children.length === 0 && waiting.size > 0) showNew();
}
function pill() {
  const button = byId('pill');
  button.hidden = waiting.size === 0;
  set(button, waiting.size + ' ' + texts.showNew);
}
function showNew() {
  const list = byId('rows');
  for (const row of waiting.values()) {
    const copy = document.importNode(row, true);
    copy.classList.add('arrived');
    list.append(copy);
  }
  waiting = new Map();
  sortRows();
  pill();
  tick();
  unread();
}
/** In the order of the server: deadlines first, then age. */
function sortRows() {
  const rank = (row) => {
    const [left, asked] = [row.querySelector('time.left'), row.querySelector('time[data-ago]')];
    return left ? Date.parse(left.dateTime) : 1e15 + Date.parse(asked.dateTime);
  };
  byId('rows').append(...all('#rows > li').sort((a, b) => rank(a) - rank(b)));
}
byId('pill')?.addEventListener('click', showNew);

function takeAsk(next) {
  const ask = byId('ask');
  const { status: was, digest } = ask.dataset;
  const votes = [ask.querySelector('[data-votes]'), next.querySelector('[data-votes]')];
  if (votes[0] && votes[1]) set(votes[0], votes[1].textContent);
  if (was === 'pending' && next.dataset.status !== 'pending') {
    const had = 'open' in ask.dataset;
    ask.dataset.status = next.dataset.status;
    ask.querySelector('.expires')?.remove();
    byId('outcome').replaceChildren(...document.importNode(next.querySelector('#outcome'), true).childNodes);
    if (had) close(next.dataset.status === 'expired' ? texts.timeIsOver : texts.decided);
    announce(byId('outcome').querySelector('h2').textContent);
  } else if (digest !== next.dataset.digest && next.dataset.status === 'pending') notice(texts.changed, location.href);
  const [said, saidNow] = [ask.querySelector('.conversation'), next.querySelector('.conversation')];
  if (said && saidNow && said.querySelectorAll('li').length !== saidNow.querySelectorAll('li').length) said.replaceWith(document.importNode(saidNow, true));
}

function connect() {
  if (!byId('rows') && !byId('ask')) return;
  openLive({
    url: base + '/live',
    key: document.body.dataset.key,
    after: document.body.dataset.after,
    heard: () => later(),
    state: (name) => {
      if (name === 'live') isOut = false;
      if (name === 'signed-out') signedOut();
      else if (navigator.onLine && !isOut) status(name === 'live' ? '' : texts.reconnecting);
      clearInterval(polling);
      polling = name === 'reconnecting' ? setInterval(() => { if (!document.hidden) refresh(); }, 15e3) : 0;
    },
  });
}
let polling = 0;
addEventListener('offline', () => status(texts.offline));
addEventListener('online', () => { status(texts.reconnecting); refresh().then(() => { if (byId('status').textContent === texts.reconnecting) status(''); }); });

// --- keys ---

const keysOn = byId('keys-on');
if (keysOn) {
  keysOn.checked = kept.get('keys', true);
  keysOn.addEventListener('change', () => kept.set('keys', keysOn.checked));
  byId('show-keys').hidden = false;
  byId('show-keys').addEventListener('click', () => byId('keys').showModal());
}
const isField = (element) => element.matches('input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]');
function step(by) {
  const links = all('#rows a');
  const at = links.findIndex((link) => link === document.activeElement);
  const open = links.findIndex((link) => link.hasAttribute('aria-current'));
  const to = at >= 0 ? at + by : open >= 0 ? open + by : by > 0 ? 0 : links.length - 1;
  links[Math.min(links.length - 1, Math.max(0, to))]?.focus();
}
function choose(place) {
  const option = all('#decision [data-option]')[place - 1];
  if (!option || option.disabled) return;
  option.focus();
  if (option.matches('[type=radio]')) option.checked = true;
  if (option.matches('[type=checkbox]')) option.checked = !option.checked;
}
function nextLink() {
  const open = byId('next') ?? document.querySelector('#rows li:has([aria-current]) + li a') ?? document.querySelector('#rows a:not([aria-current])');
  open?.click();
}
const acts = {
  j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
  a: () => document.querySelector('#decision textarea, #decision input:not([type=hidden]), #decision button:not([disabled])')?.focus(),
  n: nextLink,
  u: () => document.querySelector('.back a, .brand')?.click(),
  '/': () => byId('search')?.focus(),
  '?': () => byId('keys').showModal(),
};
addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (key === 'Enter' && (event.ctrlKey || event.metaKey)) return send(target);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isField(target)) { if (key === 'Escape') target.blur(); return; }
  if (!keysOn?.checked || document.querySelector('dialog[open]')) return;
  if (key.startsWith('Arrow') && target.matches('input, summary, select')) return;
  const act = /^[1-9]$/.test(key) ? () => choose(Number(key)) : Object.hasOwn(acts, key) ? acts[key] : undefined;
  if (!act || (key.startsWith('Arrow') && !byId('list')?.contains(target) && target !== document.body)) return;
  event.preventDefault();
  act();
});
/** The button that has the focus, or the only one of the form. */
function send(target) {
  const form = target.closest('form');
  const only = target.matches('button') ? target : all('[data-send]', form ?? document)[0];
  if (only && !only.disabled) only.click();
}

// --- sending, and going elsewhere ---

/** A form is sent by a request of this page, so that what was typed is still here if nobody answers. */
addEventListener('submit', async (event) => {
  const form = event.target;
  if (form.method !== 'post' || !byId('content').contains(form)) return;
  event.preventDefault();
  if (form.dataset.sent) return;
  form.dataset.sent = '1';
  const slow = setTimeout(status, 400, texts.sending);
  try {
    const body = new URLSearchParams(new FormData(form));
    if (event.submitter?.name) body.append(event.submitter.name, event.submitter.value);
    const response = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } });
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    const told = next.querySelector('main.message');
    if (told) unsent(form, told.querySelector('h1').textContent, told.querySelector('p').textContent);
    else show(next, response);
  } catch {
    unsent(form, texts.noConnection, texts.stillHere);
  } finally {
    clearTimeout(slow);
    delete form.dataset.sent;
    if (byId('status').textContent === texts.sending) status('');
  }
});
/** Beside the button, in the form, which stays as it is: why it was not taken. */
function unsent(form, title, more) {
  const box = form.querySelector('.notice') ?? document.createElement('div');
  const strong = document.createElement('b');
  strong.textContent = title;
  box.className = 'notice bad';
  box.setAttribute('role', 'alert');
  box.replaceChildren(strong, document.createElement('br'), more);
  (form.querySelector('.decide') ?? form.lastElementChild).before(box);
  box.scrollIntoView({ block: 'nearest' });
}
/** The page that came of the form, in place of the one that it was sent from. */
function show(next, { url, redirected }) {
  const content = byId('content');
  content.replaceChildren(...document.importNode(next.getElementById('content'), true).childNodes);
  if (redirected) history.replaceState(null, '', url);
  said.clear();
  take(next);
  content.scrollTop = 0;
  scrollTo(0, 0);
  const told = content.querySelector('[autofocus]') ?? byId('outcome')?.firstElementChild ?? content.querySelector('h1');
  if (told.tabIndex < 0) told.tabIndex = -1; // a field has its own place in the order of tabs
  told.focus();
}
/** A link that nobody answers leads to the browser's own page of errors: it is not followed, or says that it takes time. */
addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || link.target || link.origin !== location.origin || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.pathname === location.pathname && link.hash) return;
  if (navigator.onLine) setTimeout(status, 400, texts.loading);
  else { event.preventDefault(); status(texts.offline); }
});
addEventListener('pageshow', ({ persisted }) => { if (persisted) status(''); });

const pane = byId('list');
if (pane) {
  pane.scrollTop = Number(sessionStorage.getItem('askback:scroll') ?? 0);
  addEventListener('pagehide', () => sessionStorage.setItem('askback:scroll', String(pane.scrollTop)));
}
localTimes(document);
unread();
tick();
setInterval(() => { if (!document.hidden) tick(); }, 1000);
connect();
`;
