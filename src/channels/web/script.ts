/**
 * The script of the web chat, as a page loads it: plain JavaScript for browsers, without a build step. What people wrote is only ever
 * text, never markup. It keeps nothing but the visitor, the draft and what is not sent yet.
 */
import { chatStyle } from './style.js';

const source = String.raw`(() => {
'use strict';
const tag = document.currentScript;
const own = window.askbackChat || {};
const option = (name) => own[name] ?? tag.dataset[name];
const base = new URL('.', tag.src);
const conversation = option('conversation');

// Every text that people read. Each can be replaced: data-text-send="Senden".
const texts = {
  title: 'Chat', open: 'Chat', close: 'Close', send: 'Send', message: 'Your message', answer: 'Your answer', log: 'Conversation',
  working: 'Working', sending: 'Sending…', notSent: 'Not sent:', retry: 'Try again', remove: 'Remove', optional: '(optional)',
  connecting: 'Connecting…', reconnecting: 'Reconnecting…', refused: 'This chat is not available here.', signedOut: 'You were signed out. Please load the page again.',
  anew: 'The chat has begun anew.', paused: 'Open in too many places. This one is updated later.', hidden: '•••••',
  answered: 'Answered:', answeredPlain: 'Answered', declined: 'Declined', exhausted: 'Not answered', expired: 'Expired',
  cancelled: 'Withdrawn', others: 'Somebody else is asked.', pick: 'Please choose.', until: 'Please answer by',
};
for (const name of Object.keys(texts)) {
  const data = 'text' + name[0].toUpperCase() + name.slice(1);
  texts[name] = (own.texts || {})[name] ?? tag.dataset[data] ?? texts[name];
}
const title = option('title') || texts.title;

// --- small tools ---

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== false));
  return node;
}
// what people and agents wrote: text only, kept apart from the text around it
const words = (text) => el('bdi', {}, text);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
const locked = (name, work) => (navigator.locks ? navigator.locks.request(name, work) : work());
const reported = new Set();
function report(problem) {
  if (!reported.has(problem)) console.error('askback chat: ' + problem);
  reported.add(problem);
}
let controls = 0;

// --- who we are, and what this browser keeps ---

let visitor;
let prefix = 'askback ' + base.href + ' ';
const unkept = new Map(); // in a browser that keeps nothing, or whose storage is full: the chat works until the page is left
const storage = {
  get(name) { try { return JSON.parse(unkept.get(prefix + name) ?? localStorage.getItem(prefix + name)); } catch { return null; } },
  set(name, value) {
    const key = prefix + name;
    const text = JSON.stringify(value);
    unkept.delete(key);
    try {
      if (value === null || value === '') localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch { unkept.set(key, text); }
  },
};
const issuedKey = prefix + 'visitor';

// The visitor that this browser keeps, unless it was refused; else the given one, which is kept from now on. Of several tabs the first
// one wins: a transaction of IndexedDB sees what every other tab has written, localStorage may show it late.
function compareAndKeep(refused, made) {
  return new Promise((resolve, reject) => {
    setTimeout(reject, 2000); // a browser whose database does not open
    const opening = indexedDB.open('askback', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('visitors');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction('visitors', 'readwrite');
      const visitors = transaction.objectStore('visitors');
      const reading = visitors.get(issuedKey);
      let kept;
      reading.onsuccess = () => {
        kept = reading.result;
        if (kept && kept !== refused) return;
        kept = made;
        if (made) visitors.put(made, issuedKey);
      };
      transaction.oncomplete = () => { database.close(); resolve(kept); };
      transaction.onabort = () => { database.close(); reject(); };
    };
  });
}
async function keepIssued(refused, made) {
  const kept = await compareAndKeep(refused, made).catch(() => made); // no database: one tab alone is still one visitor
  try { if (kept) localStorage.setItem(issuedKey, kept); } catch { /* as above */ }
  return kept;
}

// An anonymous visitor: the one that this browser keeps, or a new one. The lock only spares the other tabs a request.
async function issued(refused) {
  let mirrored;
  try { mirrored = localStorage.getItem(issuedKey); } catch { /* as above */ }
  const kept = await keepIssued(refused, mirrored && mirrored !== refused ? mirrored : undefined);
  if (kept) return kept;
  const response = await fetch(new URL('visitors', base), {
    method: 'POST', credentials: 'omit', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ locale: navigator.language }),
  });
  if (!response.ok) throw Object.assign(new Error(), { status: response.status });
  return keepIssued(refused, (await response.json()).visitor);
}

let who; // the visitor without the signature and the time: another token may be of the same one
async function signIn(refused) {
  const given = option('visitor');
  const token = given === undefined ? await locked(issuedKey, () => issued(refused)) : typeof given === 'function' ? await given(refused !== undefined) : given;
  const payload = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(token.split('.')[0].replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))));
  const next = JSON.stringify([payload.tenant, payload.id, conversation]);
  const before = who === undefined || who === next ? undefined : loadOutbox();
  const kept = prefix;
  visitor = token;
  who = next;
  prefix = 'askback ' + base.href + ' ' + who + ' '; // what is kept belongs to this visitor only
  if (before) becomeAnother(before, kept, given === undefined);
}

// Nothing of one visitor is shown to another, or sent as another. What an anonymous one could not send any more is shown as not sent.
function becomeAnother(unsent, kept, isAnonymous) {
  items = [];
  cursor = undefined;
  progress = '';
  secrets = [];
  if (isAnonymous) {
    unkept.delete(kept + 'outbox');
    try { localStorage.removeItem(kept + 'outbox'); } catch { /* as above */ }
    const lost = unsent.filter((message) => message.state !== 'sent').map((message) => {
      const again = message.secret || message.body.askId ? { body: {}, final: true } : { body: message.body };
      return { id: newId(), label: message.label, ...again, state: 'failed', problem: texts.anew };
    });
    saveOutbox([...loadOutbox(), ...lost]);
  } else input.value = '';
  render();
}

async function call(path, query, init) {
  const caller = who;
  for (let tries = 0; ; tries += 1) {
    const used = visitor;
    const url = new URL(path, base);
    for (const [name, value] of Object.entries({ conversation, ...query })) if (value) url.searchParams.set(name, value);
    const response = await fetch(url, {
      credentials: 'omit', cache: 'no-store', ...init,
      headers: { ...(init || {}).headers, authorization: 'Bearer ' + used },
    });
    if (response.status !== 401) return response;
    if (tries > 0) {
      report(await response.clone().text());
      return response;
    }
    if (used === visitor) await signIn(used);
    if (caller !== who) throw new Error('another visitor'); // what was to be sent or read is not theirs
  }
}

// --- what happened, in order; one tab reads the stream and tells the others ---

let items = [];
let cursor;
let live = 'connecting';
let progress = '';
const bus = typeof BroadcastChannel === 'function' ? new BroadcastChannel('askback ' + base.href + ' ' + conversation) : null;
const tell = (message) => { if (bus) bus.postMessage({ ...message, who: prefix }); };

function apply(batch) {
  if (batch.gap) items = [];
  const known = new Set(items.map(keyOf));
  for (const item of batch.items) if (!known.has(keyOf(item))) items.push(item);
  const decided = new Set(items.filter((item) => item.type === 'decided').map((item) => item.askId));
  const isOpen = (item) => item.ask && item.ask.status === 'pending' && !decided.has(item.ask.id);
  items = items.filter((item, index) => index >= items.length - 500 || isOpen(item));
  cursor = batch.cursor;
  progress = '';
  const came = new Set(batch.items.filter((item) => item.type === 'in').map((item) => item.id));
  if (came.size > 0) saveOutbox(loadOutbox().filter((message) => !came.has(message.id)));
  if (batch.items.some((item) => item.type === 'out')) noticed();
  render();
}
const keyOf = (item) => item.type + ' ' + (item.key || item.id || item.askId);

async function catchUp() {
  for (;;) {
    const response = await call('messages', { after: cursor });
    if (response.status === 400 && cursor) { cursor = undefined; items = []; continue; }
    if (!response.ok) throw Object.assign(new Error(), { status: response.status });
    const batch = await response.json();
    if (batch.items.length > 0 || batch.gap) apply(batch);
    else { cursor = batch.cursor; return; }
  }
}

function setLive(state) {
  live = state;
  tell({ live });
  render();
}

let pause = 0; // how long the server wants this page to stay away
async function readStream() {
  let wait = 300;
  for (;;) {
    pause = 0;
    const leave = new AbortController();
    let watchdog;
    try {
      const response = await call('stream', { after: cursor }, { signal: leave.signal });
      if (response.status === 400 && cursor) { cursor = undefined; items = []; continue; }
      if ([400, 403, 404].includes(response.status)) return setLive('refused');
      if (response.status === 401) return setLive('signedOut');
      if (!response.ok) throw new Error();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      setLive('live');
      for (;;) {
        clearTimeout(watchdog);
        watchdog = setTimeout(() => leave.abort(), 40000); // a sign of life comes every 15 s
        const { done, value } = await reader.read();
        if (done) break;
        wait = 300;
        const events = (rest + value).split('\n\n');
        rest = events.pop();
        for (const event of events) streamed(event);
      }
    } catch {
      setLive('reconnecting');
    }
    clearTimeout(watchdog);
    if (pause > 0) setLive('paused');
    await Promise.race([sleep(Math.max(wait, pause) * (0.5 + Math.random())), new Promise((resolve) => addEventListener('online', resolve, { once: true }))]);
    wait = Math.min(wait * 2, 15000);
  }
}

function streamed(event) {
  const data = /^data: (.*)$/m.exec(event);
  if (!data) return;
  const message = JSON.parse(data[1]);
  if (/^event: bye$/m.test(event)) {
    pause = message.retry;
    return;
  }
  if (/^event: progress$/m.test(event)) {
    progress = message.text;
    tell({ progress });
    return render();
  }
  const after = cursor;
  apply(message);
  tell({ batch: message, after });
}

if (bus) bus.onmessage = ({ data }) => {
  if (data.who !== prefix) return;
  if (data.batch) {
    if (data.after === cursor && !data.batch.gap) apply(data.batch);
    else catchUp().catch(() => {});
  }
  if (data.live) live = data.live;
  if (data.progress !== undefined) progress = data.progress;
  if (data.hello && isReader) tell({ live });
  render();
};

let isReader = false;
const alone = (name, work) => locked(prefix + name, work);

let started = false;
async function start() {
  if (started) return;
  started = true;
  for (let wait = 500; ; wait = Math.min(wait * 2, 15000)) {
    try {
      await signIn();
      await catchUp();
      break;
    } catch (error) {
      if ([400, 403, 404].includes(error.status)) return setLive('refused');
      if (error.status === 401) return setLive('signedOut');
      live = 'reconnecting';
      render();
      await sleep(wait * (0.5 + Math.random()));
    }
  }
  draft();
  flush();
  tell({ hello: true });
  if (live !== 'live') live = 'live';
  render();
  alone('stream', () => { isReader = true; return readStream(); });
}

// --- what is sent: kept until the conversation has it, sent again with the same id until it is acknowledged ---

let secrets = []; // not kept in the browser: answers to sensitive questions, and what is written before it is known by whom
const loadOutbox = () => [...(storage.get('outbox') || []), ...secrets];
function saveOutbox(list) {
  const isKept = (message) => who !== undefined && !message.secret;
  secrets = list.filter((message) => !isKept(message));
  const plain = list.filter(isKept);
  storage.set('outbox', plain.length > 0 ? plain : null);
}
const change = (id, fields) => {
  saveOutbox(loadOutbox().map((message) => (message.id === id ? { ...message, ...fields } : message)));
  render();
};

function send(body, more) {
  saveOutbox([...loadOutbox(), { id: newId(), body, state: 'sending', ...more }]);
  render();
  log.scrollTop = log.scrollHeight;
  flush();
}

let flushing = false;
async function flush() {
  if (flushing || who === undefined) return; // start() comes back to it
  flushing = true;
  await alone('send', async () => {
    for (let wait = 500; ; ) {
      const next = loadOutbox().find((message) => message.state === 'sending');
      if (!next) return;
      try {
        const response = await call('messages', {}, {
          method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id: next.id, ...next.body }),
        });
        if (response.status === 202) { change(next.id, { state: 'sent' }); wait = 500; continue; }
        if (response.status >= 400 && response.status < 500 && response.status !== 429) {
          const { error } = await response.json();
          change(next.id, { state: 'failed', problem: response.status === 401 ? texts.signedOut : error.message });
          continue;
        }
      } catch { /* not reached: again below */ }
      await sleep(wait * (0.5 + Math.random()));
      wait = Math.min(wait * 2, 15000);
    }
  });
  flushing = false;
}
addEventListener('storage', ({ key }) => { if (key === prefix + 'outbox') render(); });

// --- the page ---

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

// --- drawing: each thing has one element, which is kept while what it shows is the same ---

const drawn = new Map();
let follows = false; // after a control was used, the focus goes on to the next question

function render() {
  const decisions = new Map(items.filter((item) => item.type === 'decided').map((item) => [item.askId, item]));
  const last = new Map(items.filter((item) => item.ask).map((item) => [item.ask.id, item]));
  const outbox = loadOutbox();
  const came = new Set(items.filter((item) => item.type === 'in').map((item) => item.id));
  const pressed = new Map(outbox.filter((message) => message.body.askId).map((message) => [message.body.askId, message]));
  const wanted = [];
  const open = [];
  for (const item of items) {
    if (item.type === 'in' && !item.control) wanted.push(['in ' + item.id, 'sent', () => bubble(item.text === '[hidden]' ? texts.hidden : item.text, true)]);
    if (item.type !== 'out') continue;
    if (!item.ask) { wanted.push([item.key, 'said', () => bubble(item.text)]); continue; }
    const decision = decisions.get(item.ask.id) || (item.ask.status === 'pending' ? undefined : item.ask);
    const isLast = last.get(item.ask.id) === item;
    const look = [decision && decision.status, isLast, item.ask.mine].join();
    const entry = [item.key, look, () => question(item, decision, isLast)];
    (isLast && !decision ? open : wanted).push(entry);
  }
  wanted.push(...open); // what is asked stands at the end
  for (const message of outbox) {
    if (message.body.askId && message.state !== 'failed') continue; // its question shows it
    if (!came.has(message.id)) wanted.push(['in ' + message.id, message.state, () => outgoing(message)]);
  }
  if (progress || outbox.some((message) => message.state === 'sent')) {
    const text = progress || texts.working;
    wanted.push(['working', text, () => el('li', { class: 'working' }, el('div', { class: 'bubble' }, el('p', {}, words(text))))]);
  }
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  place(wanted);
  for (const item of items) if (item.ask && drawn.get(item.key)?.busy) drawn.get(item.key).busy(pressed.get(item.ask.id));
  if (atEnd) log.scrollTop = log.scrollHeight;
  const asked = openAsk();
  label.textContent = input.placeholder = asked && asked.ask.mine ? texts.answer : texts.message;
  state.textContent = live === 'live' ? '' : texts[live];
  if (follows && asked && asked.ask.mine && !pressed.has(asked.ask.id)) {
    follows = false;
    const { node } = drawn.get(asked.key);
    if (node.querySelector('button, input, select')) node.focus();
    else input.focus();
  }
}

function place(wanted) {
  const keys = new Set(wanted.map(([key]) => key));
  for (const [key, { node }] of drawn) if (!keys.has(key)) { node.remove(); drawn.delete(key); }
  wanted.forEach(([key, look, draw], index) => {
    let entry = drawn.get(key);
    if (!entry || entry.look !== look) {
      const { node, busy } = asDrawn(draw());
      if (entry) {
        if (entry.node.contains(root.activeElement)) { follows = true; input.focus(); }
        entry.node.replaceWith(node);
      }
      entry = { node, busy, look };
      drawn.set(key, entry);
    }
    if (list.children[index] !== entry.node) list.insertBefore(entry.node, list.children[index] || null);
  });
}

const asDrawn = (it) => (it.node ? it : { node: it });

function bubble(text, mine) {
  return el('li', { class: mine ? 'mine' : 'theirs' }, el('div', { class: 'bubble' }, el('p', {}, words(text))));
}

function outgoing(message) {
  const node = bubble(message.label || '', true);
  if (message.state === 'sending') node.append(el('p', { class: 'note' }, texts.sending));
  if (message.state === 'failed') {
    node.append(el('p', { class: 'note bad' }, texts.notSent + ' ', words(message.problem), ' ',
      !message.final && el('button', { type: 'button', class: 'link', onclick: () => { change(message.id, { state: 'sending' }); flush(); } }, texts.retry),
      el('button', { type: 'button', class: 'link', onclick: () => { saveOutbox(loadOutbox().filter((each) => each.id !== message.id)); render(); } }, texts.remove)));
  }
  return node;
}

function question(item, decision, isLast) {
  const { ask } = item;
  const id = 'q' + (controls += 1);
  const box = el('div', { class: 'bubble' }, el('p', { id }, words(item.text)));
  const node = el('li', { class: 'theirs ask', tabindex: '-1' }, box);
  if (!isLast) return node;
  if (ask.details) box.append(el('dl', {}, ...ask.details.flatMap(([name, value]) => [el('dt', {}, words(name)), el('dd', {}, words(value))])));
  if (decision) {
    const { status, answer } = decision;
    if (ask.shape.type === 'choices') box.append(buttons(ask, id, answer));
    const said = status !== 'answered' ? [texts[status]] : answer ? [texts.answered + (answer.includes('\n') ? '\n' : ' '), words(answer)] : [texts.answeredPlain];
    node.append(el('p', { class: 'note' }, ...said));
    return node;
  }
  node.classList.add('open');
  const note = el('p', { class: 'note' }, ask.mine ? '' : texts.others);
  node.append(note);
  if (!ask.mine) return node;
  node.classList.add('yours');
  const form = controlsOf(ask, id);
  if (form) box.append(form);
  const until = ask.expiresAt ? texts.until + ' ' + new Date(ask.expiresAt).toLocaleString() : '';
  // while an answer is on its way the controls stay as they are: one that is refused can be corrected
  const busy = (press) => {
    const isBusy = Boolean(press && press.state !== 'failed');
    for (const control of box.querySelectorAll('button, input')) control.disabled = isBusy;
    note.textContent = isBusy ? texts.sending : until;
  };
  return { node, busy };
}

function controlsOf(ask, id) {
  const { shape } = ask;
  const press = (body, label) => { follows = true; input.focus(); send({ askId: ask.id, ...body }, { label, ...(ask.sensitive ? { secret: true } : {}) }); };
  if (shape.type === 'choices' && !shape.many && shape.choices.length <= 6) return buttons(ask, id, undefined, press);
  if (shape.type === 'text' && !shape.input) return null; // the composer is the control
  const fields = shape.type === 'fields' ? shape.fields : [{ name: '', shape, optional: false }];
  const drawnFields = fields.map((field) => fieldOf(field, id));
  const form = el('form', { class: 'fields', 'aria-labelledby': id }, ...drawnFields.map((field) => field.node),
    el('div', {}, el('button', { class: 'main' }, texts.send)));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const values = {};
    for (const [index, field] of fields.entries()) values[field.name] = drawnFields[index].value();
    const missing = drawnFields.filter((field, index) => field.complain(values[fields[index].name] === undefined && !fields[index].optional));
    if (missing.length > 0) return missing[0].focus();
    if (shape.type === 'fields') return press({ value: values }, '');
    const value = values[''];
    if (shape.type === 'text') press({ text: String(value) }, String(value));
    else press({ choice: value }, [value].flat().map((one) => shape.choices.find((each) => each.id === one).label).join(', '));
  });
  return form;
}

function buttons(ask, id, chosen, press) {
  const all = String(chosen ?? '').split(', ');
  return el('fieldset', { role: 'group', 'aria-labelledby': id }, ...ask.shape.choices.map((choice) => {
    const isChosen = chosen === choice.label || (ask.shape.many && all.includes(choice.label));
    return el('button', {
      type: 'button', disabled: !press, class: isChosen ? 'chosen' : '', 'aria-pressed': press ? undefined : String(isChosen),
      onclick: () => press({ choice: choice.id }, choice.label),
    }, words(choice.label));
  }));
}

function fieldOf(field, askId) {
  const { shape } = field;
  const id = askId + '-' + (controls += 1);
  const name = field.text === undefined ? [] : [words(field.text), field.optional ? ' ' + texts.optional : ''];
  const problem = el('p', { class: 'note bad', role: 'alert', id: id + 'p' });
  if (shape.type === 'choices') {
    const strip = (choice) => (field.name && choice.id.startsWith(field.name + '/') ? choice.id.slice(field.name.length + 1) : choice.id);
    const boxes = shape.choices.map((choice, index) => el('input', { type: shape.many ? 'checkbox' : 'radio', name: id, id: id + index, value: strip(choice) }));
    const node = el('fieldset', { class: 'list', ...(name.length > 0 ? {} : { 'aria-labelledby': askId }) }, name.length > 0 && el('legend', {}, ...name),
      ...shape.choices.map((choice, index) => el('div', { class: 'option' }, boxes[index], el('label', { for: id + index }, words(choice.label)))), problem);
    const value = () => {
      const picked = boxes.filter((box) => box.checked).map((box) => box.value);
      if (shape.many) return picked.length > 0 || field.optional === false ? picked : undefined;
      return picked[0];
    };
    return { node, value, complain: (isMissing) => { problem.textContent = isMissing ? texts.pick : ''; return isMissing; }, focus: () => boxes[0].focus() };
  }
  const type = { number: 'number', date: 'date', datetime: 'datetime-local', email: 'email' }[shape.input] || 'text';
  const box = el('input', { id, type, step: type === 'number' ? 'any' : undefined, required: !field.optional, 'aria-labelledby': name.length > 0 ? undefined : askId, autocomplete: type === 'email' ? 'email' : 'off' });
  const node = el('div', { class: 'field' }, name.length > 0 && el('label', { for: id }, ...name), box, problem);
  const value = () => (box.value.trim() === '' ? undefined : type === 'number' && field.name ? Number(box.value) : box.value);
  return { node, value, complain: (isMissing) => isMissing, focus: () => box.focus() };
}

// --- begin ---

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
})();
`;

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
